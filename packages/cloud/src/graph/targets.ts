import { Id } from "@ledge/model";
import Type from "typebox";
import type { Client } from "../model/client.ts";
import type { Operation } from "../model/operation.ts";
import type { Bound, GraphCaller } from "./caller.ts";
import { Failed, notFound } from "./errors.ts";
import { type HubTarget, hubTarget } from "./hub-target.ts";
import {
  type GatewayTarget,
  gatewayTarget,
  registerRights,
  type RegisterTarget,
  registerTarget,
} from "./register-target.ts";
import { RegisterId } from "./register-id.ts";
import { gives, type Right } from "./rights.ts";
import {
  type GroupTarget,
  groupTarget,
  mayAdminister,
  type ResourceTarget,
  resourceTarget,
  type SiteTarget,
  siteTarget,
  type SubscriptionTarget,
  subscriptionTarget,
  tenancyFields,
  type TenantTarget,
  tenantTarget,
  type Tenants,
} from "./tenancy-targets.ts";

/** What messages are about, by scope. */
export interface Targets {
  /** The caller. */
  caller: null;
  hub: HubTarget;
  /** A register: that of a hub, whose id is the hub's, or one of a tenant. */
  register: RegisterTarget;
  /** The hub of a gateway device in a register. */
  gateway: GatewayTarget;
  tenant: TenantTarget;
  /** As `tenant`; a caller that is bound to one tenant may still name another. */
  anyTenant: TenantTarget;
  subscription: SubscriptionTarget;
  resourceGroup: GroupTarget;
  resource: ResourceTarget;
  site: SiteTarget;
  /** A client of a tenant that the caller owns. */
  client: Client;
  /** An operation that the caller has started, or whose target the caller administers. */
  operation: Operation;
}

/** The fields that name a target. */
export const targetFields = {
  caller: {},
  hub: { hubId: Id },
  register: { deviceRegisterId: RegisterId },
  gateway: { deviceRegisterId: RegisterId, deviceId: Id },
  ...tenancyFields,
  client: { clientId: Id },
  operation: { operationId: Id },
} as const satisfies Readonly<Record<keyof Targets, Type.TProperties>>;

/**
 * Returns what a message is about, if the caller has the right to it. Nobody learns of what they may not
 * read.
 */
export function targetOf(
  scope: keyof Targets,
  right: Right,
  fields: Readonly<Record<string, unknown>>,
  caller: GraphCaller,
  cloud: Tenants,
): Targets[keyof Targets] | Failed {
  switch (scope) {
    case "caller":
      return null;
    case "hub":
      return hubTarget(String(fields["hubId"]), right, caller, cloud);
    case "register":
      return registerTarget(String(fields["deviceRegisterId"]), right, caller, cloud);
    case "gateway": {
      const { deviceRegisterId, deviceId } = fields;
      return gatewayTarget(String(deviceRegisterId), String(deviceId), right, caller, cloud);
    }
    case "tenant":
      return tenantTarget(String(fields["tenantId"]), right, caller, cloud);
    case "anyTenant":
      return tenantTarget(String(fields["tenantId"]), right, { account: caller.account }, cloud);
    case "subscription":
      return subscriptionTarget(String(fields["subscriptionId"]), right, caller, cloud);
    case "resourceGroup":
      return groupTarget(fields, right, caller, cloud);
    case "resource":
      return resourceTarget(fields, right, caller, cloud);
    case "site":
      return siteTarget(String(fields["siteId"]), right, caller, cloud);
    case "client":
      return clientTarget(String(fields["clientId"]), right, caller, cloud);
    case "operation":
      return operationTarget(String(fields["operationId"]), caller, cloud);
  }
}

function clientTarget(id: string, right: Right, caller: GraphCaller, cloud: Tenants): Client | Failed {
  const client = cloud.kernel.get("client", id);
  const tenant = client && tenantTarget(client.tenant, right, caller, cloud);
  return client === undefined || tenant instanceof Failed ? notFound("client", id, "clientId") : client;
}

function operationTarget(id: string, caller: GraphCaller, cloud: Tenants): Operation | Failed {
  const operation = cloud.kernel.get("operation", id);
  const isReadable = operation !== undefined && mayRead(operation, caller, cloud);
  return isReadable ? operation : notFound("operation", id, "operationId");
}

/** Returns whether a caller may read and cancel an operation: its own wherever it works, as that may be deleted. */
export function mayRead(
  { owner, target }: Operation,
  caller: Bound,
  cloud: Pick<Tenants, "kernel" | "sharing" | "tenancy">,
): boolean {
  const { account } = caller;
  if (owner === account || mayAdminister(caller, target, cloud)) return true;
  const register = cloud.kernel.get("deviceRegister", target["deviceRegisterId"] ?? "");
  if (register !== undefined && registerRights(register, caller, cloud).includes("A")) return true;
  const hubId = target["hubId"] ?? target["deviceRegisterId"];
  return hubId !== undefined && gives(cloud.sharing.roleOf(account, hubId), "A");
}
