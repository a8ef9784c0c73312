import Type from "typebox";
import type { Decider } from "./decider.ts";
import { reject } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";

/**
 * The native device of a device. It outlives the device, so that an adapter that announces a removed device
 * again does not bring it back. A scan does, unless the device is ignored.
 */
export interface Binding {
  readonly id: string;
  readonly protocol: string;
  readonly native: string;
  readonly radio: string;
  readonly removed: boolean;
  /** A user wants no scan to find it again. */
  readonly ignored?: true;
}

declare module "./states.ts" {
  interface States {
    binding: Binding;
  }
}

/** Clears the list of ignored devices. */
export const CmdResetIgnored = Type.Object({ type: Type.Literal("CMD_RESET_IGNORED") });

export type BindingCommand =
  | { type: "BIND_DEVICE"; id: string; protocol: string; native: string; radio: string }
  | { type: "UNBIND_DEVICE"; id: string }
  | Type.Static<typeof CmdResetIgnored>;

const DeviceBound = defineEvent("DeviceBound", 1, {
  protocol: Type.String(),
  native: Type.String(),
  radio: Type.String(),
});
const DeviceUnbound = defineEvent("DeviceUnbound", 1, {});
const DeviceIgnored = defineEvent("DeviceIgnored", 1, {});
const DeviceNoLongerIgnored = defineEvent("DeviceNoLongerIgnored", 1, {});

export type BindingEvent =
  | EventOf<typeof DeviceBound>
  | EventOf<typeof DeviceUnbound>
  | EventOf<typeof DeviceIgnored>
  | EventOf<typeof DeviceNoLongerIgnored>;

/** One instance per device, with the device's id. */
export const binding: Decider<Binding, BindingCommand, BindingEvent> = {
  kind: "binding",
  commands: ["BIND_DEVICE", "UNBIND_DEVICE", "CMD_RESET_IGNORED"],
  events: [DeviceBound, DeviceUnbound, DeviceIgnored, DeviceNoLongerIgnored],

  target: (command) => (command.type === "CMD_RESET_IGNORED" ? undefined : command.id),

  decide(command, state, world) {
    if (command.type === "CMD_RESET_IGNORED") {
      const ignored = [...world.all("binding")].filter(([, each]) => each.ignored === true);
      return ignored.map(([id]) => ({ type: "DeviceNoLongerIgnored", id }) satisfies BindingEvent);
    }
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
    switch (event.type) {
      case "DeviceUnbound":
        return state && { ...state, removed: true };
      case "DeviceIgnored":
        return state && { ...state, ignored: true };
      case "DeviceNoLongerIgnored":
        return state && withoutIgnored(state);
      case "DeviceBound":
        return bound(event);
    }
  },
};

function withoutIgnored(state: Binding): Binding {
  const { ignored: _, ...rest } = state;
  return rest;
}

function bound({ id, protocol, native, radio }: EventOf<typeof DeviceBound>): Binding {
  return { id, protocol, native, radio, removed: false };
}
