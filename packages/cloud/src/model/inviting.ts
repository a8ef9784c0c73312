import { type Decision, isRole, limits, reject, type Rejection, roles } from "@ledge/model";
import type { AuthorizationEvent } from "./authorization-events.ts";
import type { AuthorizationCommand } from "./authorization-commands.ts";
import type { HubAuthorizations } from "./authorization-state.ts";
import { isSameDigest } from "./digest.ts";
import { hasSayOver, isGranter, mayGrant } from "./granting.ts";
import type { CloudWorld } from "./states.ts";
import { isAccount } from "./account.ts";

type Of<Type extends AuthorizationCommand["type"]> = Extract<AuthorizationCommand, { type: Type }>;
type Decided = Decision<AuthorizationEvent>;

/** Returns the role of a user with access; undefined for everybody else, also for invited users. */
export function roleIn({ users }: HubAuthorizations, user: string): number | undefined {
  return users.find((one) => one.user === user)?.role;
}

/** Rejects a user without access, who must not learn whether the hub exists. */
export function noHub(id: string): Rejection {
  return reject("not-found", `no hub ${id}`, "hubId");
}

/** Invites a user. The invitation replaces an earlier one of the same user. */
export function invite(command: Of<"INVITE">, state: HubAuthorizations, world: CloudWorld): Decided {
  const { id, by, user, role, codeDigest } = command;
  const actor = roleIn(state, by);
  if (actor === undefined) return noHub(id);
  const refused = refusedRole(actor, role);
  if (refused !== undefined) return refused;
  if (roleIn(state, user) !== undefined)
    return reject("wrong-state", "this user already has access: change the role", "email");
  const pending = state.invitations.find((one) => one.user === user);
  if (pending !== undefined && pending.by !== by && !hasSayOver(actor, pending.role))
    return reject("forbidden", "this invitation is not yours to change", "email");
  const gone = state.invitations.filter(({ expires }) => expires <= world.now);
  const left = state.invitations.length - gone.length;
  if (pending === undefined && left >= limits.invitationsPerHub)
    return reject("wrong-state", `at most ${limits.invitationsPerHub} open invitations`);
  if (!isAccount(user, world)) return reject("not-found", `no account ${user}`, "email");
  const expires = world.now + limits.invitationMs;
  const swept = gone.filter((one) => one !== pending).map((one) => withdrawn(id, one.user));
  return [...swept, { type: "UserInvited", id, user, role, by, codeDigest, expires }];
}

/** Gives an invited user access. Without `codeDigest` the user is logged in. */
export function acceptInvitation(
  { id, user, codeDigest }: Of<"ACCEPT_INVITATION">,
  state: HubAuthorizations,
  world: CloudWorld,
): Decided {
  const invitation = state.invitations.find((one) => one.user === user);
  if (invitation === undefined || invitation.expires <= world.now)
    return reject("not-found", "this invitation has expired, or was used or withdrawn");
  if (codeDigest !== undefined && !isSameDigest(codeDigest, invitation.codeDigest))
    return reject("not-found", "this invitation has expired, or was used or withdrawn");
  if (state.users.length >= limits.users) return reject("wrong-state", `at most ${limits.users} users`);
  return [{ type: "InvitationAccepted", id, user, role: invitation.role }];
}

/** Changes the role of a user or of an open invitation. */
export function setRole(command: Of<"SET_ROLE">, state: HubAuthorizations, world: CloudWorld): Decided {
  const { id, by, user, role } = command;
  const actor = roleIn(state, by);
  if (actor === undefined) return noHub(id);
  const refused = refusedRole(actor, role);
  if (refused !== undefined) return refused;
  const held = roleIn(state, user);
  const invitation = state.invitations.find((one) => one.user === user && one.expires > world.now);
  if (held === undefined && invitation === undefined)
    return reject("not-found", "this user has no access", "email");
  if (held === roles.OWNER_ADMIN) return reject("forbidden", "ownership moves by transfer only", "email");
  if (!hasSayOver(actor, held ?? invitation?.role ?? 0))
    return reject("forbidden", "this user's access is not yours to change", "email");
  if (role === (held ?? invitation?.role)) return [];
  if (invitation !== undefined) return [{ type: "UserInvited", id, ...invitation, role }];
  return [{ type: "RoleChanged", id, user, role }, ...(isGranter(role) ? [] : withdrawnOf(state, user))];
}

/** Revokes a user's access or withdraws an invitation, for another user or oneself. */
export function revoke({ id, by, user }: Of<"REVOKE">, state: HubAuthorizations): Decided {
  const actor = roleIn(state, by);
  const held = roleIn(state, user);
  const invitation = state.invitations.find((one) => one.user === user);
  const isOneself = by === user && (held !== undefined || invitation !== undefined);
  if (actor === undefined && !isOneself) return noHub(id);
  if (held === roles.OWNER_ADMIN)
    return reject("forbidden", "the owner cannot be revoked: give the hub away or disown it", "email");
  const about = held ?? invitation?.role;
  if (about === undefined) return reject("not-found", "this user has no access", "email");
  const isOwn = held === undefined && invitation?.by === by;
  if (!isOneself && !isOwn && !hasSayOver(actor ?? 0, about))
    return reject("forbidden", "this user's access is not yours to revoke", "email");
  return held === undefined ? [withdrawn(id, user)] : revoked(state, user);
}

/** Revokes users whom the owner has revoked at the hub; skips users without access. */
export function revokeAtHub({ users }: Of<"REVOKE_AT_HUB">, state: HubAuthorizations): Decided {
  const events: AuthorizationEvent[] = [];
  for (const user of new Set(users)) {
    const held = roleIn(state, user);
    if (held === roles.OWNER_ADMIN) return reject("forbidden", "the owner cannot be revoked", "users");
    if (held !== undefined) events.push(...revoked(state, user));
  }
  return events;
}

/** Revokes access, the user's invitations and an offer to the user. */
function revoked(state: HubAuthorizations, user: string): AuthorizationEvent[] {
  const { id, transfer } = state;
  const offer: AuthorizationEvent[] = transfer?.to === user ? [{ type: "OfferWithdrawn", id }] : [];
  return [{ type: "AccessRevoked", id, user }, ...withdrawnOf(state, user), ...offer];
}

/** Withdraws the open invitations of a user who may no longer invite. */
function withdrawnOf({ id, invitations }: HubAuthorizations, by: string): AuthorizationEvent[] {
  return invitations.filter((one) => one.by === by).map(({ user }) => withdrawn(id, user));
}

function withdrawn(id: string, user: string): AuthorizationEvent {
  return { type: "InvitationWithdrawn", id, user };
}

/** Returns why a user with the role `actor` may not grant a role. */
function refusedRole(actor: number, role: number): Rejection | undefined {
  if (!isRole(role)) return reject("invalid", `${role} is not a role`, "role");
  if (mayGrant(actor, role)) return undefined;
  if (!isGranter(actor)) return reject("forbidden", "only the owner and admins can grant access");
  return reject("invalid", `role ${role} cannot be granted`, "role");
}
