import { Id, limits } from "@ledge/model";
import Type from "typebox";
import type { Cloud } from "../cloud.ts";
import type { Client } from "../model/client.ts";
import type { Operation } from "../model/operation.ts";
import type { Registration } from "../model/registration.ts";
import type { Bound, GraphCaller } from "./caller.ts";
import { Failed } from "./errors.ts";
import { forbidden, gives, type Right } from "./rights.ts";
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

/** A hub that the caller may read. */
export interface HubTarget {
  readonly hubId: string;
  /** The caller's role there (hub-api 5.3). */
  readonly role: number;
  readonly registration: Registration;
}

/** What messages are about, by scope. */
export interface Targets {
  /** The caller. */
  caller: null;
  hub: HubTarget;
  /** A hub's register; its id is the hub's. */
  register: HubTarget;
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

/** The id of a device register (platform-api 2.3). */
export const RegisterId = Type.String({
  minLength: limits.registerIdMinChars,
  maxLength: limits.registerIdMaxChars,
  pattern: "^[A-Za-z0-9_-]+$",
});

/** The fields that name a target. */
export const targetFields = {
  caller: {},
  hub: { hubId: Id },
  register: { deviceRegisterId: RegisterId },
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
      return hubTarget(String(fields["deviceRegisterId"]), right, caller, cloud, "deviceRegisterId");
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

/** Returns a hub, if the caller has the right to it. @param field names the hub in the message */
export function hubTarget(
  hubId: string,
  right: Right,
  { account }: GraphCaller,
  { kernel, sharing }: Pick<Cloud, "kernel" | "sharing">,
  field = "hubId",
): HubTarget | Failed {
  const registration = kernel.get("registration", hubId);
  const role = sharing.roleOf(account, hubId);
  if (registration === undefined || role === undefined || !gives(role, "R"))
    return new Failed("E_NOT_FOUND", `there is no ${field.replace(/Id$/, "")} ${hubId}`, { field });
  if (gives(role, right)) return { hubId, role, registration };
  return new Failed("E_FORBIDDEN", forbidden[right], { field });
}

function clientTarget(id: string, right: Right, caller: GraphCaller, cloud: Tenants): Client | Failed {
  const client = cloud.kernel.get("client", id);
  const tenant = client && tenantTarget(client.tenant, right, caller, cloud);
  return client === undefined || tenant instanceof Failed
    ? new Failed("E_NOT_FOUND", `there is no client ${id}`, { field: "clientId" })
    : client;
}

function operationTarget(id: string, caller: GraphCaller, cloud: Tenants): Operation | Failed {
  const operation = cloud.kernel.get("operation", id);
  const isReadable = operation !== undefined && mayRead(operation, caller, cloud);
  return isReadable
    ? operation
    : new Failed("E_NOT_FOUND", `there is no operation ${id}`, { field: "operationId" });
}

/** Returns whether a caller may read and cancel an operation: its own wherever it works, as that may be deleted. */
export function mayRead(
  { owner, target }: Operation,
  caller: Bound,
  cloud: Pick<Tenants, "sharing" | "tenancy">,
): boolean {
  const { account } = caller;
  if (owner === account || mayAdminister(caller, target, cloud)) return true;
  const hubId = target["hubId"] ?? target["deviceRegisterId"];
  return hubId !== undefined && gives(cloud.sharing.roleOf(account, hubId), "A");
}
