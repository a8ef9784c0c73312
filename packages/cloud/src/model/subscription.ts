import { type Decision, defineEvent, type EventOf, limits, reject, type Rejection } from "@ledge/model";
import Type from "typebox";
import { isAccount } from "./account.ts";
import { atMost } from "./at-most.ts";
import { groupResourceId, keyOf, named, resourceId, subscriptionResourceId } from "./resource-id.ts";
import type { CloudDecider, CloudWorld } from "./states.ts";
import { rolesRemoved } from "./tenant.ts";

/** Words that users give to things: key -> value (platform-api 2.4). */
export const Tags = Type.Record(Type.String(), Type.String());
export type Tags = Readonly<Record<string, string>>;

/** A resource in a group. What it stands for has a state of its own. */
export interface Resource {
  readonly name: string;
  readonly provider: ResourceProvider;
  readonly displayName: string;
  readonly tags: Tags;
  /** The id of the site or the device register. */
  readonly itemId: string;
}

/** What users can create in a group. */
export const resourceProviders = ["Vendor.Sites", "Vendor.DeviceRegister"] as const;
export type ResourceProvider = (typeof resourceProviders)[number];

export interface ResourceGroup {
  readonly name: string;
  readonly location: string;
  readonly tags: Tags;
  /** By `keyOf` of the name. */
  readonly resources: Readonly<Record<string, Resource>>;
}

/**
 * A subscription of a tenant, with its resource groups and their resources, so that names are unique where they
 * must be. The personal subscription of an account has the account's id and exists without an event.
 */
export interface Subscription {
  readonly id: string;
  readonly tenant: string;
  /** What people have written of it. */
  readonly about: { readonly displayName: string; readonly tags: Tags };
  /** By `keyOf` of the name. */
  readonly groups: Readonly<Record<string, ResourceGroup>>;
  readonly timestamp: number;
}

declare module "./states.ts" {
  interface CloudStates {
    subscription: Subscription;
  }
}

type Of<Name extends SubscriptionCommand["type"]> = Extract<SubscriptionCommand, { type: Name }>;

export type SubscriptionCommand =
  | { type: "CREATE_SUBSCRIPTION"; id: string; tenant: string; displayName: string; tags: Tags }
  /** Refused while a group stands in it. */
  | { type: "DELETE_SUBSCRIPTION"; id: string }
  | { type: "CREATE_RESOURCE_GROUP"; id: string; name: string; location: string; tags: Tags }
  /** Refused while a resource stands in it. */
  | { type: "DELETE_RESOURCE_GROUP"; id: string; name: string }
  | {
      type: "ADD_RESOURCE";
      id: string;
      group: string;
      name: string;
      provider: ResourceProvider;
      displayName: string;
      tags: Tags;
      itemId: string;
    }
  | { type: "REMOVE_RESOURCE"; id: string; group: string; name: string };

const SubscriptionCreated = defineEvent(
  "SubscriptionCreated",
  1,
  { tenant: Type.String(), displayName: Type.String(), tags: Tags },
  ["displayName", "tags"],
);
const SubscriptionDeleted = defineEvent("SubscriptionDeleted", 1, {});
const ResourceGroupCreated = defineEvent(
  "ResourceGroupCreated",
  1,
  { name: Type.String(), location: Type.String(), tags: Tags },
  ["location", "tags"],
);
const ResourceGroupDeleted = defineEvent("ResourceGroupDeleted", 1, { name: Type.String() });
const ResourceAdded = defineEvent(
  "ResourceAdded",
  1,
  {
    group: Type.String(),
    name: Type.String(),
    provider: Type.String(),
    displayName: Type.String(),
    tags: Tags,
    itemId: Type.String(),
  },
  ["displayName", "tags"],
);
const ResourceRemoved = defineEvent("ResourceRemoved", 1, { group: Type.String(), name: Type.String() });

export type SubscriptionEvent =
  | EventOf<typeof SubscriptionCreated>
  | EventOf<typeof SubscriptionDeleted>
  | EventOf<typeof ResourceGroupCreated>
  | EventOf<typeof ResourceGroupDeleted>
  | EventOf<typeof ResourceAdded>
  | EventOf<typeof ResourceRemoved>;

/** The name of the group in a personal subscription that shows the hubs of the account. */
export const hubsGroup = "hubs";

/** Returns the personal subscription of an account in which nothing stands yet. */
export function personalSubscription(account: string): Subscription {
  return {
    id: account,
    tenant: account,
    about: { displayName: "Personal", tags: {} },
    groups: {},
    timestamp: 0,
  };
}

/** Returns whether a subscription is the personal one of an account. */
export function isPersonal({ id, tenant }: Pick<Subscription, "id" | "tenant">): boolean {
  return id === tenant;
}

export const subscription: CloudDecider<Subscription, SubscriptionCommand, SubscriptionEvent> = {
  kind: "subscription",
  commands: [
    "CREATE_SUBSCRIPTION",
    "DELETE_SUBSCRIPTION",
    "CREATE_RESOURCE_GROUP",
    "DELETE_RESOURCE_GROUP",
    "ADD_RESOURCE",
    "REMOVE_RESOURCE",
  ],
  events: [
    SubscriptionCreated,
    SubscriptionDeleted,
    ResourceGroupCreated,
    ResourceGroupDeleted,
    ResourceAdded,
    ResourceRemoved,
  ],
  secrets: ["about", "groups"],

  target: ({ id }) => id,

  decide(command, state, world) {
    const { id } = command;
    if (command.type === "CREATE_SUBSCRIPTION") return create(command, state, world);
    const held = state ?? (isAccount(id, world) ? personalSubscription(id) : undefined);
    if (held === undefined) return reject("not-found", `there is no subscription ${id}`, "subscriptionId");
    switch (command.type) {
      case "DELETE_SUBSCRIPTION":
        if (isPersonal(held))
          return reject("wrong-state", "your personal subscription stays", "subscriptionId");
        if (Object.keys(held.groups).length > 0) return notEmpty("subscriptionId");
        return [
          { type: "SubscriptionDeleted", id },
          ...rolesRemoved(held.tenant, subscriptionResourceId(id), world),
        ];
      case "CREATE_RESOURCE_GROUP":
        return createGroup(command, held);
      case "DELETE_RESOURCE_GROUP":
        return deleteGroup(command, held, world);
      case "ADD_RESOURCE":
        return addResource(command, held);
      case "REMOVE_RESOURCE":
        return removeResource(command, held, world);
    }
  },

  evolve(state, event, timestamp) {
    const { id } = event;
    if (event.type === "SubscriptionCreated") {
      const { tenant, displayName, tags } = event;
      return { id, tenant, about: { displayName, tags }, groups: {}, timestamp };
    }
    if (event.type === "SubscriptionDeleted") return undefined;
    const held = state ?? personalSubscription(id);
    return { ...held, groups: groupsAfter(held.groups, event), timestamp };
  },
};

type GroupEvent = Exclude<
  SubscriptionEvent,
  { type: "SubscriptionCreated" } | { type: "SubscriptionDeleted" }
>;

function groupsAfter(groups: Subscription["groups"], event: GroupEvent): Subscription["groups"] {
  switch (event.type) {
    case "ResourceGroupCreated": {
      const { name, location, tags } = event;
      return { ...groups, [keyOf(name)]: { name, location, tags, resources: {} } };
    }
    case "ResourceGroupDeleted":
      return without(groups, keyOf(event.name));
    case "ResourceAdded": {
      const { name, displayName, tags, itemId } = event;
      const provider = event.provider as ResourceProvider;
      return withResources(groups, event.group, (resources) => {
        return { ...resources, [keyOf(name)]: { name, provider, displayName, tags, itemId } };
      });
    }
    case "ResourceRemoved":
      return withResources(groups, event.group, (resources) => without(resources, keyOf(event.name)));
  }
}

function withResources(
  groups: Subscription["groups"],
  name: string,
  change: (resources: ResourceGroup["resources"]) => ResourceGroup["resources"],
): Subscription["groups"] {
  const group = named(groups, name);
  if (group === undefined) return groups;
  return { ...groups, [keyOf(name)]: { ...group, resources: change(group.resources) } };
}

function without<Value>(record: Readonly<Record<string, Value>>, key: string): Record<string, Value> {
  const { [key]: _, ...others } = record;
  return others;
}

function create(
  { id, tenant, displayName, tags }: Of<"CREATE_SUBSCRIPTION">,
  state: Subscription | undefined,
  world: CloudWorld,
): Decision<SubscriptionEvent> {
  if (state !== undefined || isAccount(id, world))
    return reject("taken", `subscription ${id} exists already`, "name");
  if (world.get("tenant", tenant) === undefined && !isAccount(tenant, world))
    return reject("not-found", `there is no tenant ${tenant}`, "tenantId");
  let others = 0;
  for (const [, one] of world.all("subscription")) if (one.tenant === tenant) others += 1;
  if (others >= limits.tenantSubscriptions) return atMost(limits.tenantSubscriptions, "subscriptions");
  return [{ type: "SubscriptionCreated", id, tenant, displayName, tags: { ...tags } }];
}

function createGroup(
  { id, name, location, tags }: Of<"CREATE_RESOURCE_GROUP">,
  held: Subscription,
): Decision<SubscriptionEvent> {
  if (!isResourceName(name)) return noName;
  if (named(held.groups, name) !== undefined || (isPersonal(held) && keyOf(name) === hubsGroup))
    return taken(name);
  if (Object.keys(held.groups).length >= limits.subscriptionGroups)
    return atMost(limits.subscriptionGroups, "resource groups");
  return [{ type: "ResourceGroupCreated", id, name, location, tags: { ...tags } }];
}

function deleteGroup(
  { id, name }: Of<"DELETE_RESOURCE_GROUP">,
  held: Subscription,
  world: CloudWorld,
): Decision<SubscriptionEvent> {
  if (isPersonal(held) && keyOf(name) === hubsGroup)
    return reject("wrong-state", "the group of your hubs stays", "resourceGroupName");
  const group = named(held.groups, name);
  if (group === undefined) return noGroup(name);
  if (Object.keys(group.resources).length > 0) return notEmpty("resourceGroupName");
  const scope = groupResourceId(id, group.name);
  return [{ type: "ResourceGroupDeleted", id, name: group.name }, ...rolesRemoved(held.tenant, scope, world)];
}

function addResource(
  { id, group: groupName, name, provider, displayName, tags, itemId }: Of<"ADD_RESOURCE">,
  held: Subscription,
): Decision<SubscriptionEvent> {
  if (!isResourceName(name)) return noName;
  if (isPersonal(held) && keyOf(groupName) === hubsGroup)
    return reject("wrong-state", "the group of your hubs has hubs only", "resourceGroupName");
  const group = named(held.groups, groupName);
  if (group === undefined) return noGroup(groupName);
  if (named(group.resources, name) !== undefined) return taken(name);
  if (Object.keys(group.resources).length >= limits.groupResources)
    return atMost(limits.groupResources, "resources in a group");
  const resource = { name, provider, displayName, tags: { ...tags }, itemId };
  return [{ type: "ResourceAdded", id, group: group.name, ...resource }];
}

function removeResource(
  { id, group: groupName, name }: Of<"REMOVE_RESOURCE">,
  held: Subscription,
  world: CloudWorld,
): Decision<SubscriptionEvent> {
  const group = named(held.groups, groupName);
  const resource = group && named(group.resources, name);
  if (group === undefined || resource === undefined)
    return reject("not-found", `there is no resource ${name}`, "resourceName");
  const scope = resourceId(id, group.name, resource.provider, resource.name);
  return [
    { type: "ResourceRemoved", id, group: group.name, name: resource.name },
    ...rolesRemoved(held.tenant, scope, world),
  ];
}

// oxlint-disable-next-line no-control-regex -- names stand in paths
const unfit = /[/\\?#%\u0000-\u001f\u007f-\u009f]/;

/** Returns whether a text may name a resource group or a resource: it stands in paths. */
export function isResourceName(name: string): boolean {
  const isLong = name.length >= limits.resourceNameMinChars && name.length <= limits.resourceNameMaxChars;
  return isLong && name.isWellFormed() && name.trim() === name && !unfit.test(name);
}

const noName: Rejection = reject(
  "invalid",
  `name must have ${limits.resourceNameMinChars} to ${limits.resourceNameMaxChars} characters, none of them / \\ ? # %`,
  "name",
);

function taken(name: string): Rejection {
  return reject("taken", `the name ${name} is taken`, "name");
}

function notEmpty(field: string): Rejection {
  return reject("wrong-state", "it is not empty", field);
}

function noGroup(name: string): Rejection {
  return reject("not-found", `there is no resource group ${name}`, "resourceGroupName");
}
