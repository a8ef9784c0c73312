import type { EventDefinition } from "./event.ts";

/** Fields of every event type and version that there ever was: `<type>@<version>` -> field -> JSON schema. */
export type EventsLock = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What brings a lock up to date. */
export const lockCommand = "node scripts/toolchain.mjs exec scripts/events-lock.ts";

/** The lock that the definitions alone would make. */
export function lockOf(definitions: Iterable<EventDefinition>): EventsLock {
  return sorted(
    [...definitions].map(({ type, version, schema }) => [`${type}@${version}`, fieldsOf(schema)] as const),
  );
}

/**
 * A lock with what the definitions add to it. What it holds already stays, whatever they say; `lockProblems`
 * tells where they differ.
 */
export function extendedLock(lock: EventsLock, definitions: Iterable<EventDefinition>): EventsLock {
  const added = Object.entries(lockOf(definitions)).map(
    ([key, fields]) => [key, { ...fields, ...lock[key] }] as const,
  );
  return sorted([...Object.entries(lock), ...added]);
}

/** Where definitions no longer read what logs may hold, one line each. */
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

/** What the lock does not hold yet, one line each. */
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

/** A field's JSON schema without its prose, its keys in order, `optional` where it may be absent. */
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
