// The short form of `npm run push:slow`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { slowHour } from "./testdata/slow-hour.ts";

test("slow readers over each transport get few of many changes, and the last state of each device", async () => {
  const [seconds, devices, changesPerSecond] = [40, 10, 60];
  const readings = await slowHour({ seconds, devices, changesPerSecond });
  assert.deepEqual(
    readings.map(({ transport, isUpToDate }) => [transport, isUpToDate]),
    [
      ["WebSockets", true],
      ["Server-Sent Events", true],
      ["long polling", true],
    ],
  );
  for (const { transport, pushes } of readings)
    assert.ok(pushes < (seconds * changesPerSecond) / 2, `${transport}: ${pushes} pushes`);
});
