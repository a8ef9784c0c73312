import { reject, roles } from "@ledge/model";
import { type AuthorizationEvent, authorizationEvents } from "./authorization-events.ts";
import type { AuthorizationCommand } from "./authorization-commands.ts";
import type { AuthorizedUser, HubAuthorizations, Invitation } from "./authorization-state.ts";
import { acceptInvitation, invite, revoke, revokeAtHub, setRole } from "./inviting.ts";
import { acceptOwnership, claim, disown, offerOwnership, withdrawOffer } from "./owning.ts";
import type { CloudDecider } from "./states.ts";

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
        if (seq > state.seq) return reject("invalid", `the newest list has number ${state.seq}`, "seq");
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

/** Returns what an event changes of the state. The number grows with every change that the hub must learn. */
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
