import assert from "node:assert/strict";
import { test } from "node:test";
import { fuzzSignalr } from "./signalr-fuzz.ts";

test("a short run: a SignalR hub copes with mutated frames of both encodings", async () => {
  const result = await fuzzSignalr({ cases: 500, seed: "short", tell: () => {} });
  assert.deepEqual(result.failures, []);
  assert.equal(result.cases, 500);
  for (const outcome of ["read", "refused", "waits"]) assert.ok(result.byStatus[outcome], outcome);
});
