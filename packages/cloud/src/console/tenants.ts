import type { Cloud } from "../cloud.ts";
import { resourceId } from "../model/resource-id.ts";

type Asked = Pick<Cloud, "kernel" | "tenancy">;

/** A tenant as the operator sees it. */
export interface TenantOverview {
  readonly id: string;
  readonly displayName: string;
  /** Whether it is the personal one of the account with its id. */
  readonly personal: boolean;
  /** The accounts that own the whole of it, by id. */
  readonly owners: readonly string[];
  readonly roles: number;
  readonly subscriptions: number;
}

/** A site as the operator sees it. */
export interface SiteOverview {
  readonly siteId: string;
  readonly displayName: string;
  readonly tenantId: string;
  /** Its id among resources. */
  readonly resourceId: string;
  readonly entities: number;
}

/** Returns the tenants that were created, and the personal ones in which something stands. */
export function tenantsOf({ kernel, tenancy }: Asked): TenantOverview[] {
  const ids = new Set([...kernel.all("tenant")].map(([id]) => id));
  for (const [, { tenant }] of kernel.all("subscription")) ids.add(tenant);
  return [...ids].flatMap((id) => {
    const tenant = tenancy.tenant(id);
    if (tenant === undefined) return [];
    const { displayName, roles } = tenant;
    const personal = kernel.get("account", id) !== undefined;
    const owners = tenancy.ownersOf(id);
    const subscriptions = tenancy.subscriptionsOf(id).length;
    return [{ id, displayName, personal, owners, roles: roles.length, subscriptions }];
  });
}

/** Returns all sites. */
export function sitesOf({ kernel, tenancy }: Asked): SiteOverview[] {
  return [...kernel.all("site")].map(([siteId, { place, about, entityCount }]) => {
    const { subscription, group, name } = place;
    return {
      siteId,
      displayName: about.displayName,
      tenantId: tenancy.subscription(subscription)?.tenant ?? "",
      resourceId: resourceId(subscription, group, "Vendor.Sites", name),
      entities: entityCount,
    };
  });
}
