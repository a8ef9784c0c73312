import Type from "typebox";
import type { Decider } from "./decider.ts";
import { reject } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";

/** The stick that a user gave to an adapter; it takes precedence over the profile's. */
export interface Stick {
  /** The protocol of the adapter. */
  readonly id: string;
  /** The path of a serial port, `tcp://host:port`, or `esphome://host:port` for Z-Wave. */
  readonly port: string;
  /** The adapter's driver for it, such as `zstack`. */
  readonly driver: string;
  /** Null: the driver's default. */
  readonly baudRate: number | null;
  readonly rtscts: boolean | null;
  readonly timestamp: number;
}

declare module "./states.ts" {
  interface States {
    stick: Stick;
  }
}

export type StickCommand =
  | (Omit<Stick, "timestamp"> & { readonly type: "TAKE_STICK" })
  | { readonly type: "GIVE_UP_STICK"; readonly id: string };

const StickTaken = defineEvent("StickTaken", 1, {
  port: Type.String(),
  driver: Type.String(),
  baudRate: Type.Union([Type.Integer(), Type.Null()]),
  rtscts: Type.Union([Type.Boolean(), Type.Null()]),
});
/** The adapter has its profile's radio again, or none. */
const StickGivenUp = defineEvent("StickGivenUp", 1, {});

export type StickEvent = EventOf<typeof StickTaken> | EventOf<typeof StickGivenUp>;

/** One instance per protocol; its id is the protocol's name. */
export const stick: Decider<Stick, StickCommand, StickEvent> = {
  kind: "stick",
  commands: ["TAKE_STICK", "GIVE_UP_STICK"],
  events: [StickTaken, StickGivenUp],

  target: (command) => command.id,

  decide(command, state, world) {
    const { id } = command;
    if (command.type === "GIVE_UP_STICK") {
      if (state === undefined) return reject("not-found", `no stick was given to ${id}`, "protocol");
      return [{ type: "StickGivenUp", id } satisfies StickEvent];
    }
    const { port, driver, baudRate, rtscts } = command;
    const [user] =
      [...world.all("stick")].find(([other, taken]) => other !== id && taken.port === port) ?? [];
    if (user !== undefined) return reject("wrong-state", `${port} is in use by ${user}`, "port");
    const isSame =
      state?.port === port &&
      state.driver === driver &&
      state.baudRate === baudRate &&
      state.rtscts === rtscts;
    return isSame ? [] : [{ type: "StickTaken", id, port, driver, baudRate, rtscts } satisfies StickEvent];
  },

  evolve(_state, event, timestamp) {
    if (event.type === "StickGivenUp") return undefined;
    const { id, port, driver, baudRate, rtscts } = event;
    return { id, port, driver, baudRate, rtscts, timestamp };
  },
};
