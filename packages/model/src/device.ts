import Type from "typebox";
import { accessMasks, guestRoles } from "./access.ts";
import type { BindingEvent } from "./binding.ts";
import type { Decider, Decision, Rejection, World } from "./decider.ts";
import { isRejection, reject } from "./decider.ts";
import type { DeviceContent } from "./device-content.ts";
import { deviceAccess, isLocked, lockedRwx, unlockedRwx } from "./device-access.ts";
import { contentOf, described, newDevice, tooLong } from "./device-content.ts";
import type { DeviceEvent, DeviceReported } from "./device-events.ts";
import { deviceEvents, heardAt, lastSeenOf } from "./device-events.ts";
import type { Device } from "./device-object.ts";
import { reportedChanges } from "./device-state.ts";
import { withShown } from "./extra.ts";
import { issue, issueAction } from "./issue.ts";
import { limits } from "./limits.ts";
import type { CmdReplaceDevice } from "./replacement.ts";
import { decideReplacement } from "./replacement.ts";
import type { NoteUiDevice } from "./ui-device.ts";
import { awayThresholdOf, decideUiDevice } from "./ui-device.ts";
import { Id, isSameList, Name, RoomList, unchangedIfNull } from "./schema.ts";

const StateRequest = Type.Record(Type.String(), Type.Unknown());

/** CMD_DEVICE: `state` is what clients send; hub-api 2.5 calls it `payload`. */
export const CmdDevice = Type.Object({
  type: Type.Literal("CMD_DEVICE"),
  id: Id,
  state: unchangedIfNull(StateRequest),
  payload: unchangedIfNull(StateRequest),
});
export const CmdDeviceOn = Type.Object({ type: Type.Literal("CMD_DEVICE_ON"), id: Id });
export const CmdDeviceOff = Type.Object({ type: Type.Literal("CMD_DEVICE_OFF"), id: Id });
export const CmdDeviceMeta = Type.Object({
  type: Type.Literal("CMD_DEVICE_META"),
  id: Id,
  name: unchangedIfNull(Name),
  room: unchangedIfNull(RoomList),
  zones: unchangedIfNull(Type.Array(Id, { maxItems: limits.deviceZones })),
  visible: unchangedIfNull(Type.Boolean()),
  locked: unchangedIfNull(Type.Boolean()),
  hotWater: unchangedIfNull(Type.Boolean()),
  /** For a UI_DEVICE, in ms. */
  awayThreshold: unchangedIfNull(
    Type.Integer({ minimum: limits.awayThresholdMinMs, maximum: limits.awayThresholdMaxMs }),
  ),
});
export const CmdDeviceLock = Type.Object({
  type: Type.Literal("CMD_DEVICE_LOCK"),
  id: Id,
  locked: Type.Boolean(),
});
export const CmdDeviceVisible = Type.Object({
  type: Type.Literal("CMD_DEVICE_VISIBLE"),
  id: Id,
  visible: Type.Boolean(),
});
/** Removes a device; scans do not find it again until the ignored devices are reset. */
export const CmdIgnoreDevice = Type.Object({ type: Type.Literal("CMD_IGNORE_DEVICE"), id: Id });

/** Makes a device with IDENTIFY show which one it is. */
export const CmdIdentify = Type.Object({ type: Type.Literal("CMD_IDENTIFY"), id: Id });
/** Makes a device report all its attributes. */
export const CmdRefreshDevice = Type.Object({ type: Type.Literal("CMD_REFRESH_DEVICE"), id: Id });
/** Makes a camera take a picture. */
export const CmdSnapshot = Type.Object({ type: Type.Literal("CMD_SNAPSHOT"), id: Id });
/** Sets who may configure a device: `rwx` is one of `deviceAccess`. */
export const CmdDeviceAccess = Type.Object({
  type: Type.Literal("CMD_DEVICE_ACCESS"),
  id: Id,
  rwx: Type.Enum(deviceAccess),
});

export type DeviceCommand =
  | Type.Static<typeof CmdIdentify>
  | Type.Static<typeof CmdRefreshDevice>
  | Type.Static<typeof CmdSnapshot>
  | Type.Static<typeof CmdDeviceAccess>
  | Type.Static<typeof CmdIgnoreDevice>
  | CmdReplaceDevice
  | Type.Static<typeof CmdDevice>
  | Type.Static<typeof CmdDeviceOn>
  | Type.Static<typeof CmdDeviceOff>
  | Type.Static<typeof CmdDeviceMeta>
  | Type.Static<typeof CmdDeviceVisible>
  | Type.Static<typeof CmdDeviceLock>
  | ({
      type: "ADD_DEVICE";
      name: string;
      protocol: string;
      native: string;
      radio: string;
      /** The removed device that it was before, whose id it gets. */
      device?: string;
    } & DeviceContent)
  | ({ type: "DESCRIBE_DEVICE"; id: string } & DeviceContent)
  | { type: "REPORT_DEVICE"; id: string; attributes: Readonly<Record<string, unknown>>; at: number }
  | { type: "REMOVE_DEVICE"; id: string }
  | NoteUiDevice
  | { type: "JOIN_GROUP"; id: string; group: string }
  | { type: "LEAVE_GROUP"; id: string; group: string };

/** Devices: what adapters describe and report, and what users set. */
export const device: Decider<Device, DeviceCommand, DeviceEvent> = {
  kind: "device",
  commands: [
    "CMD_DEVICE",
    "CMD_DEVICE_ON",
    "CMD_DEVICE_OFF",
    "CMD_DEVICE_META",
    "CMD_DEVICE_VISIBLE",
    "CMD_DEVICE_LOCK",
    "CMD_DEVICE_ACCESS",
    "CMD_IDENTIFY",
    "CMD_REFRESH_DEVICE",
    "CMD_SNAPSHOT",
    "CMD_IGNORE_DEVICE",
    "CMD_REPLACE_DEVICE",
    "ADD_DEVICE",
    "DESCRIBE_DEVICE",
    "REPORT_DEVICE",
    "REMOVE_DEVICE",
    "NOTE_UI_DEVICE",
    "JOIN_GROUP",
    "LEAVE_GROUP",
  ],
  events: deviceEvents,
  delta: {
    type: "DEVICE_DELTA",
    readMask: (state) => (state.visible ? accessMasks.GUEST : accessMasks.GUEST & ~guestRoles),
    render: (state, { seen }) => {
      const heard = Math.max(seen ?? 0, Number(state.state["lastSeen"] ?? 0));
      return {
        ...state,
        groups: state.groups.slice(0, 1),
        state: { ...state.state, lastSeen: heard || null },
      };
    },
  },

  target: (command) => ("id" in command ? command.id : undefined),

  decide(command, state, world) {
    if (command.type === "ADD_DEVICE") {
      if (world.size("device") >= limits.devices) {
        return reject("invalid", `at most ${limits.devices} devices`);
      }
      const content = contentOf(command);
      if (isRejection(content)) return content;
      const { name, protocol, native, radio } = command;
      const refusal = tooLong("name", name);
      if (refusal !== undefined) return refusal;
      const former = command.device === undefined ? undefined : world.get("binding", command.device);
      const isSame = former?.removed === true && former.protocol === protocol && former.native === native;
      const id = isSame ? former.id : world.newId();
      return [
        { type: "DeviceAdded", id, name, ...content } satisfies DeviceEvent,
        { type: "DeviceBound", id, protocol, native, radio } satisfies BindingEvent,
      ];
    }
    if (command.type === "NOTE_UI_DEVICE") return decideUiDevice(command, world);
    if (state === undefined) return reject("not-found", `no device ${command.id}`, "id");
    return decideOn(command, state, world);
  },

  evolve(state, event, timestamp) {
    if (event.type === "DeviceAdded") return newDevice(event, timestamp);
    if (state === undefined) return undefined;
    switch (event.type) {
      case "DeviceReported":
        return { ...state, state: reportedState(state, event), timestamp };
      case "DeviceDescribed":
        return { ...described(state, event), timestamp };
      case "DeviceRenamed":
        return { ...state, name: event.name, timestamp };
      case "DeviceMoved":
        return { ...state, room: event.room, timestamp };
      case "DeviceZonesSet":
        return { ...state, zones: event.zones, timestamp };
      case "DeviceVisibilitySet":
        return { ...state, visible: event.visible, timestamp };
      case "DeviceHotWaterSet":
        return { ...state, hotWater: event.hotWater, timestamp };
      case "DeviceLockSet":
        return { ...state, rwx: event.locked ? lockedRwx : unlockedRwx, timestamp };
      case "DeviceAccessSet":
        return { ...state, rwx: event.rwx, timestamp };
      case "DeviceAwayThresholdSet":
        return { ...state, awayThreshold: event.awayThreshold, timestamp } as Device;
      case "DeviceGroupsChanged":
        return { ...state, groups: event.groups, timestamp };
      case "DeviceReplaced":
        return { ...state, timestamp };
      case "DeviceRemoved":
        return undefined;
    }
  },
};

function reportedState(before: Device, event: DeviceReported): Device["state"] {
  const lastSeen = Math.max(heardAt(event), lastSeenOf(before)) || null;
  // One copy: every report of every device passes here, and most have no extras.
  if (before.state["extras"] === undefined) return { ...before.state, ...event.attributes, lastSeen };
  return { ...withShown(before.state, event.attributes), lastSeen };
}

/** A device that is reported unreachable was not heard of. */
function decideOn(
  command: Exclude<DeviceCommand, { type: "ADD_DEVICE" | "NOTE_UI_DEVICE" }>,
  state: Device,
  world: World,
): Decision<DeviceEvent> {
  const { id } = state;
  switch (command.type) {
    case "CMD_DEVICE":
      return issue(state, command.state ?? command.payload ?? {}, null, world);
    case "CMD_DEVICE_ON":
    case "CMD_DEVICE_OFF":
      if (!state.capabilities.values.includes("ON_OFF"))
        return reject("invalid", "the device has no ON_OFF", "id");
      return issue(state, { isOn: command.type === "CMD_DEVICE_ON" }, null, world);
    case "CMD_DEVICE_META":
      return decideMeta(state, command, world);
    case "CMD_DEVICE_VISIBLE":
    case "CMD_DEVICE_LOCK":
      return decideRights(state, command);
    case "CMD_DEVICE_ACCESS":
      if (command.rwx === state.rwx) return [];
      return [{ type: "DeviceAccessSet", id, rwx: command.rwx } satisfies DeviceEvent];
    case "CMD_IDENTIFY":
      if (!state.capabilities.values.includes("IDENTIFY"))
        return reject("invalid", "the device has no IDENTIFY", "id");
      return issueAction(state, "identify", world);
    case "CMD_REFRESH_DEVICE":
      return issueAction(state, "refresh", world);
    case "CMD_SNAPSHOT":
      if (state.type !== "CAMERA") return reject("invalid", "the device is no CAMERA", "id");
      return issueAction(state, "snapshot", world);
    case "DESCRIBE_DEVICE": {
      const content = contentOf(command);
      if (isRejection(content)) return content;
      const event: DeviceEvent = { type: "DeviceDescribed", id, ...content };
      return JSON.stringify(described(state, event)) === JSON.stringify(state) ? [] : [event];
    }
    case "REPORT_DEVICE": {
      const attributes = reportedChanges(state, command.attributes, command.at);
      if (Object.keys(attributes).length === 0) return [];
      return [{ type: "DeviceReported", id, attributes, at: command.at } satisfies DeviceEvent];
    }
    case "REMOVE_DEVICE":
    case "CMD_IGNORE_DEVICE": {
      if (isLocked(state)) return reject("forbidden", "the device is locked", "id");
      const removed: DeviceEvent = { type: "DeviceRemoved", id, groups: state.groups };
      const unbound: BindingEvent = { type: "DeviceUnbound", id };
      if (command.type === "REMOVE_DEVICE") return [removed, unbound];
      return [removed, unbound, { type: "DeviceIgnored", id } satisfies BindingEvent];
    }
    case "CMD_REPLACE_DEVICE":
      return decideReplacement(command, state, world);
    case "JOIN_GROUP":
      if (state.groups.includes(command.group)) return [];
      return [
        { type: "DeviceGroupsChanged", id, groups: [...state.groups, command.group] } satisfies DeviceEvent,
      ];
    case "LEAVE_GROUP": {
      if (!state.groups.includes(command.group)) return [];
      const groups = state.groups.filter((group) => group !== command.group);
      return [{ type: "DeviceGroupsChanged", id, groups } satisfies DeviceEvent];
    }
  }
}

function decideMeta(
  state: Device,
  command: Type.Static<typeof CmdDeviceMeta>,
  world: World,
): readonly DeviceEvent[] | Rejection {
  const { id } = state;
  const events: DeviceEvent[] = [];
  const name = command.name ?? state.name;
  if (name !== state.name) events.push({ type: "DeviceRenamed", id, name });
  const room = command.room ?? state.room;
  const unknown = room.find((roomId) => world.get("room", roomId) === undefined);
  if (unknown !== undefined) return reject("invalid", `no room ${unknown}`, "room");
  if (!isSameList(room, state.room)) events.push({ type: "DeviceMoved", id, room });
  const zones = command.zones ? [...new Set(command.zones)] : state.zones;
  const noZone = zones.find((zone) => world.get("zone", zone) === undefined);
  if (noZone !== undefined) return reject("invalid", `no zone ${noZone}`, "zones");
  if (!isSameList(zones, state.zones)) events.push({ type: "DeviceZonesSet", id, zones });
  const { hotWater = null, awayThreshold = null } = command;
  if (hotWater !== null && hotWater !== state.hotWater)
    events.push({ type: "DeviceHotWaterSet", id, hotWater });
  if (awayThreshold !== null && state.type !== "UI_DEVICE")
    return reject("invalid", "the device is no UI_DEVICE", "awayThreshold");
  if (awayThreshold !== null && awayThreshold !== awayThresholdOf(state))
    events.push({ type: "DeviceAwayThresholdSet", id, awayThreshold });
  return [...events, ...decideRights(state, command)];
}

/** The rights that the owner sets: who sees the device, and whether it can be removed and configured. */
function decideRights(
  state: Device,
  wanted: { readonly visible?: boolean | null; readonly locked?: boolean | null },
): DeviceEvent[] {
  const { id } = state;
  const events: DeviceEvent[] = [];
  const visible = wanted.visible ?? state.visible;
  if (visible !== state.visible) events.push({ type: "DeviceVisibilitySet", id, visible });
  return [...events, ...locked(state, wanted.locked ?? isLocked(state))];
}

/** Locks or unlocks a device. */
export function locked(state: Device, wanted: boolean): DeviceEvent[] {
  return isLocked(state) === wanted ? [] : [{ type: "DeviceLockSet", id: state.id, locked: wanted }];
}
