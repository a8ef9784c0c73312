import assert from "node:assert/strict";
import { test } from "node:test";
import { runLoad } from "./load.ts";

test("a short load: every client knows the current home, without errors", async () => {
  const result = await runLoad({
    seconds: 4,
    clients: 6,
    pollEveryMs: 200,
    commandsPerSecond: 10,
    reportsPerSecond: 100,
    idle: 40,
    devices: 60,
    tell: () => {},
  });
  assert.deepEqual([result.errors, result.problems], [0, []]);
  assert.ok(result.reports > 0 && result.events > 0 && result.commands > 0);
  assert.ok((result.latency["poll"]?.count ?? 0) > 6 && (result.latency["command"]?.count ?? 0) > 0);
  assert.deepEqual([result.childRestarts, result.reportsLost], [0, 0]);
  assert.ok(result.memoryEnd > 0 && result.loopLagP99 > 0);
});
