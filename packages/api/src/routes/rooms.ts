import { CmdRoom, CmdSetRoomOrder, type Command, Id, Room } from "@ledge/model";
import Type from "typebox";
import { notFound, Refused } from "../refused.ts";
import { row } from "../row.ts";
import { submit, submitFor } from "../submit.ts";

export const rooms = [
  row({
    method: "GET",
    path: "/rooms",
    summary: "Rooms by id, all or one",
    access: "GUEST",
    past: "IDENTIFIED_USER",
    query: Type.Object({ roomId: Type.Optional(Type.String()) }),
    result: Type.Record(Type.String(), Room),
    handle({ caller, query: { roomId }, language, hub: { kernel } }) {
      if (roomId === undefined) return kernel.dictionary("room", caller, language);
      if (!kernel.readable("room", roomId, caller)) return notFound(`no room ${roomId}`);
      return kernel.dictionary("room", caller, language, [roomId]);
    },
  }),
  row({
    method: "PUT",
    path: "/rooms",
    summary: "Creates and changes rooms; answers for each whether it was done",
    access: "IDENTIFIED_USER",
    body: CmdRoom,
    list: true,
    result: Type.Array(Type.Boolean()),
    async handle(call) {
      const results = await submit(call, call.body, true);
      return results instanceof Refused ? results : results.map(({ rejection }) => rejection === undefined);
    },
  }),
  row({
    method: "PUT",
    path: "/rooms/order",
    summary: "Puts rooms into an order",
    access: "IDENTIFIED_USER",
    body: CmdSetRoomOrder,
    list: true,
    result: Type.Literal(true),
    handle: (call) => submitFor(call, call.body, true as const),
  }),
  row({
    method: "DELETE",
    path: "/rooms",
    summary: "Removes a room",
    access: "IDENTIFIED_USER",
    query: Type.Object({ roomId: Id }),
    result: Type.Literal(true),
    handle: (call) =>
      submitFor(call, [{ type: "REMOVE_ROOM", id: call.query.roomId } as Command], true as const),
  }),
];
