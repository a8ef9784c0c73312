import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import type { AdapterPhase } from "../adapters/supervision.ts";
import { Absence } from "./absence.ts";

/** The times (ms) at which an adapter that goes through these phases is reported away. */
async function told(...phases: readonly (readonly [at: number, phase: AdapterPhase])[]): Promise<number[]> {
  const clock = new SimulatedClock(0);
  const start = clock.monotonic();
  const found: number[] = [];
  const absence = new Absence(clock, () => void found.push(clock.monotonic() - start));
  for (const [at, phase] of phases) {
    await clock.pass(start + at - clock.monotonic());
    absence.follow(phase);
  }
  await clock.pass(60_000);
  return found;
}

const away = limits.adapterAwayMs;

test("reports an adapter away when it has not run for a while, within 5 s of its end", async () => {
  assert.ok(away < 5000);
  assert.deepEqual(await told([0, "starting"], [10, "running"], [500, "restarting"]), [500 + away]);
  assert.deepEqual(await told([0, "starting"], [10, "running"], [500, "resting"]), [500 + away]);
});

test("allows more time for an adapter's first start", async () => {
  assert.deepEqual(await told([0, "starting"]), [limits.adapterFirstStartMs]);
  assert.deepEqual(await told([0, "starting"], [20_000, "running"]), []);
  assert.deepEqual(await told([0, "starting"], [100, "restarting"], [1100, "starting"]), [100 + away]);
});

test("does not report an adapter away that is soon back", async () => {
  assert.deepEqual(await told([0, "restarting"], [1000, "starting"], [2000, "running"]), []);
});

test("a failed restart does not postpone the report, and starts a new count after one", async () => {
  assert.deepEqual(
    await told(
      [0, "restarting"],
      [1000, "starting"],
      [2000, "restarting"],
      [9000, "starting"],
      [9500, "running"],
    ),
    [away],
  );
  assert.deepEqual(await told([0, "restarting"], [9000, "starting"], [9500, "restarting"]), [
    away,
    9500 + away,
  ]);
});

test("does not report a stopped adapter away", async () => {
  assert.deepEqual(await told([0, "starting"], [100, "stopped"]), []);
});
