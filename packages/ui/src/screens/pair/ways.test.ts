import assert from "node:assert/strict";
import { test } from "node:test";
import { learningOf } from "./ways.ts";

for (const [id, how] of [
  ["newkaku.dimmer", "newkaku"],
  ["rts.cover", "rts"],
  ["heard.remote", "heard"],
  ["plug", undefined],
  ["heardless.remote", undefined],
  ["toString", undefined],
] as const)
  test(`the code of ${id} is learned by ${how ?? "its name alone"}`, () =>
    assert.equal(learningOf({ id }), how));
