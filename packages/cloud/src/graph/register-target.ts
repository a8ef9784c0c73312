import { roles } from "@ledge/model";
import type { DeviceRow } from "@ledge/fleet";
import type { Cloud } from "../cloud.ts";
import { type DeviceRegister, gatewayIn } from "../model/device-register.ts";
import { isOwnSource } from "../registers/own-source.ts";
import type { Bound, GraphCaller } from "./caller.ts";
import { Failed, notFound } from "./errors.ts";
import { type HubTarget, hubTarget } from "./hub-target.ts";
import type { Right } from "./rights.ts";
import { lacking, rightsToItem, type Tenants } from "./tenancy-targets.ts";

/** A register that the caller may read: that of a hub, or one of a tenant. */
export type RegisterTarget =
  | { readonly registerId: string; readonly hub: HubTarget; readonly own?: undefined }
  | { readonly registerId: string; readonly own: DeviceRegister; readonly hub?: undefined };

/** A hub that is a gateway device of a register. */
export interface GatewayTarget extends HubTarget {
  readonly registerId: string;
}

const field = "deviceRegisterId";
const what = "device register";

/**
 * Returns a register, if the caller has the right to it. In a register of a tenant the right to control is that to
 * read: each hub says who may control its devices.
 */
export function registerTarget(
  id: string,
  right: Right,
  caller: GraphCaller,
  cloud: Tenants,
  named: string = field,
): RegisterTarget | Failed {
  const own = cloud.kernel.get("deviceRegister", id);
  if (own === undefined) {
    const hub = hubTarget(id, right, caller, cloud, named, what);
    return hub instanceof Failed ? hub : { registerId: id, hub };
  }
  const rights = registerRights(own, caller, cloud);
  if (!rights.includes("R")) return notFound(what, id, named);
  return rights.includes(right === "C" ? "R" : right) ? { registerId: id, own } : lacking(right, named);
}

/** Returns the rights of a caller to a register of a tenant: some of `RCAO`, or "". */
export function registerRights(
  { place, isDeleted }: DeviceRegister,
  caller: Bound,
  tenants: Pick<Tenants, "tenancy">,
): string {
  return isDeleted ? "" : rightsToItem(place, "Vendor.DeviceRegister", caller, tenants);
}

/** Returns the role by which an account sees the devices of a register; undefined without access. */
export function registerRoleOf(
  account: string,
  id: string,
  cloud: Pick<Tenants, "kernel" | "sharing" | "tenancy">,
): number | undefined {
  const own = cloud.kernel.get("deviceRegister", id);
  if (own === undefined) return cloud.sharing.roleOf(account, id);
  return registerRights(own, { account }, cloud).includes("R") ? roles.REMOTE_GUEST : undefined;
}

/** Returns the role by which a register shows its devices. What a home hides is hidden in registers of tenants. */
export function roleIn({ hub }: RegisterTarget): number {
  return hub?.role ?? roles.REMOTE_GUEST;
}

/** Returns the hub of a gateway device, if the caller has the right to that hub. */
export function gatewayTarget(
  registerId: string,
  deviceId: string,
  right: Right,
  caller: GraphCaller,
  cloud: Tenants,
): GatewayTarget | Failed {
  const register = registerTarget(registerId, "R", caller, cloud);
  if (register instanceof Failed) return register;
  const isGateway = register.hub
    ? register.hub.hubId === deviceId
    : gatewayIn(register.own, deviceId) !== undefined;
  if (!isGateway) return notFound("gateway", deviceId, "deviceId");
  const hub = hubFor(deviceId, right, caller, cloud);
  return hub instanceof Failed ? hub : { ...hub, registerId };
}

/**
 * Returns the hub that reaches a device, if the caller has the right to that hub: a role in a tenant never reaches
 * into a home.
 */
export function hubOf(
  { source, id }: Pick<DeviceRow, "source" | "id">,
  right: Right,
  {
    target,
    caller,
    parts,
  }: { target: RegisterTarget; caller: GraphCaller; parts: { readonly cloud: Cloud } },
): HubTarget | Failed {
  if (target.hub) return target.hub;
  if (isOwnSource(source))
    return new Failed("E_NOT_SUPPORTED", `no hub reaches device ${id}`, { field: "deviceId" });
  return hubFor(source, right, caller, parts.cloud);
}

/** Fails for a hub of which the caller knows already that it is there. */
function hubFor(hubId: string, right: Right, caller: GraphCaller, cloud: Tenants): HubTarget | Failed {
  const hub = hubTarget(hubId, right, caller, cloud, "deviceId");
  return hub instanceof Failed ? lacking(right, "deviceId") : hub;
}
