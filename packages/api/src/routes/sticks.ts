import { type Command, limits } from "@ledge/model";
import Type from "typebox";
import { refusedToAdmins } from "../premium.ts";
import { Refused } from "../refused.ts";
import { row } from "../row.ts";
import { submitFor } from "../submit.ts";

const Text = Type.Union([Type.String(), Type.Null()]);
const SerialStick = Type.Object({
  type: Type.Literal("SERIAL_STICK"),
  port: Type.String({
    description: "what it is opened by, or tcp://host:port, or esphome://host:port for Z-Wave",
  }),
  node: Text,
  isThere: Type.Union([Type.Boolean(), Type.Null()]),
  model: Text,
  certainty: Type.Union([Type.Literal("sure"), Type.Literal("likely"), Type.Literal("unsure"), Type.Null()]),
  protocol: Text,
  driver: Text,
  vendorId: Text,
  productId: Text,
  manufacturer: Text,
  product: Text,
  serialNumber: Text,
  usedBy: Text,
});

const Word = Type.String({ minLength: 1, maxLength: limits.idChars });
const Wanted = Type.Object({
  port: Type.String({ minLength: 1, maxLength: limits.serialPathChars }),
  protocol: Word,
  driver: Type.Optional(Word),
  baudRate: Type.Optional(Type.Integer({ minimum: 300, maximum: 4_000_000 })),
  rtscts: Type.Optional(Type.Boolean()),
});

/** Which radio an adapter has is set up like a serial port: by the owner alone where PREMIUM is on. */
const owners = "chooses radios";

export const sticks = [
  row({
    method: "GET",
    path: "/hub/sticks",
    summary: "Serial ports, what is taken to be at each, and which adapter uses it",
    access: "USER_ADMIN",
    result: Type.Array(SerialStick),
    handle: async ({ hub }) =>
      (await hub.sticks.list()).map((stick) => ({ type: "SERIAL_STICK" as const, ...stick })),
  }),
  row({
    method: "POST",
    path: "/hub/stick",
    summary: "Gives an adapter a stick, or one at tcp://host:port; the owner alone where PREMIUM is on",
    access: "USER_ADMIN",
    body: Wanted,
    result: Type.Literal(true),
    async handle(call) {
      const refused = refusedToAdmins(call, owners);
      if (refused !== undefined) return refused;
      const command = await call.hub.sticks.taking(call.body);
      return command instanceof Refused ? command : submitFor(call, [command], true as const);
    },
  }),
  row({
    method: "DELETE",
    path: "/hub/stick",
    summary:
      "Takes its stick from an adapter, which has that of the profile again; the owner alone where PREMIUM is on",
    access: "USER_ADMIN",
    query: Type.Object({ protocol: Word }),
    result: Type.Literal(true),
    handle: (call) =>
      refusedToAdmins(call, owners) ??
      submitFor(call, [{ type: "GIVE_UP_STICK", id: call.query.protocol } as Command], true as const),
  }),
];
