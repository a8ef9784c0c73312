import assert from "node:assert/strict";
import { test } from "node:test";
import type { Figure } from "./figure.ts";
import { render } from "./page.ts";

const figure = (name: string, value: number): Figure => {
  return { name, value, unit: "x", limit: "<= 2", gated: true, how: "measured" };
};

test("a run of one group leaves the others as they stand on the page", () => {
  const whole = render([figure("poll a", 1), figure("append b", 1), figure("start c", 1)]);
  const again = render([figure("append b", 3)], whole);
  assert.equal(
    again,
    whole.replace("| append b | 1 x | <= 2 | ok |", "| append b | 3 x | <= 2 | **missed** |"),
  );
  assert.notEqual(again, whole);
});

test("a section says which command measures it, and one that was never measured is not there", () => {
  const page = render([figure("poll a", 1)]);
  assert.match(page, /--only poll`\n\n\| Figure/);
  assert.doesNotMatch(page, /## Append/);
});
