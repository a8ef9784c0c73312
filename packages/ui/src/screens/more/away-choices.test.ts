import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { awayChoices } from "./away-choices.ts";

test("offers what the hub takes, with what holds now in its place", () => {
  const usual = awayChoices(limits.awayThresholdMs);
  assert.ok(usual.includes(limits.awayThresholdMs));
  assert.deepEqual([usual[0], usual.at(-1)], [limits.awayThresholdMinMs, limits.awayThresholdMaxMs]);
  const [, second = 0] = usual;
  assert.deepEqual(awayChoices(second + 1).slice(1, 3), [second, second + 1]);
  assert.equal(awayChoices(second + 1).length, usual.length + 1);
});
