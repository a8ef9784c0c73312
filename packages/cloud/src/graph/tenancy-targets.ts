import { Id, limits } from "@ledge/model";
import Type from "typebox";
import type { Cloud } from "../cloud.ts";
import { plainName } from "../mail/shown-name.ts";
import { ownerOf } from "../model/owning.ts";
import {
  groupResourceId,
  keyOf,
  named,
  resourceId,
  subscriptionResourceId,
  tenantResourceId,
} from "../model/resource-id.ts";
import {
  hubsGroup,
  isPersonal,
  type Resource,
  type ResourceGroup,
  type Subscription,
} from "../model/subscription.ts";
import type { Site } from "../model/site-state.ts";
import type { Tenant } from "../model/tenant.ts";
import type { Bound, GraphCaller } from "./caller.ts";
import { Failed, notFound } from "./errors.ts";
import { forbidden, gives, type Right } from "./rights.ts";

/** What is asked to find something in a tenant, and the rights to it. */
export type Tenants = Pick<Cloud, "kernel" | "sharing" | "tenancy" | "directory">;

/** A tenant in which the caller has a role. */
export interface TenantTarget {
  readonly tenant: Tenant;
}

export interface SubscriptionTarget {
  readonly subscription: Subscription;
}

export interface GroupTarget extends SubscriptionTarget {
  readonly group: ResourceGroup;
}

/** A hub among the resources of its owner. Its id is its name. */
export interface HubResource extends Pick<Resource, "name" | "displayName" | "tags" | "itemId"> {
  readonly provider: "Vendor.Hubs";
}

export interface ResourceTarget extends GroupTarget {
  readonly resource: Resource | HubResource;
}

/** A site that the caller may read. */
export interface SiteTarget {
  readonly site: Site;
}

const Name = Type.String({ minLength: 1, maxLength: limits.resourceNameMaxChars });

const TenantId = { tenantId: Type.String({ minLength: 1, maxLength: limits.tenantIdChars }) };

/** The fields that name something in a tenant. */
export const tenancyFields = {
  tenant: TenantId,
  anyTenant: TenantId,
  subscription: { subscriptionId: Id },
  resourceGroup: { subscriptionId: Id, resourceGroupName: Name },
  resource: {
    subscriptionId: Id,
    resourceGroupName: Name,
    resourceName: Name,
    /** Left out, the name alone says which: it is unique in its group. */
    resourceProvider: Type.Optional(Name),
  },
  site: { siteId: Type.String({ minLength: 1, maxLength: limits.registerIdMaxChars }) },
};

type Fields = Readonly<Record<string, unknown>>;

/** Returns a tenant that the caller sees and in which it has a role, if that gives the right. */
export function tenantTarget(
  id: string,
  right: Right,
  caller: Bound,
  { tenancy }: Tenants,
): TenantTarget | Failed {
  const tenant = tenancy.tenant(id);
  const { account } = caller;
  const isKnown = sees(caller, id) && tenancy.tenantsOf(account).some((one) => one.id === id);
  if (tenant === undefined || !isKnown) return notFound("tenant", id, "tenantId");
  // A role in any part lets an account know of the tenant itself.
  const rights = `R${tenancy.rightsTo(account, id, tenantResourceId(id))}`;
  return rights.includes(right) ? { tenant } : lacking(right, "tenantId");
}

/** Returns a subscription, if the caller has the right to it. */
export function subscriptionTarget(
  id: string,
  right: Right,
  caller: GraphCaller,
  { tenancy }: Tenants,
): SubscriptionTarget | Failed {
  const subscription = seen(id, caller, tenancy);
  if (subscription === undefined) return notFound("subscription", id, "subscriptionId");
  const rights = tenancy.rightsTo(caller.account, subscription.tenant, subscriptionResourceId(id));
  if (!rights.includes("R")) return notFound("subscription", id, "subscriptionId");
  return rights.includes(right) ? { subscription } : lacking(right, "subscriptionId");
}

/** Returns a resource group, if the caller has the right to it. */
export function groupTarget(
  fields: Fields,
  right: Right,
  caller: GraphCaller,
  { tenancy }: Tenants,
): GroupTarget | Failed {
  const name = String(fields["resourceGroupName"]);
  const subscription = seen(String(fields["subscriptionId"]), caller, tenancy);
  const group = subscription && groupNamed(subscription, name);
  if (subscription === undefined || group === undefined)
    return notFound("resource group", name, "resourceGroupName");
  const id = groupResourceId(subscription.id, group.name);
  const rights = tenancy.rightsTo(caller.account, subscription.tenant, id);
  if (!rights.includes("R")) return notFound("resource group", name, "resourceGroupName");
  return rights.includes(right) ? { subscription, group } : lacking(right, "resourceGroupName");
}

/** Returns a resource, if the caller has the right to it. Who may do what with a hub is said by its own list. */
export function resourceTarget(
  fields: Fields,
  right: Right,
  caller: GraphCaller,
  tenants: Tenants,
): ResourceTarget | Failed {
  const { tenancy, sharing } = tenants;
  const name = String(fields["resourceName"]);
  const subscription = seen(String(fields["subscriptionId"]), caller, tenancy);
  const group = subscription && groupNamed(subscription, String(fields["resourceGroupName"]));
  const gone = notFound("resource", name, "resourceName");
  if (subscription === undefined || group === undefined) return gone;
  const resource = isHubs(subscription, group)
    ? hubResource(name, subscription.id, tenants)
    : named(group.resources, name);
  if (
    resource === undefined ||
    !isProvider(fields["resourceProvider"] as string | undefined, resource.provider)
  )
    return gone;
  const id = resourceId(subscription.id, group.name, resource.provider, resource.name);
  const has = (asked: Right): boolean =>
    resource.provider === "Vendor.Hubs"
      ? gives(sharing.roleOf(caller.account, resource.itemId), asked)
      : tenancy.rightsTo(caller.account, subscription.tenant, id).includes(asked);
  if (!has("R")) return gone;
  return has(right) ? { subscription, group, resource } : lacking(right, "resourceName");
}

/** Returns a site, if the caller has the right to it. */
export function siteTarget(
  id: string,
  right: Right,
  caller: GraphCaller,
  tenants: Pick<Tenants, "kernel" | "tenancy">,
): SiteTarget | Failed {
  const site = tenants.kernel.get("site", id);
  const rights = site === undefined ? "" : siteRights(site, caller, tenants);
  if (site === undefined || !rights.includes("R")) return notFound("site", id, "siteId");
  return rights.includes(right) ? { site } : lacking(right, "siteId");
}

/** Returns the rights of a caller to a site: some of `RCAO`, or "". */
export function siteRights({ place }: Site, caller: Bound, tenants: Pick<Tenants, "tenancy">): string {
  return rightsToItem(place, "Vendor.Sites", caller, tenants);
}

/** Returns the rights of a caller to what a resource stands for: some of `RCAO`, or "". */
export function rightsToItem(
  { subscription, group, name }: Site["place"],
  provider: Resource["provider"],
  caller: Bound,
  { tenancy }: Pick<Tenants, "tenancy">,
): string {
  const tenant = seen(subscription, caller, tenancy)?.tenant;
  if (tenant === undefined) return "";
  return tenancy.rightsTo(caller.account, tenant, resourceId(subscription, group, provider, name));
}

/** Returns the groups of a subscription, that of its hubs included. */
export function groupsIn(subscription: Subscription): ResourceGroup[] {
  const groups = Object.values(subscription.groups);
  const hubs = isPersonal(subscription) ? groupNamed(subscription, hubsGroup) : undefined;
  return hubs === undefined ? groups : [hubs, ...groups];
}

/** Returns the resources of a group. A hub is listed for who may read it. */
export function resourcesIn(
  { subscription, group }: GroupTarget,
  { account }: GraphCaller,
  tenants: Tenants,
): (Resource | HubResource)[] {
  if (!isHubs(subscription, group)) return Object.values(group.resources);
  const found = [...tenants.directory.hubsOf(subscription.id)].flatMap(
    (hubId) => hubResource(hubId, subscription.id, tenants) ?? [],
  );
  return found.filter(({ itemId }) => gives(tenants.sharing.roleOf(account, itemId), "R"));
}

/** Returns whether a caller administers what an operation is about. */
export function mayAdminister(
  caller: Bound,
  target: Readonly<Record<string, string>>,
  { tenancy }: Pick<Tenants, "tenancy">,
): boolean {
  const { subscriptionId, resourceGroupName, resourceName } = target;
  const subscription = subscriptionId === undefined ? undefined : seen(subscriptionId, caller, tenancy);
  if (subscription === undefined) return false;
  const { id, tenant } = subscription;
  const group = resourceGroupName === undefined ? undefined : named(subscription.groups, resourceGroupName);
  const resource = resourceName === undefined ? undefined : group && named(group.resources, resourceName);
  const part =
    group === undefined
      ? subscriptionResourceId(id)
      : resource === undefined
        ? groupResourceId(id, group.name)
        : resourceId(id, group.name, resource.provider, resource.name);
  return tenancy.rightsTo(caller.account, tenant, part).includes("A");
}

/** Returns a subscription of the tenant to which the caller is bound, if it is bound to one. */
function seen(id: string, caller: Bound, tenancy: Tenants["tenancy"]): Subscription | undefined {
  const found = tenancy.subscription(id);
  return found !== undefined && sees(caller, found.tenant) ? found : undefined;
}

function sees({ tenant }: Bound, id: string): boolean {
  return tenant === undefined || tenant === id;
}

function groupNamed(subscription: Subscription, name: string): ResourceGroup | undefined {
  if (isPersonal(subscription) && keyOf(name) === hubsGroup)
    return { name: hubsGroup, location: "", tags: {}, resources: {} };
  return named(subscription.groups, name);
}

function isHubs(subscription: Subscription, { name }: ResourceGroup): boolean {
  return isPersonal(subscription) && name === hubsGroup;
}

function hubResource(hubId: string, owner: string, { kernel }: Tenants): HubResource | undefined {
  const registration = kernel.get("registration", hubId);
  if (registration === undefined || ownerOf(kernel.get("authorizations", hubId)) !== owner) return undefined;
  const displayName = plainName(registration.name ?? "Ledge");
  return { name: hubId, provider: "Vendor.Hubs", displayName, tags: {}, itemId: hubId };
}

/** Returns whether a name of a provider, in any case and with its alias, is this one. */
function isProvider(name: string | undefined, provider: string): boolean {
  if (name === undefined) return true;
  return (providerNamed(name) ?? name).toLowerCase() === provider.toLowerCase();
}

/** Returns a provider in which users can create resources by its name, in any case; `Vendor.Site` is an alias. */
export function providerNamed(name: string): Resource["provider"] | undefined {
  if (/^vendor\.sites?$/i.test(name)) return "Vendor.Sites";
  return /^vendor\.deviceregister$/i.test(name) ? "Vendor.DeviceRegister" : undefined;
}

export function lacking(right: Right, field: string): Failed {
  return new Failed("E_FORBIDDEN", forbidden[right], { field });
}
