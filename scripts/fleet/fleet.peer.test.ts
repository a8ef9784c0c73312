import assert from "node:assert/strict";
import { test } from "node:test";
import { prove } from "./proof.ts";

test("three processes lose nothing acknowledged by kills, restarts and outages, and the control is caught", async () => {
  const proof = await prove({ kills: 10, writers: 3, awayMs: 4000, tell: () => {} });
  const { kills, acknowledged, lost, takeoverMs, rowsEqualMs, failedInRestart, controlCaught } = proof;
  assert.deepEqual([kills, takeoverMs.length, lost, controlCaught], [10, 3, 0, true], JSON.stringify(proof));
  assert.ok(acknowledged >= 30, `${acknowledged}`);
  assert.ok((takeoverMs.at(-1) ?? 0) < 15_000, JSON.stringify(takeoverMs));
  assert.ok(rowsEqualMs < 30_000, `${rowsEqualMs}`);
  assert.equal(failedInRestart, 0);
  const { withoutBroker, withoutDatabase } = proof;
  assert.deepEqual([withoutBroker.stored > 0, withoutBroker.failed], [true, 0]);
  assert.ok(withoutDatabase.refused > 0, JSON.stringify(proof));
  assert.deepEqual([withoutBroker.unanswered, withoutDatabase.unanswered], [[], []]);
});
