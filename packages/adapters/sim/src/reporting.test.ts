import assert from "node:assert/strict";
import test from "node:test";
import { Reporting } from "./reporting.ts";

function begun(shown: Record<string, unknown>): Reporting {
  const reporting = new Reporting();
  reporting.all(shown, 0);
  return reporting;
}

test("the first report contains everything", () => {
  assert.deepEqual(new Reporting().due({ motion: false, lux: 3 }, 0), { motion: false, lux: 3 });
});

test("reports nothing when nothing changed", () => {
  assert.equal(begun({ motion: false, lux: 3 }).due({ motion: false, lux: 3 }, 60_000), undefined);
});

test("reports a pulse at once, with every other changed attribute", () => {
  const said = begun({ motion: false, lux: 3, batteryV: 3 }).due({ motion: true, lux: 4, batteryV: 3 }, 10);
  assert.deepEqual(said, { motion: true, lux: 4 });
});

test("does not report a small change of a level", () => {
  const reporting = begun({ temperature: 21 });
  assert.equal(reporting.due({ temperature: 21.05 }, 600_000), undefined);
  assert.deepEqual(reporting.due({ temperature: 21.1 }, 600_000), { temperature: 21.1 });
});

test("delays a large change until the interval since the last report has passed", () => {
  const reporting = begun({ temperature: 21 });
  assert.equal(reporting.due({ temperature: 25 }, 44_999), undefined);
  assert.deepEqual(reporting.due({ temperature: 25 }, 45_000), { temperature: 25 });
});

test("the reporting threshold grows with the value", () => {
  const reporting = begun({ power: 1000 });
  assert.equal(reporting.due({ power: 1009 }, 60_000), undefined);
  assert.deepEqual(reporting.due({ power: 1010 }, 60_000), { power: 1010 });
});

test("reports each press, even a repeated one", () => {
  const reporting = begun({ battery: 90 });
  const press = { button: 1, modifiers: [], battery: 90 };
  assert.deepEqual(reporting.due(press, 10), { button: 1, modifiers: [] });
  assert.deepEqual(reporting.due(press, 20), { button: 1, modifiers: [] });
  assert.equal(reporting.due({ battery: 90 }, 30), undefined);
});

test("a full report does not repeat an earlier press", () => {
  const reporting = begun({ battery: 90 });
  assert.deepEqual(reporting.all({ button: 1, battery: 90 }, 10), { battery: 90 });
});

test("a long silent device reports everything as a heartbeat", () => {
  const reporting = begun({ moisture: false, batteryV: 3 });
  assert.equal(reporting.due({ moisture: false, batteryV: 3 }, 1_799_999), undefined);
  assert.deepEqual(reporting.due({ moisture: false, batteryV: 3 }, 1_800_000), {
    moisture: false,
    batteryV: 3,
  });
});
