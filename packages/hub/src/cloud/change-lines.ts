import type { ChangeKind, ChangeLine, ChangesEnd, ChangesHead, ChangeType } from "@ledge/link";
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

/** Returns a line of an answer, with its end. */
export function lineOf(line: ChangesHead | ChangeLine | ChangesEnd): string {
  return `${JSON.stringify(line)}\n`;
}

/** Returns the line of the change of a device that the event at a place of a commit says; "" for any other event. */
export function changeLine(commit: Commit, place: number): string {
  const event = commit.events[place];
  if (event === undefined || sharedKind(event) !== "device") return "";
  const { timestamp } = commit;
  const type = types.get(event.type) ?? "Updated";
  const change = { ref: `${timestamp}.${indexIn(commit, place)}`, device: event.id, type, timestamp };
  const line = lineOf({ event: { ...change, changed: changedIn(event) } });
  return line.length > limits.changeLineBytes / 4 ? lineOf({ event: change }) : line;
}

/** Returns the attributes that a report names, or the fields that another event sets. */
function changedIn(event: LoggedEvent): Readonly<Record<string, unknown>> {
  const { attributes } = event as { readonly attributes?: Readonly<Record<string, unknown>> };
  if (event.type === "DeviceReported") return attributes ?? {};
  return Object.fromEntries(Object.entries(event).filter(([name]) => !unsaid.has(name)));
}
