import type { ConfiguredKind, LoggedEvent, Reader } from "@ledge/model";
import { configurationOf, isConfiguredKind, kindsByEvent, orNull } from "@ledge/model";
import Type from "typebox";

/** What an autoconfiguration would do to one object. `fields` says of each what it is, and what it would be. */
const Difference = Type.Object({
  object: Type.String(),
  change: Type.Enum(["create", "change", "remove", "pair", "ask"]),
  id: orNull(Type.String()),
  name: Type.String(),
  fields: Type.Record(Type.String(), Type.Object({ from: Type.Unknown(), to: Type.Unknown() })),
});
export type Difference = Type.Static<typeof Difference>;

/** AUTO_CONFIG_DIFFERENCES: what a dry run answers. */
export const AutoConfigDifferences = Type.Object({
  type: Type.Literal("AUTO_CONFIG_DIFFERENCES"),
  name: Type.String(),
  differences: Type.Array(Difference),
});

/** The objects that events are about, of those that an autoconfiguration changes, each once. */
export function touchedBy(events: readonly LoggedEvent[]): readonly { kind: ConfiguredKind; id: string }[] {
  const touched = new Map<string, { kind: ConfiguredKind; id: string }>();
  for (const { type, id } of events) {
    const kind = kindsByEvent.get(type) ?? "";
    if (isConfiguredKind(kind)) touched.set(`${kind} ${id}`, { kind, id });
  }
  return [...touched.values()];
}

/**
 * How objects differ between two homes.
 * @param after a home that never will be: objects that it alone has go by their names, as their ids mean nothing
 */
export function differencesOf(events: readonly LoggedEvent[], before: Reader, after: Reader): Difference[] {
  const found = touchedBy(events).map(({ kind, id }) => ({
    kind,
    id,
    was: configurationOf(kind, id, before),
    is: configurationOf(kind, id, after),
  }));
  const created = new Map(
    found.flatMap(({ id, was, is }) => (was === null && is !== null ? [[id, nameOf(is, id)] as const] : [])),
  );
  return found.flatMap(({ kind, id, was, is }): Difference[] => {
    if (was === null && is === null) return [];
    const fields: Difference["fields"] = {};
    for (const field of Object.keys(is ?? was ?? {})) {
      const [from, to] = [was?.[field] ?? null, named(is?.[field] ?? null, created)];
      if (JSON.stringify(from) !== JSON.stringify(to)) fields[field] = { from, to };
    }
    if (Object.keys(fields).length === 0) return [];
    const change = was === null ? "create" : is === null ? "remove" : "change";
    const name = nameOf(is ?? was ?? {}, id);
    return [{ object: kind, change, id: was === null ? null : id, name, fields }];
  });
}

/** Rules have theirs in their configuration. */
function nameOf(fields: Readonly<Record<string, unknown>>, id: string): string {
  const { name, config } = fields as { name?: string; config?: { name: string } };
  return name ?? config?.name ?? id;
}

function named(value: unknown, created: ReadonlyMap<string, string>): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === "string" ? (created.get(each) ?? each) : each,
    ),
  );
}
