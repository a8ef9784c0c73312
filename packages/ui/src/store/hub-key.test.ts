import assert from "node:assert/strict";
import { test } from "node:test";
import { endOf, userOf } from "./hub-key.ts";

const key = (claims: unknown): string =>
  `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`;

test("finds the user in a key", () => {
  assert.equal(userOf(key({ user_id: "ann-?>", role: 64 })), "ann-?>");
});

for (const bad of ["", "nonsense", "a.b.c", key({ user_id: 5 }), key(null), `${key({})}x`]) {
  test(`finds nobody in ${JSON.stringify(bad.slice(0, 20))}`, () => assert.equal(userOf(bad), ""));
}

test("finds when a key expires, in ms", () => {
  assert.equal(endOf(key({ exp: 1_800_000_000 })), 1_800_000_000_000);
});

for (const bad of ["nonsense", key({ exp: "soon" }), key({})]) {
  test(`finds no end of ${JSON.stringify(bad.slice(0, 20))}`, () => assert.equal(endOf(bad), Infinity));
}
