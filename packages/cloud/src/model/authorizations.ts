import { reject, roles } from "@ledge/model";
import { type AuthorizationEvent, authorizationEvents } from "./authorization-events.ts";
import { acceptInvitation, invite, revoke, revokeAtHub, setRole } from "./inviting.ts";
import { acceptOwnership, claim, disown, offerOwnership, withdrawOffer } from "./owning.ts";
import type { CloudDecider } from "./states.ts";

/** Who has access to a hub, as a numbered list: `id` is the hub's. */
export interface HubAuthorizations {
  readonly id: string;
  /** Number of the list: grows with every change that the hub has to hear of. */
  readonly seq: number;
  /** The newest number that the hub says to have taken. */
  readonly seen: number;
  /** Who has access. Exactly one of them is the owner; nobody is there while the hub is not claimed. */
  readonly users: readonly AuthorizedUser[];
  readonly invitations: readonly Invitation[];
  /** The ownership is offered to somebody. */
  readonly transfer: Transfer | null;
  /** How the owner came to be it; null once the hub was given away. States of before do not say. */
  readonly claim?: Claim | null;
  readonly timestamp: number;
}

export interface AuthorizedUser {
  /** An account. */
  readonly user: string;
  /** One role bit of hub-api 5.3; the owner's is `OWNER_ADMIN`. */
  readonly role: number;
  /** Since when (ms). */
  readonly since: number;
  /** Number of the list by which they were given access: HubKeys from before it are refused. */
  readonly granted: number;
}

/** Somebody may have access as soon as they accept. */
export interface Invitation {
  readonly user: string;
  readonly role: number;
  /** Who has invited them; without a say any more, their invitations are withdrawn. */
  readonly by: string;
  /** Keyed digest of the code in the link that was sent. */
  readonly codeDigest: string;
  /** ms since the epoch. */
  readonly expires: number;
}

export interface Transfer {
  readonly to: string;
  readonly codeDigest: string;
  readonly expires: number;
}

/** A hub has named its owner. */
export interface Claim {
  /** ms since the epoch. */
  readonly at: number;
  /** Network address that the hub called from; null where that is not known. */
  readonly from: string | null;
}

/** `id` is the hub's; `by` is the account of whoever wants it. */
export type AuthorizationCommand =
  /** A hub without an owner names one. Who had access before has none any more. */
  | { type: "CLAIM_HUB"; id: string; owner: string; from?: string }
  /** By who runs the cloud: nobody has access any more. */
  | { type: "RELEASE_HUB"; id: string }
  /** By its owner: nobody has access any more. */
  | { type: "DISOWN_HUB"; id: string; by: string }
  /** A further one takes the place of the one before. */
  | { type: "INVITE"; id: string; by: string; user: string; role: number; codeDigest: string }
  /** @param codeDigest of the code that was given; left out where the account names the hub */
  | { type: "ACCEPT_INVITATION"; id: string; user: string; codeDigest?: string }
  /** Of somebody who has access, or who is invited. */
  | { type: "SET_ROLE"; id: string; by: string; user: string; role: number }
  /** Takes access away, or an invitation back; from oneself too, unless one is the owner. */
  | { type: "REVOKE"; id: string; by: string; user: string }
  /** What the owner has revoked at the hub itself. Who has no access is passed over. */
  | { type: "REVOKE_AT_HUB"; id: string; users: readonly string[] }
  | { type: "OFFER_OWNERSHIP"; id: string; by: string; to: string; codeDigest: string }
  /** By the owner, or by whom it is offered to. */
  | { type: "WITHDRAW_OFFER"; id: string; by: string }
  | { type: "ACCEPT_OWNERSHIP"; id: string; user: string; codeDigest?: string }
  /** After a restore: no number that was given since the backup is given again. */
  | { type: "RENUMBER_LIST"; id: string; above: number }
  /** The hub has taken the list of this number. */
  | { type: "NOTE_SEEN"; id: string; seq: number };

export const authorizations: CloudDecider<HubAuthorizations, AuthorizationCommand, AuthorizationEvent> = {
  kind: "authorizations",
  commands: [
    "CLAIM_HUB",
    "RELEASE_HUB",
    "DISOWN_HUB",
    "INVITE",
    "ACCEPT_INVITATION",
    "SET_ROLE",
    "REVOKE",
    "REVOKE_AT_HUB",
    "OFFER_OWNERSHIP",
    "WITHDRAW_OFFER",
    "ACCEPT_OWNERSHIP",
    "RENUMBER_LIST",
    "NOTE_SEEN",
  ],
  events: authorizationEvents,
  personal: { "claim.from": null },

  target: (command) => command.id,

  decide(command, state, world) {
    if (command.type === "CLAIM_HUB") return claim(command, state, world);
    if (command.type === "RENUMBER_LIST") {
      const { id, above } = command;
      return state === undefined ? [] : [{ type: "ListRenumbered", id, seq: Math.max(state.seq, above) + 1 }];
    }
    if (state === undefined || (state.users.length === 0 && command.type !== "NOTE_SEEN"))
      return reject("not-found", `no hub ${command.id}`, "hubId");
    switch (command.type) {
      case "RELEASE_HUB":
        return [{ type: "HubReleased", id: state.id }];
      case "DISOWN_HUB":
        return disown(command, state);
      case "INVITE":
        return invite(command, state, world);
      case "ACCEPT_INVITATION":
        return acceptInvitation(command, state, world);
      case "SET_ROLE":
        return setRole(command, state, world);
      case "REVOKE":
        return revoke(command, state);
      case "REVOKE_AT_HUB":
        return revokeAtHub(command, state);
      case "OFFER_OWNERSHIP":
        return offerOwnership(command, state, world);
      case "WITHDRAW_OFFER":
        return withdrawOffer(command, state);
      case "ACCEPT_OWNERSHIP":
        return acceptOwnership(command, state, world);
      case "NOTE_SEEN": {
        const { id, seq } = command;
        if (seq > state.seq) return reject("invalid", `the list has number ${state.seq}`, "seq");
        return seq <= state.seen ? [] : [{ type: "AuthorizationsSeen", id, seq }];
      }
    }
  },

  evolve(state, event, timestamp) {
    const before = state ?? { id: event.id, seq: 0, seen: 0, ...nobody, timestamp };
    return { ...before, ...changed(before, event, timestamp), timestamp };
  },
};

const nobody = { users: [], invitations: [], transfer: null, claim: null } as const;

/** What an event changes of the state; the number grows with what the hub has to hear of. */
function changed(
  { seq, users, invitations }: HubAuthorizations,
  event: AuthorizationEvent,
  since: number,
): Partial<HubAuthorizations> {
  const invitedBut = (user: string): readonly Invitation[] => invitations.filter((one) => one.user !== user);
  const usersBut = (user: string): readonly AuthorizedUser[] => users.filter((one) => one.user !== user);
  const next = seq + 1;
  switch (event.type) {
    case "HubClaimed":
      return {
        ...nobody,
        seq: next,
        users: [{ user: event.owner, role: roles.OWNER_ADMIN, since, granted: next }],
        claim: { at: since, from: event.from || null },
      };
    case "HubReleased":
      return { ...nobody, seq: next };
    case "UserInvited": {
      const { user, role, by, codeDigest, expires } = event;
      return { invitations: [...invitedBut(user), { user, role, by, codeDigest, expires }] };
    }
    case "InvitationWithdrawn":
      return { invitations: invitedBut(event.user) };
    case "InvitationAccepted": {
      const { user, role } = event;
      const joined = [...usersBut(user), { user, role, since, granted: next }];
      return { seq: next, users: joined, invitations: invitedBut(user) };
    }
    case "RoleChanged": {
      const { user, role } = event;
      return { seq: next, users: users.map((one) => (one.user === user ? { ...one, role, since } : one)) };
    }
    case "AccessRevoked":
      return { seq: next, users: usersBut(event.user) };
    case "OwnershipOffered": {
      const { to, codeDigest, expires } = event;
      return { transfer: { to, codeDigest, expires } };
    }
    case "OfferWithdrawn":
      return { transfer: null };
    case "OwnershipTransferred": {
      const { to } = event;
      const others = usersBut(to).map((one) =>
        one.role === roles.OWNER_ADMIN ? { ...one, role: roles.USER_ADMIN, since } : one,
      );
      const { granted = next } = users.find(({ user }) => user === to) ?? {};
      const owner = { user: to, role: roles.OWNER_ADMIN, since, granted };
      return {
        seq: next,
        users: [...others, owner],
        invitations: invitedBut(to),
        transfer: null,
        claim: null,
      };
    }
    case "ListRenumbered":
      return { seq: event.seq };
    case "AuthorizationsSeen":
      return { seen: event.seq };
  }
}
