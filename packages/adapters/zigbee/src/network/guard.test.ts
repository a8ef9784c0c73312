import assert from "node:assert/strict";
import { test } from "node:test";
import { stickKinds } from "../settings.ts";
import { guardSticks } from "./guard.ts";
import { around, guardedOf, withPermit } from "./permit.ts";

for (const kind of stickKinds)
  test(`the library still has the decision points that are guarded for ${kind} sticks`, async () => {
    await assert.doesNotReject(guardSticks(kind));
    await assert.doesNotReject(guardSticks(kind));
  });

test("a guard fails when the library has lost its decision point", () => {
  assert.throws(() => around({}, "initTrustCenter", () => {}), /has no initTrustCenter in this version/);
});

test("a guard fails when the library has lost the permit", () => {
  const options = withPermit({ panID: 1 }, () => {}, 7, "0x01");
  assert.deepEqual([guardedOf({ ...options }).sent, guardedOf({ ...options }).address], [7, "0x01"]);
  assert.throws(() => guardedOf({ panID: 1 }), /has lost the options/);
});
