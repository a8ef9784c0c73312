import type { Kernel } from "@ledge/kernel";
import type { DomainEvent, Reaction, States } from "@ledge/model";
import { grantableRoles, idsOf } from "@ledge/model";
import type { About, AnyCommand } from "./random-configuration.ts";
import {
  chosen,
  configurationMoves,
  configurationOf,
  isConfiguration,
  some,
  userIds,
} from "./random-configuration.ts";
import { isPairing, pairingMoves, pairingOf } from "./random-pairing.ts";
import { isUpkeep, upkeepMoves, upkeepOf } from "./random-upkeep.ts";

/** What can happen to a home. Numbers select the object and the value. */
export const moveNames = [
  "add room",
  "rename room",
  "order room",
  "remove room",
  "add device",
  "describe device",
  "report",
  "hide or show device",
  "put device into room",
  "remove device",
  "add group",
  "change group",
  "switch group",
  "remove group",
  ...configurationMoves,
  ...pairingMoves,
  ...upkeepMoves,
  "add user",
  "change role",
  "connect user",
  "set timer",
  "set alarm clock",
  "cancel timer",
  "settle command",
  "note seen",
  "store value",
  "note adapter",
] as const;

export interface Move {
  readonly name: (typeof moveNames)[number];
  /** Selects one of the existing objects. */
  readonly pick: number;
  readonly value: number;
}

const timerIds = ["timer-0", "timer-1", "timer-2", "timer-3"] as const;
const protocols = ["sim", "modbus"] as const;

/** Returns the command of a move in the current home; undefined when there is no object for it. */
export function commandOf(
  { name, pick, value }: Move,
  kernel: Pick<Kernel, "all" | "timestamp">,
): AnyCommand | undefined {
  const id = (kind: keyof States): string | undefined => chosen(idsOf(kind, kernel), pick);
  const about: About = (kind: keyof States, command: AnyCommand): AnyCommand | undefined => {
    const target = id(kind);
    return target === undefined ? undefined : { ...command, id: target };
  };
  if (isPairing(name)) return pairingOf(name, pick, value, kernel, about);
  if (isUpkeep(name)) return upkeepOf(name, value, kernel, about);
  if (isConfiguration(name)) return configurationOf(name, pick, value, kernel, about);
  switch (name) {
    case "add room":
      return { type: "CMD_ROOM", name: `Room ${value}` };
    case "rename room":
      return about("room", { type: "CMD_ROOM", name: `Renamed ${value % 5}` });
    case "order room":
      return about("room", { type: "CMD_SET_ROOM_ORDER", order: value % 10 });
    case "remove room":
      return about("room", { type: "REMOVE_ROOM" });
    case "add device":
      return { type: "ADD_DEVICE", name: `Lamp ${value}`, ...native(value), ...content(value) };
    case "describe device":
      return about("device", { type: "DESCRIBE_DEVICE", ...content(value) });
    case "report":
      return about("device", { type: "REPORT_DEVICE", attributes: attributes(value), at: kernel.timestamp });
    case "hide or show device":
      return about("device", { type: "CMD_DEVICE_VISIBLE", visible: value % 2 === 0 });
    case "put device into room": {
      const room = chosen(idsOf("room", kernel), value);
      return about("device", { type: "CMD_DEVICE_META", room: room === undefined ? [] : [room] });
    }
    case "remove device":
      return about("device", { type: "REMOVE_DEVICE" });
    case "add group":
      return { type: "CMD_GROUP", name: `Group ${value}`, members: some(idsOf("device", kernel), value) };
    case "change group":
      return about("group", { type: "CMD_GROUP", members: some(idsOf("device", kernel), value) });
    case "switch group":
      return about("group", { type: value % 2 === 0 ? "CMD_GROUP_ON" : "CMD_GROUP_OFF" });
    case "remove group":
      return about("group", { type: "REMOVE_GROUP" });
    case "add user":
      return { type: "ADD_USER", id: chosen(userIds, pick), ...profile, role: role(value) };
    case "change role":
      return about("user", { type: "SET_USER_ROLE", role: role(value) });
    case "connect user":
      return about("user", { type: "SET_USER_CONNECTED", connected: value % 2 === 0 });
    case "set timer":
      return { type: "SET_TIMER", id: chosen(timerIds, pick), durationMs: value * 37, ...late(value) };
    case "set alarm clock": {
      const due = kernel.timestamp + value * 41;
      return { type: "SET_TIMER_AT", id: chosen(timerIds, pick), due, ...late(value) };
    }
    case "cancel timer":
      return { type: "CANCEL_TIMER", id: chosen(timerIds, pick) };
    case "settle command":
      return about("command", settled(value));
    case "note seen":
      return {
        type: "NOTE_SEEN",
        at: Object.fromEntries(idsOf("device", kernel).map((key) => [key, value])),
      };
    case "store value":
      return { type: "STORE_VALUE", id: chosen(protocols, pick), key: `k${value % 3}`, value: { value } };
    case "note adapter":
      return { type: "NOTE_ADAPTER", id: chosen(protocols, pick), ...adapter(value) };
  }
}

function settled(number: number): AnyCommand {
  const failure = { type: "NOTE_COMMAND_FAILED", code: "timeout", message: "no answer" };
  return chosen([{ type: "NOTE_COMMAND_DONE" }, { type: "EXPIRE_COMMAND" }, failure], number) ?? failure;
}

const profile = { email: "u@example.org", nickname: "U", phone: null };

function role(number: number): number {
  return chosen([...grantableRoles], number) ?? 0;
}

function native(number: number) {
  return { protocol: "sim", native: `${number}`, radio: "sim" };
}

function content(number: number) {
  const capabilities = ["DEVICE", "ON_OFF", ...(number % 2 === 0 ? ["BRIGHTNESS", "UPGRADE"] : [])];
  return { class: "LIGHT", capabilities, manufacturer: null, model: `M${number % 3}`, extras: {} };
}

function attributes(number: number): object {
  if (number % 3 === 0) return { isOn: number % 2 === 0 };
  return number % 3 === 1 ? { brightness: (number % 11) / 10 } : { reachable: number % 2 === 0 };
}

function late(number: number): object {
  return [{ late: "fire" }, { late: "skip", lateMaxMs: 60_000 }, { late: "recheck" }][number % 3] ?? {};
}

function adapter(number: number): object {
  const state = chosen(["running", "failed", "resting", "stopped"], number);
  return { state, reason: number % 2 === 0 ? "because" : null };
}

const join = (id: string, group: string): AnyCommand => ({ type: "JOIN_GROUP", id, group });
const leave = (id: string, group: string): AnyCommand => ({ type: "LEAVE_GROUP", id, group });

interface Membership extends DomainEvent {
  readonly members: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly groups: readonly string[];
}

/** Maintains the references in a random home, as the hub's reactions do. */
export const homeReactions: readonly Reaction[] = [
  {
    name: "references",
    on: [
      "GroupCreated",
      "GroupMembersChanged",
      "GroupRemoved",
      "DeviceRemoved",
      "RoomRemoved",
      "ZoneRemoved",
      "SceneTurnedOn",
    ],
    react(happened, read) {
      const { type, id, members, added, removed, groups } = happened as Membership;
      const drop = (group: string): AnyCommand => ({ type: "DROP_MEMBER", id: group, device: id });
      if (type === "GroupCreated") return members.map((device) => join(device, id));
      if (type === "GroupRemoved") return members.map((device) => leave(device, id));
      if (type === "DeviceRemoved") {
        const dropTarget = (scene: string): AnyCommand => ({ type: "DROP_TARGET", id: scene, device: id });
        return [...groups.map(drop), ...[...read.all("scene")].map(([scene]) => dropTarget(scene))];
      }
      if (type === "ZoneRemoved") {
        return [...read.all("device")].map(([device, { zones }]): AnyCommand => {
          return { type: "CMD_DEVICE_META", id: device, zones: zones.filter((zone) => zone !== id) };
        });
      }
      if (type === "GroupMembersChanged") {
        return [...added.map((device) => join(device, id)), ...removed.map((device) => leave(device, id))];
      }
      if (type === "SceneTurnedOn") return [{ type: "ACTIVATE", id }];
      const inside = [...read.all("device")].filter(([, { room }]) => room.includes(id));
      return inside.map(([device]): AnyCommand => ({ type: "CMD_DEVICE_META", id: device, room: [] }));
    },
  },
];
