import assert from "node:assert/strict";
import { test } from "node:test";
import { zigbeeDay } from "./day.ts";

test("loses no report and no command of twenty devices in forty minutes, and needs no more memory at its end", async () => {
  const day = await zigbeeDay({ devices: 20, minutes: 40, factor: 600, seed: 1 });
  const { movesLost, commandsLost } = day;
  assert.deepEqual({ movesLost, commandsLost }, { movesLost: 0, commandsLost: 0 });
  assert.ok(day.moves > 80 && day.commands > 5, JSON.stringify(day));
  const [early, end] = day.heapMb;
  assert.ok(end < early + 8, JSON.stringify(day));
});
