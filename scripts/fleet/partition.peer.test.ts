import assert from "node:assert/strict";
import { test } from "node:test";
import { partition } from "./partition.ts";

test("no split brain comes of a writer that is cut off from its database and its fellows", async () => {
  const { before, afterwards, broken } = await partition({ cutMs: 14_000, tell: () => {} });
  assert.deepEqual(broken, []);
  assert.ok(before > 0 && afterwards > 0, `${before} before, ${afterwards} afterwards`);
});
