import Type from "typebox";
import type { Decider } from "./decider.ts";
import { reject } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import { limits } from "./limits.ts";
import { Id, Name, unchangedIfNull } from "./schema.ts";

/** ZONE (hub-api 2.2): a part of the home that goes across rooms; a device may be in several. */
export const Zone = Type.Object({
  type: Type.Literal("ZONE"),
  id: Id,
  name: Name,
  timestamp: Type.Integer(),
});
export type Zone = Type.Static<typeof Zone>;

declare module "./states.ts" {
  interface States {
    zone: Zone;
  }
}

/** CMD_ZONE, like CMD_ROOM; without an id it creates a zone. */
export const CmdZone = Type.Object({
  type: Type.Literal("CMD_ZONE"),
  id: unchangedIfNull(Id),
  name: unchangedIfNull(Name),
});

export type ZoneCommand = Type.Static<typeof CmdZone> | { type: "REMOVE_ZONE"; id: string };

const ZoneCreated = defineEvent("ZoneCreated", 1, { name: Type.String() });
const ZoneRenamed = defineEvent("ZoneRenamed", 1, { name: Type.String() });
const ZoneRemoved = defineEvent("ZoneRemoved", 1, {});

export type ZoneEvent =
  | EventOf<typeof ZoneCreated>
  | EventOf<typeof ZoneRenamed>
  | EventOf<typeof ZoneRemoved>;

export const zone: Decider<Zone, ZoneCommand, ZoneEvent> = {
  kind: "zone",
  commands: ["CMD_ZONE", "REMOVE_ZONE"],
  events: [ZoneCreated, ZoneRenamed, ZoneRemoved],
  delta: { type: "ZONE_DELTA" },

  target: (command) => command.id ?? undefined,

  decide(command, state, world) {
    const name = command.type === "CMD_ZONE" ? (command.name ?? undefined) : undefined;
    if (command.type === "CMD_ZONE" && (command.id ?? undefined) === undefined) {
      if (name === undefined) return reject("invalid", "a new zone needs a name", "name");
      if (world.size("zone") >= limits.zones) return reject("invalid", `at most ${limits.zones} zones`);
      return [{ type: "ZoneCreated", id: world.newId(), name } satisfies ZoneEvent];
    }
    if (state === undefined) return reject("not-found", `no zone ${command.id}`, "id");
    const { id } = state;
    if (command.type === "REMOVE_ZONE") return [{ type: "ZoneRemoved", id } satisfies ZoneEvent];
    if (name === undefined || name === state.name) return [];
    return [{ type: "ZoneRenamed", id, name } satisfies ZoneEvent];
  },

  evolve(state, event, timestamp) {
    if (event.type === "ZoneCreated") return { type: "ZONE", id: event.id, name: event.name, timestamp };
    if (event.type === "ZoneRemoved") return undefined;
    return state && { ...state, name: event.name, timestamp };
  },
};
