import { type Decision, defineEvent, type DomainEvent, type EventOf, reject } from "@ledge/model";
import { isDeepStrictEqual } from "node:util";
import Type from "typebox";
import type { CloudDecider, CloudWorld } from "./states.ts";

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

/** What people say of a device that no hub reaches; the hub says it of its own devices. */
export const DeviceAbout = Type.Object({
  name: Type.String(),
  type: Type.String(),
  capabilities: Type.Array(Type.String()),
  routing: Type.Object({
    gatewayId: Type.Union([Type.String(), Type.Null()]),
    protocol: Type.Union([Type.String(), Type.Null()]),
  }),
});
export type DeviceAbout = Type.Static<typeof DeviceAbout>;

/** What the platform keeps of a device of a register beside what its hub says (platform-api 2.4). */
export interface RegisterDeviceState {
  /** `registerDeviceId` of the two below. */
  readonly id: string;
  readonly register: string;
  readonly device: string;
  /** Absent for a device of a hub; all others were added by hand. */
  readonly about?: DeviceAbout;
  /** Who has added it (account), and when (ms); "" and 0 for a device of a hub. */
  readonly createdBy: string;
  readonly createdAt: number;
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

type Of<Name extends RegisterDeviceCommand["type"]> = Extract<RegisterDeviceCommand, { type: Name }>;

/** All that somebody says of a device that was added by hand. */
interface SaidOfDevice {
  readonly register: string;
  readonly device: string;
  /** Who says it (account). */
  readonly by: string;
  readonly about: DeviceAbout;
  readonly metadata: DeviceMetadata;
}

export type RegisterDeviceCommand =
  /** Adds a device by hand to a register of a tenant. */
  | ({ type: "ADD_REGISTER_DEVICE" } & SaidOfDevice)
  /** Replaces all that people have said of a device that was added by hand. */
  | ({ type: "UPDATE_REGISTER_DEVICE" } & SaidOfDevice)
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
const said = { ...place, by: Type.String(), about: DeviceAbout, metadata: DeviceMetadata };
const RegisterDeviceAdded = defineEvent("RegisterDeviceAdded", 1, said, ["about"]);
const RegisterDeviceUpdated = defineEvent("RegisterDeviceUpdated", 1, said, ["about"]);
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
  | EventOf<typeof RegisterDeviceAdded>
  | EventOf<typeof RegisterDeviceUpdated>
  | EventOf<typeof RegisterDeviceDescribed>
  | EventOf<typeof RegisterDeviceConfigured>
  | EventOf<typeof RegisterDeviceForgotten>;

/** Returns the id of a device of a register: ids of devices are unique in their register alone. */
export function registerDeviceId(register: string, device: string): string {
  return `${register}/${device}`;
}

export const registerDevice: CloudDecider<RegisterDeviceState, RegisterDeviceCommand, RegisterDeviceEvent> = {
  kind: "registerDevice",
  commands: [
    "ADD_REGISTER_DEVICE",
    "UPDATE_REGISTER_DEVICE",
    "DESCRIBE_REGISTER_DEVICE",
    "CONFIGURE_REGISTER_DEVICE",
    "FORGET_REGISTER_DEVICE",
  ],
  events: [
    RegisterDeviceAdded,
    RegisterDeviceUpdated,
    RegisterDeviceDescribed,
    RegisterDeviceConfigured,
    RegisterDeviceForgotten,
  ],
  secrets: ["about", "configuration"],

  target: ({ register, device }) => registerDeviceId(register, device),

  decide(command, state, world) {
    const { register, device } = command;
    const id = registerDeviceId(register, device);
    switch (command.type) {
      case "ADD_REGISTER_DEVICE":
        return add(command, state, world);
      case "UPDATE_REGISTER_DEVICE": {
        const { by, about, metadata } = command;
        if (!state?.about) return reject("not-found", `there is no device ${device}`, "deviceId");
        const isSaid = isDeepStrictEqual([state.about, state.metadata], [about, metadata]);
        if (isSaid) return [];
        return [{ type: "RegisterDeviceUpdated", id, register, device, by, about, metadata }];
      }
      case "DESCRIBE_REGISTER_DEVICE": {
        const { by, metadata } = command;
        if (state?.metadata && isDeepStrictEqual(state.metadata, metadata)) return [];
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
    const fresh = {
      createdBy: "",
      createdAt: 0,
      metadata: null,
      modifiedBy: "",
      modifiedAt: 0,
      configuration: {},
    };
    const before = state ?? { id, register, device, ...fresh, timestamp };
    switch (event.type) {
      case "RegisterDeviceAdded":
      case "RegisterDeviceUpdated": {
        const { by, about, metadata } = event;
        const created = state?.about ? {} : { createdBy: by, createdAt: timestamp };
        const modified = { modifiedBy: by, modifiedAt: timestamp };
        return { ...before, about, metadata, ...created, ...modified, timestamp };
      }
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

const eventTypes: ReadonlySet<string> = new Set(registerDevice.events.map(({ type }) => type));

/** Returns whether an event is about a device that people have added or described. */
export function isRegisterDeviceEvent(event: DomainEvent): event is RegisterDeviceEvent {
  return eventTypes.has(event.type);
}

function add(
  { register, device, by, about, metadata }: Of<"ADD_REGISTER_DEVICE">,
  state: RegisterDeviceState | undefined,
  world: CloudWorld,
): Decision<RegisterDeviceEvent> {
  const of = world.get("deviceRegister", register);
  if (of === undefined || of.isDeleted)
    return reject("not-found", `there is no register ${register}`, "deviceRegisterId");
  if (state?.about || Object.hasOwn(of.gateways, device))
    return reject("taken", `the register has a device ${device} already`, "device.id");
  const id = registerDeviceId(register, device);
  return [{ type: "RegisterDeviceAdded", id, register, device, by, about, metadata }];
}
