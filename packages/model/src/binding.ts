import Type from "typebox";
import type { Decider } from "./decider.ts";
import { reject } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";

/**
 * Which native device a device is. It outlives the device: a removed one stays known, so that an adapter which
 * announces it again does not bring it back.
 */
export interface Binding {
  readonly id: string;
  readonly protocol: string;
  readonly native: string;
  readonly radio: string;
  readonly removed: boolean;
}

export type BindingCommand =
  | { type: "BIND_DEVICE"; id: string; protocol: string; native: string; radio: string }
  | { type: "UNBIND_DEVICE"; id: string };

const DeviceBound = defineEvent("DeviceBound", 1, {
  protocol: Type.String(),
  native: Type.String(),
  radio: Type.String(),
});
const DeviceUnbound = defineEvent("DeviceUnbound", 1, {});

export type BindingEvent = EventOf<typeof DeviceBound> | EventOf<typeof DeviceUnbound>;

/** One instance per device, under the device's id. */
export const binding: Decider<Binding, BindingCommand, BindingEvent> = {
  kind: "binding",
  commands: ["BIND_DEVICE", "UNBIND_DEVICE"],
  events: [DeviceBound, DeviceUnbound],

  target: (command) => command.id,

  decide(command, state) {
    const { id } = command;
    if (command.type === "UNBIND_DEVICE") {
      if (state === undefined) return reject("not-found", `no device ${id}`, "id");
      return state.removed ? [] : [{ type: "DeviceUnbound", id } satisfies BindingEvent];
    }
    const { protocol, native, radio } = command;
    const same =
      state !== undefined &&
      !state.removed &&
      state.protocol === protocol &&
      state.native === native &&
      state.radio === radio;
    return same ? [] : [{ type: "DeviceBound", id, protocol, native, radio } satisfies BindingEvent];
  },

  evolve(state, event) {
    if (event.type === "DeviceUnbound") return state && { ...state, removed: true };
    const { id, protocol, native, radio } = event;
    return { id, protocol, native, radio, removed: false };
  },
};
