import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestKernel } from "@ledge/testkit";
import fc from "fast-check";
import { roles } from "./access.ts";
import type { Command } from "./decider.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const numRuns = 100 * Number(process.env["EFFORT"] ?? 1);
const id = fc.constantFrom("a", "b", "c", "d", "e");
const lesser = fc.constantFrom(32, 8, 4, 2);
const emailOf = (user: string): string => `${user}@example.org`;

interface Step {
  readonly type: string;
  readonly [field: string]: unknown;
}

const list = fc
  .uniqueArray(fc.tuple(id, lesser), { selector: ([user]) => user, maxLength: 5 })
  .map((users): Step => ({
    type: "TAKE_AUTHORIZATIONS",
    users: users.map(([user, role], at) => {
      return { id: user, email: emailOf(user), nickname: user, role: at === 0 ? roles.OWNER_ADMIN : role };
    }),
  }));
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: list, weight: 4 },
  fc.record({ type: fc.constant("SET_USER_ROLE"), id, role: lesser }),
  fc.record({ type: fc.constant("REVOKE_USER"), id }),
  fc.record({ type: fc.constant("CMD_USER"), id, revoked: fc.boolean() }),
  fc.record({ type: fc.constant("FORGET_USER"), id }),
  fc.record({ type: fc.constant("TRANSFER_OWNERSHIP"), email: id.map(emailOf) }),
);

test(`after any changes by cloud and hub: one owner, and access only by lists (SEED=${seed})`, async () => {
  const run = fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
    const home = openTestKernel();
    const hub = await home.accept({ type: "CREATE_HUB", name: "Hub", timezone: "UTC" });
    const trust = { type: "TRUST_CLOUD", id: hub, url: "u", issuer: "i", keys: [] };
    await home.accept(trust);
    let seq = 0;
    for (const one of steps) {
      home.clock.advance(1);
      const command: Command & Step = { id: hub, ...one };
      const isList = one.type === "TAKE_AUTHORIZATIONS";
      const before = new Map([...home.kernel.all("user")].map(([user, { listed }]) => [user, listed]));
      const { accepted } = await home.submit(isList ? { ...command, seq: ++seq } : command);
      const { owner = null, cloud } = home.kernel.get("hub", hub) ?? {};
      const users = [...home.kernel.all("user")].map(([, user]) => user);
      const owners = users.filter(({ user_info }) => user_info.role === roles.OWNER_ADMIN);
      assert.deepEqual(
        owners.map((user) => user.id),
        owner === null ? [] : [owner],
      );
      assert.ok(
        owners.every(({ revoked }) => !revoked),
        "the owner has access",
      );
      if (!isList || !accepted) continue;
      assert.equal(cloud?.seq, seq);
      const told = one["users"] as { id: string; role: number }[];
      for (const user of users) {
        const role = told.find((entry) => entry.id === user.id)?.role ?? null;
        assert.equal(user.listed, role, "the hub knows what the cloud says");
        if (role === null && before.get(user.id) && user.id !== owner) assert.ok(user.revoked, "dropped");
        if (role !== null && role !== before.get(user.id)) {
          assert.ok(!user.revoked, "added or changed");
          if (user.id !== owner) assert.equal(user.user_info.role, role);
        }
      }
    }
    await home.kernel.close();
  });
  await fc.assert(run, { seed, numRuns });
});
