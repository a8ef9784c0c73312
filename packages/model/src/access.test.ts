import assert from "node:assert/strict";
import { test } from "node:test";
import type { Access } from "./access.ts";
import { accessMasks, allows, grantableRoles, isRole, roles, stricter, SUPER_ADMIN } from "./access.ts";

/** hub-api 5.3: the roles that each access admits. */
const admitted: Readonly<Record<Access, readonly number[]>> = {
  SUPER_ADMIN: [SUPER_ADMIN],
  OWNER_ADMIN: [SUPER_ADMIN, 64],
  USER_ADMIN: [SUPER_ADMIN, 64, 32],
  IDENTIFIED_USER: [SUPER_ADMIN, 64, 32, 8],
  REMOTE_GUEST: [SUPER_ADMIN, 64, 32, 8, 4],
  GUEST: [SUPER_ADMIN, 64, 32, 8, 4, 2],
  ANONYMOUS: [SUPER_ADMIN, 64, 32, 8, 4, 2, 1],
};
const names = Object.keys(admitted) as Access[];
const everyRole = [SUPER_ADMIN, ...Object.values(roles)];

for (const access of names) {
  test(`${access} admits ${admitted[access].join(", ")} and no other role`, () => {
    assert.deepEqual(
      everyRole.filter((role) => allows(access, role)).toSorted((a, b) => b - a),
      admitted[access],
    );
    assert.equal(allows(access, 0), false);
  });
}

test("the masks match the specification", () => {
  const masks = [0x80, 0xc0, 0xe0, 0xf8, 0xfc, 0xfe, 0xff];
  assert.deepEqual(
    names.map((name) => accessMasks[name]),
    masks,
  );
});

test("isRole accepts exactly the six role bits", () => {
  const known = Array.from({ length: 256 }, (_, value) => value).filter(isRole);
  assert.deepEqual(known, [1, 2, 4, 8, 32, 64]);
  for (const value of [-1, 0.5, NaN, 256, 2 ** 32 + 2]) assert.equal(isRole(value), false);
});

test("the roles of owner, console and anonymous callers cannot be granted", () => {
  assert.deepEqual(
    [...grantableRoles].toSorted((a, b) => a - b),
    [2, 4, 8, 32],
  );
});

test("stricter returns the access that admits fewer roles", () => {
  for (const [index, strict] of names.entries()) {
    for (const loose of names.slice(index)) {
      assert.equal(stricter(strict, loose), strict);
      assert.equal(stricter(loose, strict), strict);
    }
  }
});
