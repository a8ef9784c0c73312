import assert from "node:assert/strict";
import { test } from "node:test";
import { isCastWorth } from "./worth.ts";

const choices: readonly [members: number, frames: number, left: number, isCast: boolean, why: string][] = [
  [24, 1, 8, true, "one frame instead of 24"],
  [2, 1, 8, true, "two lamps, and many broadcasts are left"],
  [2, 1, 5, true, "the fifth last broadcast is free for anybody"],
  [2, 1, 4, false, "the last four are kept for large groups"],
  [11, 1, 4, false, "eleven lamps end within 100 ms"],
  [12, 1, 4, true, "twelve would lag visibly"],
  [24, 1, 1, true, "the last one, for a large group"],
  [24, 1, 0, false, "none is left"],
  [24, 2, 1, false, "half of a command would be lost"],
  [6, 2, 4, true, "two frames each"],
  [1, 1, 8, false, "nobody but one"],
  [0, 1, 8, false, "nobody"],
];
for (const [members, frames, left, isCast, why] of choices) {
  const title = `${members} devices, ${frames} frames, ${left} broadcasts left: ${isCast ? "a cast" : "one by one"}`;
  test(`${title}: ${why}`, () => {
    assert.equal(isCastWorth({ members, frames, left }), isCast);
  });
}

test("more members or more broadcasts never turn a cast into frames one by one", () => {
  for (let left = 0; left <= 8; left += 1) {
    for (let members = 0; members < 60; members += 1) {
      if (!isCastWorth({ members, frames: 1, left })) continue;
      assert.ok(isCastWorth({ members: members + 1, frames: 1, left }));
      assert.ok(isCastWorth({ members, frames: 1, left: left + 1 }));
    }
  }
});
