import { type Decision, limits, reject, roles } from "@ledge/model";
import type { AuthorizationEvent } from "./authorization-events.ts";
import type { AuthorizationCommand } from "./authorization-commands.ts";
import type { HubAuthorizations } from "./authorization-state.ts";
import { isSameDigest } from "./digest.ts";
import { noHub, roleIn } from "./inviting.ts";
import type { CloudWorld } from "./states.ts";
import { isAccount } from "./account.ts";

type Of<Type extends AuthorizationCommand["type"]> = Extract<AuthorizationCommand, { type: Type }>;
type Decided = Decision<AuthorizationEvent>;

/** The account of a hub's owner; undefined while the hub is not claimed. */
export function ownerOf(state: HubAuthorizations | undefined): string | undefined {
  return state?.users.find(({ role }) => role === roles.OWNER_ADMIN)?.user;
}

/**
 * A hub that asks again because it has not heard the answer changes nothing. One with another owner is not taken from
 * them: whoever speaks for the hub may have been let in by a stranger.
 */
export function claim(
  { id, owner, from }: Of<"CLAIM_HUB">,
  state: HubAuthorizations | undefined,
  world: CloudWorld,
): Decided {
  if (world.get("registration", id) === undefined) return noHub(id);
  if (!isAccount(owner, world)) return reject("not-found", `no account ${owner}`, "email");
  const present = ownerOf(state);
  if (present !== undefined && present !== owner)
    return reject("wrong-state", "this hub has an owner, who gives it up or offers it first", "email");
  const isSole = state?.users.length === 1 && ownerOf(state) === owner;
  return isSole && state.invitations.length === 0
    ? []
    : [{ type: "HubClaimed", id, owner, ...(from !== undefined && { from }) }];
}

/** Nobody has access any more. */
export function disown({ id, by }: Of<"DISOWN_HUB">, state: HubAuthorizations): Decided {
  if (by !== ownerOf(state)) return reject("forbidden", "only its owner disowns a hub");
  return [{ type: "HubReleased", id }];
}

export function offerOwnership(
  { id, by, to, codeDigest }: Of<"OFFER_OWNERSHIP">,
  state: HubAuthorizations,
  world: CloudWorld,
): Decided {
  const actor = roleIn(state, by);
  if (actor === undefined) return noHub(id);
  if (actor !== roles.OWNER_ADMIN) return reject("forbidden", "only the owner gives the hub away");
  if (to === by) return reject("invalid", "this is the owner already", "email");
  if (!isAccount(to, world)) return reject("not-found", `no account ${to}`, "email");
  const expires = world.now + limits.invitationMs;
  return [{ type: "OwnershipOffered", id, to, codeDigest, expires }];
}

export function withdrawOffer({ id, by }: Of<"WITHDRAW_OFFER">, state: HubAuthorizations): Decided {
  if (by !== ownerOf(state) && by !== state.transfer?.to) return noHub(id);
  return state.transfer === null ? [] : [{ type: "OfferWithdrawn", id }];
}

/** One event: at no moment are there two owners or none. */
export function acceptOwnership(
  { id, user, codeDigest }: Of<"ACCEPT_OWNERSHIP">,
  { users, transfer }: HubAuthorizations,
  world: CloudWorld,
): Decided {
  if (transfer?.to !== user || transfer.expires <= world.now)
    return reject("not-found", "this offer is over");
  if (codeDigest !== undefined && !isSameDigest(codeDigest, transfer.codeDigest))
    return reject("not-found", "this offer is over");
  const isKnown = users.some((one) => one.user === user);
  if (!isKnown && users.length >= limits.users) return reject("wrong-state", `at most ${limits.users} users`);
  return [{ type: "OwnershipTransferred", id, to: user }];
}
