import Type from "typebox";
import type { Decider } from "./decider.ts";
import { reject } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import { limits } from "./limits.ts";
import { Id, Name, unchangedIfNull } from "./schema.ts";

/** ROOM (hub-api 2.9). */
export const Room = Type.Object({
  type: Type.Literal("ROOM"),
  id: Id,
  name: Name,
  order: Type.Integer(),
  status: Type.Object({ type: Type.Literal("ROOM_STATUS"), id: Id }),
  timestamp: Type.Integer(),
});
export type Room = Type.Static<typeof Room>;

declare module "./states.ts" {
  interface States {
    room: Room;
  }
}

const Order = Type.Integer({ minimum: 0, maximum: limits.roomOrder });

/** CMD_ROOM (hub-api 2.9); without an id it creates a room. */
export const CmdRoom = Type.Object({
  type: Type.Literal("CMD_ROOM"),
  id: unchangedIfNull(Id),
  name: unchangedIfNull(Name),
  order: unchangedIfNull(Order),
});
/** CMD_SET_ROOM_ORDER (hub-api 2.9). */
export const CmdSetRoomOrder = Type.Object({
  type: Type.Literal("CMD_SET_ROOM_ORDER"),
  id: Id,
  order: Order,
});
const RemoveRoom = Type.Object({ type: Type.Literal("REMOVE_ROOM"), id: Id });

export type RoomCommand =
  | Type.Static<typeof CmdRoom>
  | Type.Static<typeof CmdSetRoomOrder>
  | Type.Static<typeof RemoveRoom>;

const RoomCreated = defineEvent("RoomCreated", 1, { name: Type.String(), order: Type.Integer() });
const RoomRenamed = defineEvent("RoomRenamed", 1, { name: Type.String() });
const RoomOrdered = defineEvent("RoomOrdered", 1, { order: Type.Integer() });
const RoomRemoved = defineEvent("RoomRemoved", 1, {});

export type RoomEvent =
  | EventOf<typeof RoomCreated>
  | EventOf<typeof RoomRenamed>
  | EventOf<typeof RoomOrdered>
  | EventOf<typeof RoomRemoved>;

export const room: Decider<Room, RoomCommand, RoomEvent> = {
  kind: "room",
  commands: ["CMD_ROOM", "CMD_SET_ROOM_ORDER", "REMOVE_ROOM"],
  events: [RoomCreated, RoomRenamed, RoomOrdered, RoomRemoved],
  delta: { type: "ROOM_DELTA" },

  target: (command) => command.id ?? undefined,

  decide(command, state, world) {
    if (command.type === "CMD_ROOM" && (command.id === null || command.id === undefined)) {
      if (command.name === null || command.name === undefined) {
        return reject("invalid", "a new room needs a name", "name");
      }
      if (world.size("room") >= limits.rooms) return reject("invalid", `at most ${limits.rooms} rooms`);
      const order = command.order ?? nextOrder(world.all("room"));
      return [{ type: "RoomCreated", id: world.newId(), name: command.name, order } satisfies RoomEvent];
    }
    if (state === undefined) return reject("not-found", `no room ${command.id}`, "id");
    const { id } = state;
    if (command.type === "REMOVE_ROOM") return [{ type: "RoomRemoved", id } satisfies RoomEvent];
    const events: RoomEvent[] = [];
    if (command.type === "CMD_ROOM" && (command.name ?? state.name) !== state.name) {
      events.push({ type: "RoomRenamed", id, name: command.name as string });
    }
    if ((command.order ?? state.order) !== state.order) {
      events.push({ type: "RoomOrdered", id, order: command.order as number });
    }
    return events;
  },

  evolve(state, event, timestamp) {
    if (event.type === "RoomCreated") {
      const { id, name, order } = event;
      return { type: "ROOM", id, name, order, status: { type: "ROOM_STATUS", id }, timestamp };
    }
    if (state === undefined) return undefined;
    switch (event.type) {
      case "RoomRenamed":
        return { ...state, name: event.name, timestamp };
      case "RoomOrdered":
        return { ...state, order: event.order, timestamp };
      case "RoomRemoved":
        return undefined;
    }
  },
};

function nextOrder(rooms: Iterable<[string, Room]>): number {
  let highest = -1;
  for (const [, { order }] of rooms) highest = Math.max(highest, order);
  return Math.min(highest + 1, limits.roomOrder);
}
