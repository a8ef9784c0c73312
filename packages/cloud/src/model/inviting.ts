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

/** The role that somebody holds; undefined for whoever has no access, invited or not. */
export function roleIn({ users }: HubAuthorizations, user: string): number | undefined {
  return users.find((one) => one.user === user)?.role;
}

/** Whoever has no access does not learn whether there is such a hub. */
export function noHub(id: string): Rejection {
  return reject("not-found", `no hub ${id}`, "hubId");
}

export function invite(command: Of<"INVITE">, state: HubAuthorizations, world: CloudWorld): Decided {
  const { id, by, user, role, codeDigest } = command;
  const actor = roleIn(state, by);
  if (actor === undefined) return noHub(id);
  const refused = refusedRole(actor, role);
  if (refused !== undefined) return refused;
  if (roleIn(state, user) !== undefined)
    return reject("wrong-state", "this user has access already: change the role", "email");
  const pending = state.invitations.find((one) => one.user === user);
  if (pending !== undefined && pending.by !== by && !hasSayOver(actor, pending.role))
    return reject("forbidden", "this invitation is not yours to change", "email");
  const gone = state.invitations.filter(({ expires }) => expires <= world.now);
  const left = state.invitations.length - gone.length;
  if (pending === undefined && left >= limits.invitationsPerHub)
    return reject("wrong-state", `at most ${limits.invitationsPerHub} invitations that nobody has accepted`);
  if (!isAccount(user, world)) return reject("not-found", `no account ${user}`, "email");
  const expires = world.now + limits.invitationMs;
  const swept = gone.filter((one) => one !== pending).map((one) => withdrawn(id, one.user));
  return [...swept, { type: "UserInvited", id, user, role, by, codeDigest, expires }];
}

export function acceptInvitation(
  { id, user, codeDigest }: Of<"ACCEPT_INVITATION">,
  state: HubAuthorizations,
  world: CloudWorld,
): Decided {
  const invitation = state.invitations.find((one) => one.user === user);
  if (invitation === undefined || invitation.expires <= world.now)
    return reject("not-found", "this invitation is over");
  if (codeDigest !== undefined && !isSameDigest(codeDigest, invitation.codeDigest))
    return reject("not-found", "this invitation is over");
  if (state.users.length >= limits.users) return reject("wrong-state", `at most ${limits.users} users`);
  return [{ type: "InvitationAccepted", id, user, role: invitation.role }];
}

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

export function revoke({ id, by, user }: Of<"REVOKE">, state: HubAuthorizations): Decided {
  const actor = roleIn(state, by);
  const held = roleIn(state, user);
  const invitation = state.invitations.find((one) => one.user === user);
  const isOneself = by === user && (held !== undefined || invitation !== undefined);
  if (actor === undefined && !isOneself) return noHub(id);
  if (held === roles.OWNER_ADMIN)
    return reject("forbidden", "an owner is not revoked: give the hub away or disown it", "email");
  const about = held ?? invitation?.role;
  if (about === undefined) return reject("not-found", "this user has no access", "email");
  const isOwn = held === undefined && invitation?.by === by;
  if (!isOneself && !isOwn && !hasSayOver(actor ?? 0, about))
    return reject("forbidden", "this user's access is not yours to take away", "email");
  return held === undefined ? [withdrawn(id, user)] : revoked(state, user);
}

export function revokeAtHub({ users }: Of<"REVOKE_AT_HUB">, state: HubAuthorizations): Decided {
  const events: AuthorizationEvent[] = [];
  for (const user of new Set(users)) {
    const held = roleIn(state, user);
    if (held === roles.OWNER_ADMIN) return reject("forbidden", "the owner cannot be revoked", "users");
    if (held !== undefined) events.push(...revoked(state, user));
  }
  return events;
}

/** Somebody's access ends, and what they had under way. */
function revoked(state: HubAuthorizations, user: string): AuthorizationEvent[] {
  const { id, transfer } = state;
  const offer: AuthorizationEvent[] = transfer?.to === user ? [{ type: "OfferWithdrawn", id }] : [];
  return [{ type: "AccessRevoked", id, user }, ...withdrawnOf(state, user), ...offer];
}

/** Whom somebody has invited who has no say any more, nobody has invited. */
function withdrawnOf({ id, invitations }: HubAuthorizations, by: string): AuthorizationEvent[] {
  return invitations.filter((one) => one.by === by).map(({ user }) => withdrawn(id, user));
}

function withdrawn(id: string, user: string): AuthorizationEvent {
  return { type: "InvitationWithdrawn", id, user };
}

/** Why somebody of the role `actor` may not give a role. */
function refusedRole(actor: number, role: number): Rejection | undefined {
  if (!isRole(role)) return reject("invalid", `${role} is no role`, "role");
  if (mayGrant(actor, role)) return undefined;
  if (!isGranter(actor)) return reject("forbidden", "only the owner and admins grant access");
  return reject("invalid", `role ${role} cannot be granted`, "role");
}
