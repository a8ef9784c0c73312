import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedClock } from "@ledge/testkit";
import { correctionsOf } from "./map/index.ts";
import { Pacing } from "./pacing.ts";

const slow = correctionsOf({ "correction.temperature.minSeconds": 10 });

function stage() {
  const clock = new SimulatedClock();
  const later: unknown[] = [];
  const pacing = new Pacing(clock, (native, attributes) => void later.push([native, attributes]));
  return {
    clock,
    later,
    pacing,
    pass: (value: unknown) => pacing.passing("n", slow, { temperature: value }),
  };
}

test("reports the newest reading when its interval is over", async () => {
  const { clock, later, pass } = stage();
  assert.deepEqual(pass(20), { temperature: 20 });
  assert.deepEqual(pass(21), {});
  assert.deepEqual(pass(22), {});
  await clock.pass(9999);
  assert.deepEqual(later, []);
  await clock.pass(1);
  assert.deepEqual(later, [["n", { temperature: 22 }]]);
  assert.deepEqual(pass(23), {}, "the interval began again");
  await clock.pass(10_000);
  assert.equal(later.length, 2);
  await clock.pass(10_000);
  assert.deepEqual(pass(24), { temperature: 24 });
  assert.equal(later.length, 2);
});

test("holds back nothing else of the same report", () => {
  const { pacing, pass } = stage();
  pass(20);
  const said = { temperature: 21, humidity: 40, open: true };
  assert.deepEqual(pacing.passing("n", slow, said), { humidity: 40, open: true });
  assert.deepEqual(pacing.passing("other", slow, said), said, "units have intervals of their own");
});

test("drops what waits when a unit is forgotten or the adapter stops", async () => {
  const { clock, later, pacing, pass } = stage();
  pass(20);
  pass(21);
  pacing.forget("n");
  assert.deepEqual(pass(22), { temperature: 22 });
  pass(23);
  pacing.stop();
  await clock.pass(60_000);
  assert.deepEqual(later, []);
});
