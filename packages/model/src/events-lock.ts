import type { EventDefinition } from "./event.ts";

/** The fields of every event type and version so far: `<type>@<version>` -> field -> JSON schema. */
export type EventsLock = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The command that updates the lock. */
export const lockCommand = "node scripts/toolchain.mjs exec scripts/events-lock.ts";

/** Returns the lock of the definitions alone. */
export function lockOf(definitions: Iterable<EventDefinition>): EventsLock {
  return sorted(
    [...definitions].map(({ type, version, schema }) => [`${type}@${version}`, fieldsOf(schema)] as const),
  );
}

/**
 * Returns a lock with the additions of the definitions. What it has already stays; `lockProblems` finds
 * differences.
 */
export function extendedLock(lock: EventsLock, definitions: Iterable<EventDefinition>): EventsLock {
  const added = Object.entries(lockOf(definitions)).map(
    ([key, fields]) => [key, { ...fields, ...lock[key] }] as const,
  );
  return sorted([...Object.entries(lock), ...added]);
}

/** Returns where the definitions can no longer read older logs, one line each. */
export function lockProblems(lock: EventsLock, definitions: Iterable<EventDefinition>): string[] {
  const now = new Map([...definitions].map((definition) => [definition.type, definition]));
  const problems: string[] = [];
  for (const [key, locked] of Object.entries(lock)) {
    const [type = "", version = ""] = key.split("@");
    const definition = now.get(type);
    if (definition === undefined) problems.push(`${type} is gone: logs hold it`);
    else if (definition.version < Number(version)) problems.push(`${key} is newer than its definition`);
    else if (definition.version === Number(version)) problems.push(...fieldProblems(key, locked, definition));
  }
  return problems;
}

/** Returns what the lock is missing, one line each. */
export function lockMissing(lock: EventsLock, definitions: Iterable<EventDefinition>): string[] {
  return Object.entries(lockOf(definitions)).flatMap(([key, fields]) => {
    const locked = lock[key];
    if (locked === undefined) return [key];
    return Object.keys(fields).flatMap((field) => (field in locked ? [] : [`${key}.${field}`]));
  });
}

function fieldProblems(key: string, locked: EventsLock[string], { schema }: EventDefinition): string[] {
  const fields = fieldsOf(schema);
  const problems: string[] = [];
  for (const [field, was] of Object.entries(locked)) {
    const is = fields[field];
    if (is === undefined) problems.push(`${key} has lost its field ${field}`);
    else if (JSON.stringify(is) !== JSON.stringify(was))
      problems.push(`${key} has changed its field ${field}`);
  }
  for (const [field, is] of Object.entries(fields)) {
    if (!(field in locked) && !("optional" in (is as object))) {
      problems.push(`${key} demands a new field ${field}: logs hold events without it`);
    }
  }
  return problems;
}

/** A field's JSON schema without descriptions, with sorted keys and `optional` for an optional field. */
function fieldsOf({ properties, required }: EventDefinition["schema"]): Record<string, unknown> {
  const demanded: readonly string[] = required;
  const fields = Object.entries(properties).filter(([name]) => name !== "type" && name !== "id");
  return Object.fromEntries(
    fields.map(([name, schema]) => {
      const plain = JSON.parse(JSON.stringify(schema, canonical)) as object;
      return [name, demanded.includes(name) ? plain : { ...plain, optional: true }];
    }),
  );
}

function canonical(key: string, value: unknown): unknown {
  if ((key === "description" || key === "title") && typeof value === "string") return undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function sorted(entries: readonly (readonly [string, EventsLock[string]])[]): EventsLock {
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
