import Type from "typebox";
import { Content } from "./device-content.ts";
import type { Device } from "./device-object.ts";
import type { EventOf } from "./event.ts";
import { defineEvent, telemetry } from "./event.ts";

const Attributes = Type.Record(Type.String(), Type.Unknown());
const DeviceAdded = defineEvent("DeviceAdded", 1, { name: Type.String(), ...Content });
const DeviceDescribed = defineEvent("DeviceDescribed", 1, Content);
const DeviceReported = telemetry(
  defineEvent("DeviceReported", 1, { attributes: Attributes, at: Type.Integer() }),
  (event, state) => {
    const names = Object.keys(event.attributes);
    return heardAt(event) >= lastSeenOf(state as Device | undefined) ? [...names, "lastSeen"] : names;
  },
);
const DeviceRenamed = defineEvent("DeviceRenamed", 1, { name: Type.String() });
const DeviceMoved = defineEvent("DeviceMoved", 1, { room: Type.Array(Type.String()) });
const DeviceZonesSet = defineEvent("DeviceZonesSet", 1, { zones: Type.Array(Type.String()) });
const DeviceVisibilitySet = defineEvent("DeviceVisibilitySet", 1, { visible: Type.Boolean() });
const DeviceHotWaterSet = defineEvent("DeviceHotWaterSet", 1, { hotWater: Type.Boolean() });
const DeviceLockSet = defineEvent("DeviceLockSet", 1, { locked: Type.Boolean() });
const DeviceAccessSet = defineEvent("DeviceAccessSet", 1, { rwx: Type.Integer() });
const DeviceAwayThresholdSet = defineEvent("DeviceAwayThresholdSet", 1, { awayThreshold: Type.Integer() });
const DeviceGroupsChanged = defineEvent("DeviceGroupsChanged", 1, { groups: Type.Array(Type.String()) });
/** The device has other hardware: `native` instead of `former`. `by` was the id of the new one until then. */
const DeviceReplaced = defineEvent("DeviceReplaced", 1, {
  by: Type.String(),
  protocol: Type.String(),
  native: Type.String(),
  former: Type.String(),
});
const DeviceRemoved = defineEvent("DeviceRemoved", 1, { groups: Type.Array(Type.String()) });

/** A device has other hardware. */
export type DeviceReplaced = EventOf<typeof DeviceReplaced>;
/** A device was removed. */
export type DeviceRemoved = EventOf<typeof DeviceRemoved>;
/** An event of a device. */
export type DeviceEvent =
  | EventOf<typeof DeviceAdded>
  | EventOf<typeof DeviceDescribed>
  | EventOf<typeof DeviceReported>
  | EventOf<typeof DeviceRenamed>
  | EventOf<typeof DeviceMoved>
  | EventOf<typeof DeviceZonesSet>
  | EventOf<typeof DeviceVisibilitySet>
  | EventOf<typeof DeviceHotWaterSet>
  | EventOf<typeof DeviceLockSet>
  | EventOf<typeof DeviceAccessSet>
  | EventOf<typeof DeviceAwayThresholdSet>
  | EventOf<typeof DeviceGroupsChanged>
  | DeviceReplaced
  | DeviceRemoved;

/** A device reported. */
export type DeviceReported = EventOf<typeof DeviceReported>;

/** All events of a device. */
export const deviceEvents = [
  DeviceAdded,
  DeviceDescribed,
  DeviceReported,
  DeviceRenamed,
  DeviceMoved,
  DeviceZonesSet,
  DeviceVisibilitySet,
  DeviceHotWaterSet,
  DeviceLockSet,
  DeviceAccessSet,
  DeviceAwayThresholdSet,
  DeviceGroupsChanged,
  DeviceReplaced,
  DeviceRemoved,
];

/** Returns when a device was heard of (ms); 0 for a report that it does not answer. */
export function heardAt({
  attributes,
  at,
}: {
  attributes: Readonly<Record<string, unknown>>;
  at: number;
}): number {
  return attributes["reachable"] === false ? 0 : at;
}

/** Returns when a device was last heard of (ms); 0 for never. */
export function lastSeenOf(reported: Device | undefined): number {
  return Number(reported?.state["lastSeen"] ?? 0);
}
