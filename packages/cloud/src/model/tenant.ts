import { type Decision, defineEvent, type EventOf, limits, personal, reject } from "@ledge/model";
import Type from "typebox";
import { isAccount } from "./account.ts";
import { atMost } from "./at-most.ts";
import { isWithin, keyOf, named, type Part, partOf, tenantResourceId } from "./resource-id.ts";
import type { CloudDecider, CloudWorld } from "./states.ts";

/** What a role in a tenant gives (platform-api 2.4): `reader` reads, `contributor` changes, `owner` also gives roles. */
export const tenantRoles = ["reader", "contributor", "owner"] as const;
export type TenantRole = (typeof tenantRoles)[number];

/** A role that an account has in a part of a tenant, and in all below it. */
const Assignment = Type.Object({
  /** The id of the part. */
  scope: Type.String(),
  /** The id of the account. */
  principal: Type.String(),
  role: Type.Enum([...tenantRoles]),
});
export type Assignment = Type.Static<typeof Assignment>;

/**
 * A tenant: who may do what in its subscriptions. The personal tenant of an account has the account's id; it
 * exists without an event, and the account owns it.
 */
export interface Tenant {
  readonly id: string;
  readonly displayName: string;
  readonly roles: readonly Assignment[];
  readonly timestamp: number;
}

declare module "./states.ts" {
  interface CloudStates {
    tenant: Tenant;
  }
}

type Assign = { type: "ASSIGN_ROLE"; id: string } & Assignment;
type Remove = { type: "REMOVE_ROLE"; id: string } & Assignment;

export type TenantCommand =
  | { type: "CREATE_TENANT"; id: string; displayName: string; owner: string }
  | Assign
  | Remove
  /** Removes all roles of an account that is forgotten. */
  | { type: "REMOVE_PRINCIPAL"; id: string; principal: string };

const TenantCreated = personal(
  defineEvent("TenantCreated", 1, { displayName: Type.String(), owner: Type.String() }),
  { displayName: "" },
);
const RoleAssigned = defineEvent("RoleAssigned", 1, Assignment.properties);
const RoleRemoved = defineEvent("RoleRemoved", 1, Assignment.properties);

export type TenantEvent =
  | EventOf<typeof TenantCreated>
  | EventOf<typeof RoleAssigned>
  | EventOf<typeof RoleRemoved>;

/** The types of the events that change who has a role. */
export const roleEvents: ReadonlySet<string> = new Set([
  TenantCreated.type,
  RoleAssigned.type,
  RoleRemoved.type,
]);

/** Returns the personal tenant of an account that nobody has shared yet. */
export function personalTenant(account: string): Tenant {
  return { id: account, displayName: "Personal", roles: [], timestamp: 0 };
}

export const tenant: CloudDecider<Tenant, TenantCommand, TenantEvent> = {
  kind: "tenant",
  commands: ["CREATE_TENANT", "ASSIGN_ROLE", "REMOVE_ROLE", "REMOVE_PRINCIPAL"],
  events: [TenantCreated, RoleAssigned, RoleRemoved],
  personal: { displayName: "" },

  target: ({ id }) => id,

  decide(command, state, world) {
    const { id } = command;
    if (command.type === "CREATE_TENANT") {
      const { displayName, owner } = command;
      if (state !== undefined || isAccount(id, world))
        return reject("wrong-state", "this id is taken", "tenantId");
      if (!isAccount(owner, world)) return noAccount(owner, "owner");
      if (world.size("tenant") >= limits.tenants) return atMost(limits.tenants, "tenants");
      return [{ type: "TenantCreated", id, displayName, owner }];
    }
    const held = state ?? (isAccount(id, world) ? personalTenant(id) : undefined);
    if (held === undefined) return reject("not-found", `there is no tenant ${id}`, "tenantId");
    if (command.type === "REMOVE_PRINCIPAL") return removePrincipal(command.principal, held, world);
    return command.type === "ASSIGN_ROLE" ? assign(command, held, world) : remove(command, held, world);
  },

  evolve(state, event, timestamp) {
    const { id } = event;
    if (event.type === "TenantCreated") {
      const owner = { scope: tenantResourceId(id), principal: event.owner, role: "owner" } as const;
      return { id, displayName: event.displayName, roles: [owner], timestamp };
    }
    const { scope, principal, role } = event;
    const held = state ?? personalTenant(id);
    const others = held.roles.filter((one) => !isSame(one, event));
    const roles = event.type === "RoleAssigned" ? [...others, { scope, principal, role }] : others;
    return { ...held, roles, timestamp };
  },
};

function assign(command: Assign, held: Tenant, world: CloudWorld): Decision<TenantEvent> {
  const { id, scope, principal, role } = command;
  if (!isPartOf(partOf(scope), id, world)) return reject("not-found", `there is no ${scope}`, "scope");
  if (!isAccount(principal, world)) return noAccount(principal, "principal");
  if (held.roles.some((one) => isSame(one, command))) return [];
  if (held.roles.length >= limits.tenantRoles) return atMost(limits.tenantRoles, "roles");
  return [{ type: "RoleAssigned", id, scope, principal, role }];
}

function remove(command: Remove, held: Tenant, world: CloudWorld): Decision<TenantEvent> {
  const { id } = command;
  const found = held.roles.find((one) => isSame(one, command));
  if (found === undefined) return reject("not-found", "there is no such role", "principal");
  return keepsOwner(held, [found], world) ? [removed(id, found)] : noOwner;
}

function removePrincipal(principal: string, held: Tenant, world: CloudWorld): Decision<TenantEvent> {
  const gone = held.roles.filter((one) => one.principal === principal);
  return keepsOwner(held, gone, world) ? gone.map((one) => removed(held.id, one)) : noOwner;
}

/** Returns whether a tenant has an owner without some roles. A personal tenant always has one. */
function keepsOwner({ id, roles }: Tenant, without: readonly Assignment[], world: CloudWorld): boolean {
  const isOwner = (one: Assignment): boolean => one.role === "owner" && partOf(one.scope)?.kind === "tenant";
  if (isAccount(id, world) || !without.some(isOwner)) return true;
  return roles.some((one) => isOwner(one) && !without.includes(one));
}

const noOwner = reject(
  "wrong-state",
  "a tenant keeps an owner: give another account that role first",
  "role",
);

/** Returns the events that remove the roles in a part of a tenant, and below it. */
export function rolesRemoved(id: string, scope: string, world: Pick<CloudWorld, "get">): TenantEvent[] {
  const roles = world.get("tenant", id)?.roles ?? [];
  return roles.flatMap((one) => (isWithin(one.scope, scope) ? [removed(id, one)] : []));
}

function removed(id: string, { scope, principal, role }: Assignment): TenantEvent {
  return { type: "RoleRemoved", id, scope, principal, role };
}

function isSame(one: Assignment, other: Assignment): boolean {
  const { scope, principal, role } = other;
  return one.principal === principal && one.role === role && keyOf(one.scope) === keyOf(scope);
}

/** Returns whether a part exists and is one of this tenant. */
function isPartOf(part: Part | undefined, id: string, world: CloudWorld): boolean {
  if (part === undefined) return false;
  if (part.kind === "tenant") return part.tenant === id;
  const held = world.get("subscription", part.subscription);
  const isOwn = held === undefined ? part.subscription === id : held.tenant === id;
  if (!isOwn || part.kind === "subscription") return isOwn;
  const group = held && named(held.groups, part.group);
  if (part.kind === "group" || group === undefined) return group !== undefined;
  const resource = named(group.resources, part.name);
  return resource !== undefined && keyOf(resource.provider) === keyOf(part.provider);
}

function noAccount(id: string, field: string): ReturnType<typeof reject> {
  return reject("not-found", `there is no account ${id}`, field);
}
