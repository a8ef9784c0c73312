import assert from "node:assert/strict";
import { test } from "node:test";
import { tryStore } from "./trial.ts";

test("a database answers the same once it is restored, from a dump and to a moment from a base backup", async () => {
  const found = await tryStore({ rows: 2000, times: 2, churnMs: 500, isRestored: true, tell: () => {} });
  const { isSame, isOfMoment } = found.restored ?? assert.fail();
  assert.deepEqual([isSame, isOfMoment], [true, true], JSON.stringify(found));
  assert.deepEqual(Object.keys(found.searches), ["50", "200", "500"]);
  const { changedPerS, churned } = found;
  assert.ok(changedPerS > 0 && churned.reports > 0 && churned.hotPart > 0, JSON.stringify(found));
});
