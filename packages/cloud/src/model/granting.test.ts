import assert from "node:assert/strict";
import { test } from "node:test";
import { roles, SUPER_ADMIN } from "@ledge/model";
import { hasSayOver, isGranter, mayGrant } from "./granting.ts";

const { OWNER_ADMIN, USER_ADMIN, IDENTIFIED_USER, REMOTE_GUEST, GUEST, ANONYMOUS } = roles;
const everything = Array.from({ length: 257 }, (_, role) => role);
const grantable = [USER_ADMIN, IDENTIFIED_USER, REMOTE_GUEST, GUEST];
const belowAdmin = [IDENTIFIED_USER, REMOTE_GUEST, GUEST];
const none: readonly number[] = [];

/** Role -> the roles that it may grant, and the roles that it may manage. */
const expected: ReadonlyMap<number, readonly [grants: readonly number[], over: readonly number[]]> = new Map([
  [OWNER_ADMIN, [grantable, grantable]],
  [USER_ADMIN, [grantable, belowAdmin]],
  [IDENTIFIED_USER, [none, none]],
  [REMOTE_GUEST, [none, none]],
  [GUEST, [none, none]],
  [ANONYMOUS, [none, none]],
  [SUPER_ADMIN, [none, none]],
]);

function assertSays(role: number): void {
  const [grants, over] = expected.get(role) ?? [none, none];
  for (const other of everything) {
    assert.equal(mayGrant(role, other), grants.includes(other), `${role} grants ${other}`);
    assert.equal(hasSayOver(role, other), over.includes(other), `${role} over ${other}`);
  }
  assert.equal(isGranter(role), grants.length > 0);
}

for (const role of expected.keys()) {
  test(`role ${role} may grant and manage exactly the roles in the table`, () => assertSays(role));
}

test("an unknown role may manage nobody", () => {
  for (const role of everything) if (!expected.has(role)) assertSays(role);
});
