import assert from "node:assert/strict";
import { test } from "node:test";
import type { Stake, Step } from "./verdict.ts";
import { judge, RefusedStick } from "./verdict.ts";

const fresh: Stake = { isKnown: false, isConfirmed: false, unrestorable: "there is no backup" };
const known: Stake = { isKnown: true, isConfirmed: false, unrestorable: undefined };
const bare: Stake = { ...known, unrestorable: "there is no backup" };

for (const [step, holdsOther, stake, refused] of [
  ["resume", false, fresh],
  ["resume", false, known],
  ["form", false, fresh],
  ["form", true, fresh, /another network, which is lost/],
  ["restore", false, known],
  ["restore", true, known],
  ["form", false, known, /no network, and the hub's own cannot be put onto it: it cannot be restored/],
  ["form", true, known, /another network, and the hub's own/],
  ["form", false, bare, /there is no backup/],
  ["restore", true, bare, /there is no backup/],
  ["form", true, { ...bare, isConfirmed: true }],
  ["form", true, { ...fresh, isConfirmed: true }],
] as readonly (readonly [Step, boolean, Stake, RegExp?])[])
  test(`judges a ${step} ${holdsOther ? "over another network" : "an empty stick"} with ${JSON.stringify(stake)}`, () => {
    if (refused === undefined) judge(step, holdsOther, stake);
    else
      assert.throws(
        () => judge(step, holdsOther, stake),
        (error: unknown) => error instanceof RefusedStick && refused.test(error.message),
      );
  });
