import assert from "node:assert/strict";
import { test } from "node:test";
import type { DomainEvent } from "@ledge/model";
import { isRejection, limits, roles } from "@ledge/model";
import fc from "fast-check";
import type { AuthorizationEvent } from "./authorization-events.ts";
import type { AuthorizationCommand } from "./authorization-commands.ts";
import type { HubAuthorizations } from "./authorization-state.ts";
import { authorizations } from "./authorizations.ts";
import type { CloudWorld } from "./states.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const numRuns = 200 * Number(process.env["EFFORT"] ?? 1);
const id = "hub";
const person = fc.constantFrom("a", "b", "c", "d", "e", "f");
const role = fc.constantFrom(64, 32, 8, 4, 2, 1, 0, 128, 33);
const codeDigest = fc.constantFrom("x", "y");
const optionalCode = fc.option(codeDigest, { nil: undefined });

const commands: fc.Arbitrary<AuthorizationCommand> = fc.oneof(
  fc.record({ type: fc.constant("CLAIM_HUB" as const), id: fc.constant(id), owner: person }),
  { arbitrary: fc.constant({ type: "RELEASE_HUB" as const, id }), weight: 1 },
  {
    arbitrary: fc.record({
      type: fc.constant("INVITE" as const),
      id: fc.constant(id),
      by: person,
      user: person,
      role,
      codeDigest,
    }),
    weight: 40,
  },
  {
    arbitrary: fc
      .record({ user: person, codeDigest: optionalCode })
      .map(({ user, codeDigest: code }): AuthorizationCommand => {
        return { type: "ACCEPT_INVITATION", id, user, ...(code !== undefined && { codeDigest: code }) };
      }),
    weight: 40,
  },
  {
    arbitrary: fc.record({
      type: fc.constant("SET_ROLE" as const),
      id: fc.constant(id),
      by: person,
      user: person,
      role,
    }),
    weight: 20,
  },
  {
    arbitrary: fc.record({
      type: fc.constant("REVOKE" as const),
      id: fc.constant(id),
      by: person,
      user: person,
    }),
    weight: 14,
  },
  fc.record({
    type: fc.constant("REVOKE_AT_HUB" as const),
    id: fc.constant(id),
    users: fc.array(person, { maxLength: 2 }),
  }),
  {
    arbitrary: fc.record({
      type: fc.constant("OFFER_OWNERSHIP" as const),
      id: fc.constant(id),
      by: person,
      to: person,
      codeDigest,
    }),
    weight: 16,
  },
  fc.record({ type: fc.constant("WITHDRAW_OFFER" as const), id: fc.constant(id), by: person }),
  {
    arbitrary: fc.record({
      type: fc.constant("ACCEPT_OWNERSHIP" as const),
      id: fc.constant(id),
      user: person,
    }),
    weight: 16,
  },
  fc.record({ type: fc.constant("NOTE_SEEN" as const), id: fc.constant(id), seq: fc.nat(20) }),
);

const steps = fc.array(
  fc.record({
    command: commands,
    passes: fc.nat(40).map((chance) => (chance === 0 ? limits.invitationMs : 1)),
  }),
  { minLength: 60, maxLength: 120 },
);

/** A world in which every account and the hub exist; the decider reads nothing else. */
function worldAt(now: number): CloudWorld {
  return { now, get: () => ({ forgotten: false }) } as unknown as CloudWorld;
}

/** The part of the state that the hub must learn. */
function signed(state: HubAuthorizations | undefined): string {
  return JSON.stringify(state?.users.map(({ user, role: held }) => [user, held]).toSorted() ?? []);
}

function assertSound(before: HubAuthorizations | undefined, state: HubAuthorizations): void {
  const owners = state.users.filter((one) => one.role === roles.OWNER_ADMIN);
  assert.equal(owners.length, state.users.length === 0 ? 0 : 1, "exactly one owner");
  const listed = state.users.map(({ user }) => user);
  assert.equal(new Set(listed).size, listed.length, "each user once");
  const pending = state.invitations.map(({ user }) => user);
  assert.equal(new Set(pending).size, pending.length, "one invitation each");
  assert.ok(!pending.some((user) => listed.includes(user)), "no pending user is in the list");
  for (const one of state.users) assert.ok([64, 32, 8, 4, 2].includes(one.role), "a known role");
  for (const { by } of state.invitations) {
    const granter = state.users.find(({ user }) => user === by)?.role ?? 0;
    assert.ok(granter >= roles.USER_ADMIN, "every inviter may manage access");
  }
  const hasChanged = signed(before) !== signed(state);
  const grown = state.seq - (before?.seq ?? 0);
  assert.ok(
    hasChanged ? grown > 0 : grown >= 0,
    "the number grows with every change that the hub must learn",
  );
  assert.ok(state.seen <= state.seq && state.seen >= (before?.seen ?? 0));
}

test(`a claimed hub always has one owner, and its list number only grows (SEED=${seed})`, () => {
  let transfers = 0;
  let accepted = 0;
  fc.assert(
    fc.property(steps, (walk) => {
      let state: HubAuthorizations | undefined;
      let now = 1000;
      const claimed: AuthorizationCommand = { type: "CLAIM_HUB", id, owner: "a" };
      for (const { command, passes } of [{ command: claimed, passes: 1 }, ...walk]) {
        now += passes;
        const decision = authorizations.decide(command, state, worldAt(now));
        if (isRejection(decision)) continue;
        const before = state;
        for (const event of decision as readonly DomainEvent[]) {
          if (event.type === "OwnershipTransferred") transfers++;
          if (event.type === "InvitationAccepted") accepted++;
          const after = authorizations.evolve(state, event as AuthorizationEvent, now);
          assert.ok(after);
          const owners = after.users.filter((one) => one.role === roles.OWNER_ADMIN).length;
          assert.equal(owners, after.users.length === 0 ? 0 : 1, "one owner after every event");
          state = after;
        }
        if (state !== undefined) assertSound(before, state);
        if (before !== undefined && decision.length === 0) assert.equal(state, before);
      }
    }),
    { seed, numRuns },
  );
  assert.ok(transfers > 5 && accepted > 5, `only ${transfers} transfers and ${accepted} accepted`);
});
