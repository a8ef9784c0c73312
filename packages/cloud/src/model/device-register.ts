import { type Decision, defineEvent, type EventOf, limits, reject } from "@ledge/model";
import Type from "typebox";
import { registerDeviceId } from "./register-device.ts";
import type { CloudDecider, CloudWorld } from "./states.ts";

/** A hub in a register of a tenant: what the hub shares stands there, too. */
export interface Gateway {
  /** What people call it in this register; "" for the hub's own name. */
  readonly name: string;
  /** The owner of the hub, who has registered it (account). */
  readonly by: string;
}

/** A device register of a tenant (platform-api 1). Its devices are aggregates of their own, or those of its gateways. */
export interface DeviceRegister {
  readonly id: string;
  /** The resource that it is. */
  readonly place: { readonly subscription: string; readonly group: string; readonly name: string };
  readonly about: { readonly displayName: string };
  /** By the id of the hub. */
  readonly gateways: Readonly<Record<string, Gateway>>;
  /** Hubs that are no gateways any more, and whose rows may still be in the store. */
  readonly leaving: readonly string[];
  /** Set while its devices are being deleted. */
  readonly isDeleted: boolean;
  readonly timestamp: number;
}

declare module "./states.ts" {
  interface CloudStates {
    deviceRegister: DeviceRegister;
  }
}

type Of<Name extends DeviceRegisterCommand["type"]> = Extract<DeviceRegisterCommand, { type: Name }>;

export type DeviceRegisterCommand =
  | { type: "CREATE_DEVICE_REGISTER"; id: string; place: DeviceRegister["place"]; displayName: string }
  | { type: "DELETE_DEVICE_REGISTER"; id: string }
  /** Notes that nothing of a deleted register is left. */
  | { type: "NOTE_REGISTER_EMPTY"; id: string }
  | { type: "REGISTER_GATEWAY"; id: string; hubId: string; name: string; by: string }
  | { type: "NAME_GATEWAY"; id: string; hubId: string; name: string }
  | { type: "REMOVE_GATEWAY"; id: string; hubId: string }
  /** Notes that the rows of a hub are gone from the register. */
  | { type: "NOTE_GATEWAY_GONE"; id: string; hubId: string };

const ofHub = { hubId: Type.String() };
const DeviceRegisterCreated = defineEvent(
  "DeviceRegisterCreated",
  1,
  {
    place: Type.Object({ subscription: Type.String(), group: Type.String(), name: Type.String() }),
    displayName: Type.String(),
  },
  ["displayName"],
);
const DeviceRegisterDeleted = defineEvent("DeviceRegisterDeleted", 1, {});
const DeviceRegisterEmptied = defineEvent("DeviceRegisterEmptied", 1, {});
const GatewayRegistered = defineEvent(
  "GatewayRegistered",
  1,
  { ...ofHub, name: Type.String(), by: Type.String() },
  ["name"],
);
const GatewayNamed = defineEvent("GatewayNamed", 1, { ...ofHub, name: Type.String() }, ["name"]);
const GatewayRemoved = defineEvent("GatewayRemoved", 1, ofHub);
const GatewayGone = defineEvent("GatewayGone", 1, ofHub);

export type DeviceRegisterEvent =
  | EventOf<typeof DeviceRegisterCreated>
  | EventOf<typeof DeviceRegisterDeleted>
  | EventOf<typeof DeviceRegisterEmptied>
  | EventOf<typeof GatewayRegistered>
  | EventOf<typeof GatewayNamed>
  | EventOf<typeof GatewayRemoved>
  | EventOf<typeof GatewayGone>;

/** The types of events after which a register has other gateways. */
export const gatewayEvents: ReadonlySet<string> = new Set([
  GatewayRegistered.type,
  GatewayRemoved.type,
  DeviceRegisterDeleted.type,
]);

export const deviceRegister: CloudDecider<DeviceRegister, DeviceRegisterCommand, DeviceRegisterEvent> = {
  kind: "deviceRegister",
  commands: [
    "CREATE_DEVICE_REGISTER",
    "DELETE_DEVICE_REGISTER",
    "NOTE_REGISTER_EMPTY",
    "REGISTER_GATEWAY",
    "NAME_GATEWAY",
    "REMOVE_GATEWAY",
    "NOTE_GATEWAY_GONE",
  ],
  events: [
    DeviceRegisterCreated,
    DeviceRegisterDeleted,
    DeviceRegisterEmptied,
    GatewayRegistered,
    GatewayNamed,
    GatewayRemoved,
    GatewayGone,
  ],
  secrets: ["about", "gateways"],

  target: ({ id }) => id,

  decide(command, state, world) {
    const { id } = command;
    if (command.type === "CREATE_DEVICE_REGISTER") {
      if (state !== undefined) return reject("taken", `register ${id} exists already`, "name");
      const { place, displayName } = command;
      return [{ type: "DeviceRegisterCreated", id, place, displayName }];
    }
    if (state === undefined) return noRegister(id);
    if (command.type === "NOTE_REGISTER_EMPTY") {
      const isEmpty = state.isDeleted && state.leaving.length === 0;
      return isEmpty ? [{ type: "DeviceRegisterEmptied", id }] : reject("wrong-state", "it is not empty");
    }
    if (command.type === "NOTE_GATEWAY_GONE") {
      const { hubId } = command;
      return state.leaving.includes(hubId) ? [{ type: "GatewayGone", id, hubId }] : [];
    }
    if (state.isDeleted) return noRegister(id);
    switch (command.type) {
      case "DELETE_DEVICE_REGISTER":
        return [{ type: "DeviceRegisterDeleted", id }];
      case "REGISTER_GATEWAY":
        return registerGateway(command, state, world);
      case "NAME_GATEWAY": {
        const { hubId, name } = command;
        const gateway = gatewayIn(state, hubId);
        if (gateway === undefined) return noGateway(hubId);
        return gateway.name === name ? [] : [{ type: "GatewayNamed", id, hubId, name }];
      }
      case "REMOVE_GATEWAY": {
        const { hubId } = command;
        return gatewayIn(state, hubId) ? [{ type: "GatewayRemoved", id, hubId }] : noGateway(hubId);
      }
    }
  },

  evolve(state, event, timestamp) {
    const { id } = event;
    if (event.type === "DeviceRegisterCreated") {
      const { place, displayName } = event;
      const nothing = { gateways: {}, leaving: [], isDeleted: false };
      return { id, place, about: { displayName }, ...nothing, timestamp };
    }
    if (state === undefined || event.type === "DeviceRegisterEmptied") return undefined;
    const { gateways, leaving } = state;
    switch (event.type) {
      case "DeviceRegisterDeleted":
        return {
          ...state,
          gateways: {},
          leaving: [...leaving, ...Object.keys(gateways)],
          isDeleted: true,
          timestamp,
        };
      case "GatewayRegistered": {
        const { hubId, name, by } = event;
        return { ...state, gateways: { ...gateways, [hubId]: { name, by } }, timestamp };
      }
      case "GatewayNamed": {
        const { hubId, name } = event;
        const gateway = gatewayIn(state, hubId);
        return gateway && { ...state, gateways: { ...gateways, [hubId]: { ...gateway, name } }, timestamp };
      }
      case "GatewayRemoved": {
        const { [event.hubId]: _, ...others } = gateways;
        return { ...state, gateways: others, leaving: [...leaving, event.hubId], timestamp };
      }
      case "GatewayGone":
        return { ...state, leaving: leaving.filter((hubId) => hubId !== event.hubId), timestamp };
    }
  },
};

/** Returns a gateway of a register by the id of its hub; undefined when the hub is none. */
export function gatewayIn({ gateways }: DeviceRegister, hubId: string): Gateway | undefined {
  return Object.hasOwn(gateways, hubId) ? gateways[hubId] : undefined;
}

function registerGateway(
  { id, hubId, name, by }: Of<"REGISTER_GATEWAY">,
  state: DeviceRegister,
  world: CloudWorld,
): Decision<DeviceRegisterEvent> {
  const isTaken =
    gatewayIn(state, hubId) !== undefined ||
    world.get("registerDevice", registerDeviceId(id, hubId))?.about !== undefined;
  if (isTaken) return reject("taken", `the register has a device ${hubId} already`, "hub.serialNumber");
  if (state.leaving.includes(hubId))
    return reject("wrong-state", "the hub is leaving the register: try again", "hub.serialNumber");
  if (Object.keys(state.gateways).length >= limits.registerGateways)
    return reject("limit", `at most ${limits.registerGateways} gateways in a register`);
  let others = 0;
  for (const [, one] of world.all("deviceRegister")) if (gatewayIn(one, hubId) !== undefined) others += 1;
  if (others >= limits.hubRegisters)
    return reject("limit", `a hub is in at most ${limits.hubRegisters} registers`);
  return [{ type: "GatewayRegistered", id, hubId, name, by }];
}

function noRegister(id: string): Decision<DeviceRegisterEvent> {
  return reject("not-found", `there is no register ${id}`, "deviceRegisterId");
}

function noGateway(hubId: string): Decision<DeviceRegisterEvent> {
  return reject("not-found", `there is no gateway ${hubId}`, "deviceId");
}
