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

/** Returns the account of a hub's owner; undefined while the hub is unclaimed. */
export function ownerOf(state: HubAuthorizations | undefined): string | undefined {
  return state?.users.find(({ role }) => role === roles.OWNER_ADMIN)?.user;
}

/**
 * Makes an account the owner of a hub. A repeated claim changes nothing: the hub has missed the answer. A hub
 * with another owner is refused: a stranger may have gained access to the hub.
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
    return reject(
      "wrong-state",
      "this hub has an owner, who must first disown it or offer the ownership",
      "email",
    );
  const isSole = state?.users.length === 1 && ownerOf(state) === owner;
  return isSole && state.invitations.length === 0
    ? []
    : [{ type: "HubClaimed", id, owner, ...(from !== undefined && { from }) }];
}

/** Lets the owner give the hub up: everybody loses access. */
export function disown({ id, by }: Of<"DISOWN_HUB">, state: HubAuthorizations): Decided {
  if (by !== ownerOf(state)) return reject("forbidden", "only the owner can disown a hub");
  return [{ type: "HubReleased", id }];
}

/** Offers the hub to an account; replaces an earlier offer. */
export function offerOwnership(
  { id, by, to, codeDigest }: Of<"OFFER_OWNERSHIP">,
  state: HubAuthorizations,
  world: CloudWorld,
): Decided {
  const actor = roleIn(state, by);
  if (actor === undefined) return noHub(id);
  if (actor !== roles.OWNER_ADMIN) return reject("forbidden", "only the owner can give the hub away");
  if (to === by) return reject("invalid", "this user is already the owner", "email");
  if (!isAccount(to, world)) return reject("not-found", `no account ${to}`, "email");
  const expires = world.now + limits.invitationMs;
  return [{ type: "OwnershipOffered", id, to, codeDigest, expires }];
}

/** Withdraws an offer, as its owner or its recipient. */
export function withdrawOffer({ id, by }: Of<"WITHDRAW_OFFER">, state: HubAuthorizations): Decided {
  if (by !== ownerOf(state) && by !== state.transfer?.to) return noHub(id);
  return state.transfer === null ? [] : [{ type: "OfferWithdrawn", id }];
}

/** Transfers the hub in one event: it never has two owners or none. */
export function acceptOwnership(
  { id, user, codeDigest }: Of<"ACCEPT_OWNERSHIP">,
  { users, transfer }: HubAuthorizations,
  world: CloudWorld,
): Decided {
  if (transfer?.to !== user || transfer.expires <= world.now)
    return reject("not-found", "this offer has expired, or was accepted or withdrawn");
  if (codeDigest !== undefined && !isSameDigest(codeDigest, transfer.codeDigest))
    return reject("not-found", "this offer has expired, or was accepted or withdrawn");
  const isKnown = users.some((one) => one.user === user);
  if (!isKnown && users.length >= limits.users) return reject("wrong-state", `at most ${limits.users} users`);
  return [{ type: "OwnershipTransferred", id, to: user }];
}
