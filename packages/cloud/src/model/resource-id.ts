import { limits } from "@ledge/model";

/** A part of a tenant: a resource, a resource group, a subscription, or all of it (platform-api 2.4). */
export type Part =
  | { readonly kind: "tenant"; readonly tenant: string }
  | { readonly kind: "subscription"; readonly subscription: string }
  | { readonly kind: "group"; readonly subscription: string; readonly group: string }
  | {
      readonly kind: "resource";
      readonly subscription: string;
      readonly group: string;
      readonly provider: string;
      readonly name: string;
    };

/** Returns the id of a tenant among resources. */
export function tenantResourceId(tenant: string): string {
  return `/Tenant/${tenant}`;
}

export function subscriptionResourceId(subscription: string): string {
  return `/Subscriptions/${subscription}`;
}

export function groupResourceId(subscription: string, group: string): string {
  return `${subscriptionResourceId(subscription)}/ResourceGroups/${group}`;
}

export function resourceId(subscription: string, group: string, provider: string, name: string): string {
  return `${groupResourceId(subscription, group)}/Providers/${provider}/${name}`;
}

const shape =
  /^\/(?:tenant\/(?<tenant>[^/]+)|subscriptions\/(?<subscription>[^/]+)(?:\/resourcegroups\/(?<group>[^/]+)(?:\/providers\/(?<provider>[^/]+)\/(?<name>[^/]+))?)?)$/i;

/** Returns the part that an id names, in any case; undefined when it is no id of a resource. */
export function partOf(id: string): Part | undefined {
  if (id.length > limits.resourceIdChars) return undefined;
  const { tenant, subscription, group, provider, name } = shape.exec(id)?.groups ?? {};
  if (tenant !== undefined) return { kind: "tenant", tenant };
  if (subscription === undefined) return undefined;
  if (group === undefined) return { kind: "subscription", subscription };
  if (provider === undefined || name === undefined) return { kind: "group", subscription, group };
  return { kind: "resource", subscription, group, provider, name };
}

/** Returns whether an id is another one, or stands below it. Names compare without case. */
export function isWithin(id: string, scope: string): boolean {
  const [below, above] = [keyOf(id), keyOf(scope)];
  return below === above || below.startsWith(`${above}/`);
}

/** Returns a name in the form by which names are told apart. */
export function keyOf(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** Returns the entry of a record by `keyOf` of a name. Any name may be asked for, `constructor` too. */
export function named<Entry>(record: Readonly<Record<string, Entry>>, name: string): Entry | undefined {
  const key = keyOf(name);
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
