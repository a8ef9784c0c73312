import type { ChangeEvent, ChangeType } from "@ledge/link";
import { type Commit, envelopeFields, indexIn, kindsByEvent, limits, type LoggedEvent } from "@ledge/model";

/** The kinds of aggregate that a hub shares. */
export type SharedKind = "device" | "alarm";

/** Returns the kind of what an event is about; undefined for everything that stays at home. */
export function sharedKind({ type }: Pick<LoggedEvent, "type">): SharedKind | undefined {
  const kind = kindsByEvent.get(type);
  return kind === "device" || kind === "alarm" ? kind : undefined;
}

const types: ReadonlyMap<string, ChangeType> = new Map([
  ["DeviceAdded", "Added"],
  ["DeviceReported", "StateChanged"],
  ["DeviceRemoved", "Removed"],
]);

/** Fields of an event that say no change. */
const unsaid: ReadonlySet<string> = new Set(["type", "id", "attributes", "at", ...envelopeFields]);

/** Returns the changes of devices in a commit, in order. */
export function changesIn(commit: Commit): readonly ChangeEvent[] {
  const { timestamp, events } = commit;
  return events.flatMap((event, place): ChangeEvent[] => {
    if (sharedKind(event) !== "device") return [];
    const type = types.get(event.type) ?? "Updated";
    const change = { ref: `${timestamp}.${indexIn(commit, place)}`, device: event.id, type, timestamp };
    const changed = changedIn(event);
    const isLong = JSON.stringify(changed).length > limits.changeLineBytes / 4;
    return [isLong ? change : { ...change, changed }];
  });
}

/** Returns the attributes that a report names, or the fields that another event sets. */
function changedIn(event: LoggedEvent): Readonly<Record<string, unknown>> {
  const { attributes } = event as { readonly attributes?: Readonly<Record<string, unknown>> };
  if (event.type === "DeviceReported") return attributes ?? {};
  return Object.fromEntries(Object.entries(event).filter(([name]) => !unsaid.has(name)));
}
