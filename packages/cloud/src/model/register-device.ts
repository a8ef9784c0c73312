import { defineEvent, type EventOf, reject } from "@ledge/model";
import Type from "typebox";
import type { CloudDecider } from "./states.ts";

/** What people say of a device in a register; its hub knows nothing of it. */
export const DeviceMetadata = Type.Object({
  isActive: Type.Boolean(),
  nativeId: Type.String(),
  serialNumber: Type.String(),
  model: Type.String(),
  manufacturer: Type.String(),
  tags: Type.Record(Type.String(), Type.String()),
});
export type DeviceMetadata = Type.Static<typeof DeviceMetadata>;

/** What the platform keeps of a device of a register beside what its hub says (platform-api 2.4). */
export interface RegisterDeviceState {
  /** `registerDeviceId` of the two below. */
  readonly id: string;
  readonly register: string;
  readonly device: string;
  /** Null: as the hub says. */
  readonly metadata: DeviceMetadata | null;
  /** Who has described it (account), and when (ms). */
  readonly modifiedBy: string;
  readonly modifiedAt: number;
  /** Free-form, set by people; empty until then. It may hold passwords of the device. */
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly timestamp: number;
}

declare module "./states.ts" {
  interface CloudStates {
    registerDevice: RegisterDeviceState;
  }
}

export type RegisterDeviceCommand =
  | {
      type: "DESCRIBE_REGISTER_DEVICE";
      register: string;
      device: string;
      by: string;
      metadata: DeviceMetadata;
    }
  | {
      type: "CONFIGURE_REGISTER_DEVICE";
      register: string;
      device: string;
      configuration: Readonly<Record<string, unknown>>;
    }
  /** Forgets what people have said, because the device or its register is gone. */
  | { type: "FORGET_REGISTER_DEVICE"; register: string; device: string };

const place = { register: Type.String(), device: Type.String() };
const RegisterDeviceDescribed = defineEvent("RegisterDeviceDescribed", 1, {
  ...place,
  by: Type.String(),
  metadata: DeviceMetadata,
});
const RegisterDeviceConfigured = defineEvent(
  "RegisterDeviceConfigured",
  1,
  { ...place, configuration: Type.Record(Type.String(), Type.Unknown()) },
  ["configuration"],
);
const RegisterDeviceForgotten = defineEvent("RegisterDeviceForgotten", 1, place);

export type RegisterDeviceEvent =
  | EventOf<typeof RegisterDeviceDescribed>
  | EventOf<typeof RegisterDeviceConfigured>
  | EventOf<typeof RegisterDeviceForgotten>;

/** Returns the id of a device of a register: ids of devices are unique in their register alone. */
export function registerDeviceId(register: string, device: string): string {
  return `${register}/${device}`;
}

export const registerDevice: CloudDecider<RegisterDeviceState, RegisterDeviceCommand, RegisterDeviceEvent> = {
  kind: "registerDevice",
  commands: ["DESCRIBE_REGISTER_DEVICE", "CONFIGURE_REGISTER_DEVICE", "FORGET_REGISTER_DEVICE"],
  events: [RegisterDeviceDescribed, RegisterDeviceConfigured, RegisterDeviceForgotten],
  secrets: ["configuration"],

  target: ({ register, device }) => registerDeviceId(register, device),

  decide(command, state) {
    const { register, device } = command;
    const id = registerDeviceId(register, device);
    switch (command.type) {
      case "DESCRIBE_REGISTER_DEVICE": {
        const { by, metadata } = command;
        if (state?.metadata && isSame(state.metadata, metadata)) return [];
        return [{ type: "RegisterDeviceDescribed", id, register, device, by, metadata }];
      }
      case "CONFIGURE_REGISTER_DEVICE": {
        const { configuration } = command;
        return [
          { type: "RegisterDeviceConfigured", id, register, device, configuration: { ...configuration } },
        ];
      }
      case "FORGET_REGISTER_DEVICE":
        if (state === undefined) return reject("not-found", `nothing is known of ${id}`, "deviceId");
        return [{ type: "RegisterDeviceForgotten", id, register, device }];
    }
  },

  evolve(state, event, timestamp) {
    const { id, register, device } = event;
    const fresh = { metadata: null, modifiedBy: "", modifiedAt: 0, configuration: {} };
    const before = state ?? { id, register, device, ...fresh, timestamp };
    switch (event.type) {
      case "RegisterDeviceDescribed":
        return {
          ...before,
          metadata: event.metadata,
          modifiedBy: event.by,
          modifiedAt: timestamp,
          timestamp,
        };
      case "RegisterDeviceConfigured":
        return { ...before, configuration: event.configuration, timestamp };
      case "RegisterDeviceForgotten":
        return undefined;
    }
  },
};

function isSame(one: DeviceMetadata, other: DeviceMetadata): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted({ tags, ...rest }: DeviceMetadata): unknown {
  const byName = (given: object): unknown => Object.entries(given).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [byName(rest), byName(tags)];
}
