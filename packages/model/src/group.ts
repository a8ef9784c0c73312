import Type from "typebox";
import type { Decider, Reader, Rejection, World } from "./decider.ts";
import { isRejection, reject } from "./decider.ts";
import type { DeviceReported } from "./device-events.ts";
import type { Device } from "./device-object.ts";
import { issue } from "./issue.ts";
import type { DomainEvent, EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import { limits } from "./limits.ts";
import { Id, isSameList, Name, RoomList, unchangedIfNull } from "./schema.ts";

/** GROUP (hub-api 2.6). */
export const Group = Type.Object({
  type: Type.Literal("GROUP"),
  id: Id,
  name: Name,
  members: Type.Array(Id),
  room: Type.Array(Id),
  /** The address at which a radio that can groupcast reaches all of its members with one frame (wire-facts 3). */
  group_address: Type.Optional(Type.Integer()),
  timestamp: Type.Integer(),
});
export type Group = Type.Static<typeof Group>;

declare module "./states.ts" {
  interface States {
    group: Group;
  }
}

const Members = Type.Array(Id, { maxItems: limits.groupMembers });

/** CMD_GROUP (hub-api 2.6); without an id it creates a group. */
export const CmdGroup = Type.Object({
  type: Type.Literal("CMD_GROUP"),
  id: unchangedIfNull(Id),
  name: unchangedIfNull(Name),
  members: unchangedIfNull(Members),
  room: unchangedIfNull(RoomList),
});
export const CmdGroupOn = Type.Object({ type: Type.Literal("CMD_GROUP_ON"), id: Id });
export const CmdGroupOff = Type.Object({ type: Type.Literal("CMD_GROUP_OFF"), id: Id });

/** Marks a guest's command, which skips hidden members. */
export interface ByGuest {
  readonly byGuest?: boolean;
}

export type GroupCommand =
  | Type.Static<typeof CmdGroup>
  | (Type.Static<typeof CmdGroupOn> & ByGuest)
  | (Type.Static<typeof CmdGroupOff> & ByGuest)
  /** CMD_DEVICE with a group's id (hub-api 4.3). */
  | ({ type: "SET_GROUP_STATE"; id: string; state: Readonly<Record<string, unknown>> } & ByGuest)
  | { type: "DROP_MEMBER"; id: string; device: string }
  | { type: "CLEAR_GROUP_ROOM"; id: string }
  /** Creates a group that another program has put on the radio, with the address that it has there. */
  | { type: "IMPORT_GROUP"; name: string; members: readonly string[]; address: number }
  /** Gives a group its address on the radio, once. */
  | { type: "ADDRESS_GROUP"; id: string }
  | { type: "REMOVE_GROUP"; id: string };

const Ids = Type.Array(Type.String());
const GroupCreated = defineEvent("GroupCreated", 1, { name: Type.String(), members: Ids, room: Ids });
const GroupRenamed = defineEvent("GroupRenamed", 1, { name: Type.String() });
const GroupMembersChanged = defineEvent("GroupMembersChanged", 1, { members: Ids, added: Ids, removed: Ids });
const GroupMoved = defineEvent("GroupMoved", 1, { room: Ids });
const GroupAddressed = defineEvent("GroupAddressed", 1, { address: Type.Integer() });
const GroupRemoved = defineEvent("GroupRemoved", 1, { members: Ids });

export type GroupEvent =
  | EventOf<typeof GroupCreated>
  | EventOf<typeof GroupRenamed>
  | EventOf<typeof GroupMembersChanged>
  | EventOf<typeof GroupMoved>
  | EventOf<typeof GroupAddressed>
  | EventOf<typeof GroupRemoved>;

/** Groups of devices. */
export const group: Decider<Group, GroupCommand, GroupEvent> = {
  kind: "group",
  commands: [
    "CMD_GROUP",
    "IMPORT_GROUP",
    "CMD_GROUP_ON",
    "CMD_GROUP_OFF",
    "SET_GROUP_STATE",
    "DROP_MEMBER",
    "CLEAR_GROUP_ROOM",
    "ADDRESS_GROUP",
    "REMOVE_GROUP",
  ],
  events: [GroupCreated, GroupRenamed, GroupMembersChanged, GroupMoved, GroupAddressed, GroupRemoved],
  delta: {
    type: "GROUP_DELTA",
    hidesFromGuests: true,
    render: (state, { read, timestamp, forGuests }) => ({
      ...state,
      ...derived(state, read, forGuests),
      timestamp,
    }),
    dependents: groupsShowing,
  },

  target: (command) => (command.type === "IMPORT_GROUP" ? undefined : (command.id ?? undefined)),

  decide(command, state, world) {
    if (command.type === "IMPORT_GROUP") return imported(command, world);
    if (command.type === "CMD_GROUP" && (command.id ?? undefined) === undefined)
      return create(command, world);
    if (state === undefined) return reject("not-found", `no group ${command.id}`, "id");
    const { id } = state;
    switch (command.type) {
      case "CMD_GROUP":
        return change(state, command, world);
      case "CMD_GROUP_ON":
        return issueToMembers(state, { isOn: true }, command, world);
      case "CMD_GROUP_OFF":
        return issueToMembers(state, { isOn: false }, command, world);
      case "SET_GROUP_STATE":
        return issueToMembers(state, command.state, command, world);
      case "DROP_MEMBER":
        return membersChanged(
          state,
          state.members.filter((member) => member !== command.device),
        );
      case "CLEAR_GROUP_ROOM":
        return state.room.length === 0 ? [] : [{ type: "GroupMoved", id, room: [] } satisfies GroupEvent];
      case "ADDRESS_GROUP":
        if (state.group_address !== undefined) return [];
        return [{ type: "GroupAddressed", id, address: freeAddress(world) } satisfies GroupEvent];
      case "REMOVE_GROUP":
        return [{ type: "GroupRemoved", id, members: state.members } satisfies GroupEvent];
    }
  },

  evolve(state, event, timestamp) {
    if (event.type === "GroupCreated") {
      const { id, name, members, room } = event;
      return { type: "GROUP", id, name, members, room, timestamp };
    }
    if (state === undefined) return undefined;
    switch (event.type) {
      case "GroupRenamed":
        return { ...state, name: event.name, timestamp };
      case "GroupMembersChanged":
        return { ...state, members: event.members, timestamp };
      case "GroupMoved":
        return { ...state, room: event.room, timestamp };
      case "GroupAddressed":
        return { ...state, group_address: event.address, timestamp };
      case "GroupRemoved":
        return undefined;
    }
  },
};

type CmdGroup = Type.Static<typeof CmdGroup>;

/** Decides nothing for a group that was imported before: it has the name and the address. */
function imported(
  { name, members, address }: Extract<GroupCommand, { type: "IMPORT_GROUP" }>,
  world: World,
): readonly GroupEvent[] | Rejection {
  const holder = [...world.all("group")].find(([, { group_address }]) => group_address === address)?.[1];
  if (holder?.name === name) return [];
  const created = create({ type: "CMD_GROUP", name, members: [...members] }, world);
  const [event] = isRejection(created) ? [] : created;
  if (event === undefined || holder !== undefined) return created;
  return [event, { type: "GroupAddressed", id: event.id, address }];
}

function create(
  command: Pick<CmdGroup, "type" | "name" | "members" | "room">,
  world: World,
): readonly GroupEvent[] | Rejection {
  const name = command.name ?? undefined;
  if (name === undefined) return reject("invalid", "a new group needs a name", "name");
  if (world.size("group") >= limits.groups) return reject("invalid", `at most ${limits.groups} groups`);
  const members = [...new Set(command.members)];
  const room = command.room ?? [];
  return misses(members, room, world) ?? [{ type: "GroupCreated", id: world.newId(), name, members, room }];
}

function change(state: Group, command: CmdGroup, world: World): readonly GroupEvent[] | Rejection {
  const { id } = state;
  const members = command.members ? [...new Set(command.members)] : state.members;
  const room = command.room ?? state.room;
  const missing = misses(members, room, world);
  if (missing !== undefined) return missing;
  const events: GroupEvent[] = [];
  const name = command.name ?? state.name;
  if (name !== state.name) events.push({ type: "GroupRenamed", id, name });
  events.push(...membersChanged(state, members));
  if (!isSameList(room, state.room)) events.push({ type: "GroupMoved", id, room });
  return events;
}

function misses(members: readonly string[], room: readonly string[], world: World): Rejection | undefined {
  const device = members.find((member) => world.get("device", member) === undefined);
  if (device !== undefined) return reject("invalid", `no device ${device}`, "members");
  const unknown = room.find((id) => world.get("room", id) === undefined);
  return unknown === undefined ? undefined : reject("invalid", `no room ${unknown}`, "room");
}

function membersChanged(state: Group, members: string[]): GroupEvent[] {
  if (isSameList(members, state.members)) return [];
  const added = members.filter((member) => !state.members.includes(member));
  const removed = state.members.filter((member) => !members.includes(member));
  return [{ type: "GroupMembersChanged", id: state.id, members, added, removed }];
}

/**
 * Returns the address after the highest while there is one: a device that was unreachable when its group was
 * removed still listens to the old address.
 */
function freeAddress(world: World): number {
  const taken = new Set<number>();
  for (const [, { group_address: address }] of world.all("group"))
    if (address !== undefined) taken.add(address);
  const next = Math.max(0, ...taken) + 1;
  if (next <= limits.groupAddress) return next;
  let free = 1;
  while (taken.has(free)) free += 1;
  return free;
}

/** Sends a command to each member that can do it; refuses it when no member can. */
function issueToMembers(
  state: Group,
  requested: Readonly<Record<string, unknown>>,
  { byGuest = false }: ByGuest,
  world: World,
): readonly DomainEvent[] | Rejection {
  const events: DomainEvent[] = [];
  let refused: Rejection | undefined;
  for (const device of shownMembers(state, world, byGuest)) {
    const decision = issue(device, requested, state.id, world);
    if ("rejected" in decision) refused ??= decision;
    else events.push(...decision);
  }
  if (events.length > 0) return events;
  return refused ?? reject("wrong-state", "the group has no members", "id");
}

/** Yields the existing members in order, without those that guests may not see. */
function* shownMembers(
  { members }: Group,
  read: Pick<Reader, "get">,
  forGuests: boolean,
): Generator<Device, void> {
  for (const id of members) {
    const device = read.get("device", id);
    if (device !== undefined && isShown(device, forGuests)) yield device;
  }
}

function isShown(device: Device, forGuests: boolean): boolean {
  return device.visible || !forGuests;
}

/** Returns the member whose state a group shows: the first reachable one, else the first. */
function shownMember(state: Group, read: Reader, forGuests: boolean): Device | undefined {
  let first: Device | undefined;
  for (const device of shownMembers(state, read, forGuests)) {
    if (device.state["reachable"] === true) return device;
    first ??= device;
  }
  return first;
}

function derived(state: Group, read: Reader, forGuests: boolean): object {
  const members = [...shownMembers(state, read, forGuests)];
  const counts = new Map<string, number>();
  for (const { capabilities } of members)
    for (const capability of capabilities.values) counts.set(capability, (counts.get(capability) ?? 0) + 1);
  const union = [...counts.keys()].toSorted();
  const shared = union.filter((capability) => counts.get(capability) === members.length);
  return {
    ...(forGuests && { members: members.map(({ id }) => id) }),
    state: shownMember(state, read, forGuests)?.state ?? null,
    maxCapabilities: { type: "SET", values: union },
    minCapabilities: { type: "SET", values: shared },
  };
}

/**
 * Returns the groups that change for clients with a device's event. A report matters when the device is the
 * one whose state is shown; a change of `reachable` may choose another.
 */
function groupsShowing(event: DomainEvent, read: Reader, forGuests: boolean): readonly string[] {
  if (event.type === "DeviceVisibilitySet") return forGuests ? groupsOf(event.id, read) : [];
  if (event.type !== "DeviceReported" && event.type !== "DeviceDescribed") return [];
  const device = read.get("device", event.id);
  if (device === undefined || !isShown(device, forGuests)) return [];
  if (event.type === "DeviceDescribed") return device.groups;
  if ("reachable" in (event as DeviceReported).attributes) return device.groups;
  return device.groups.filter((id) => {
    const state = read.get("group", id);
    return state !== undefined && shownMember(state, read, forGuests)?.id === device.id;
  });
}

function groupsOf(device: string, read: Reader): readonly string[] {
  return read.get("device", device)?.groups ?? [];
}
