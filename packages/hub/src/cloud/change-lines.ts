import type { ChangeEvent, ChangeKind, ChangeType } from "@ledge/link";
import { type Commit, envelopeFields, indexIn, kindsByEvent, limits, type LoggedEvent } from "@ledge/model";

/** Returns the kind of what an event is about; undefined for everything that stays at home. */
export function sharedKind({ type }: Pick<LoggedEvent, "type">): ChangeKind | undefined {
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

/** Returns the change of a device that the event at a place of a commit says; undefined for any other event. */
export function changeIn(commit: Commit, place: number): ChangeEvent | undefined {
  const event = commit.events[place];
  if (event === undefined || sharedKind(event) !== "device") return undefined;
  const { timestamp } = commit;
  const type = types.get(event.type) ?? "Updated";
  const change = { ref: `${timestamp}.${indexIn(commit, place)}`, device: event.id, type, timestamp };
  const changed = changedIn(event);
  const isLong = JSON.stringify(changed).length > limits.changeLineBytes / 4;
  return isLong ? change : { ...change, changed };
}

/** Returns the attributes that a report names, or the fields that another event sets. */
function changedIn(event: LoggedEvent): Readonly<Record<string, unknown>> {
  const { attributes } = event as { readonly attributes?: Readonly<Record<string, unknown>> };
  if (event.type === "DeviceReported") return attributes ?? {};
  return Object.fromEntries(Object.entries(event).filter(([name]) => !unsaid.has(name)));
}
