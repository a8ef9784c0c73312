import type { TimelineEntry } from "../../api/past.ts";

/** Which attribute an event is about, for events that change one. */
const attributes: ReadonlyMap<string, string> = new Map([
  ["DeviceRenamed", "name"],
  ["DeviceMoved", "room"],
  ["DeviceZonesSet", "zones"],
  ["RuleTurnedOn", "is_on"],
  ["RuleTurnedOff", "is_on"],
  ["SceneTurnedOn", "isOn"],
  ["SceneTurnedOff", "isOn"],
  ["SceneRenamed", "name"],
  ["AlarmRaised", "closed"],
  ["AlarmClosed", "closed"],
  ["RoomRenamed", "name"],
  ["ZoneRenamed", "name"],
  ["GroupRenamed", "name"],
  ["GroupMembersChanged", "members"],
  ["HubRenamed", "name"],
]);

/** Times that come with each report, and are no news. */
const passing: ReadonlySet<string> = new Set(["lastSeen", "lastChange", "lastMotion"]);

/** Returns what `/why` is asked for the cause of an entry; undefined for an entry that it does not know as a cause. */
export function attributeOf({
  type,
  change,
  object,
}: Pick<TimelineEntry, "type" | "change" | "object">): string | undefined {
  if (object === null) return undefined;
  if (change === null) return attributes.get(type);
  return Object.keys(change).find((name) => !passing.has(name) && typeof change[name] !== "object");
}
