import assert from "node:assert/strict";
import test from "node:test";
import { Reporting } from "./reporting.ts";

function begun(shown: Record<string, unknown>): Reporting {
  const reporting = new Reporting();
  reporting.all(shown, 0);
  return reporting;
}

test("the first report tells everything", () => {
  assert.deepEqual(new Reporting().due({ motion: false, lux: 3 }, 0), { motion: false, lux: 3 });
});

test("nothing changed, nothing said", () => {
  assert.equal(begun({ motion: false, lux: 3 }).due({ motion: false, lux: 3 }, 60_000), undefined);
});

test("a pulse is said at once and takes along what else changed", () => {
  const said = begun({ motion: false, lux: 3, batteryV: 3 }).due({ motion: true, lux: 4, batteryV: 3 }, 10);
  assert.deepEqual(said, { motion: true, lux: 4 });
});

test("a small change of a level is not worth a report", () => {
  const reporting = begun({ temperature: 21 });
  assert.equal(reporting.due({ temperature: 21.05 }, 600_000), undefined);
  assert.deepEqual(reporting.due({ temperature: 21.1 }, 600_000), { temperature: 21.1 });
});

test("a large one waits until enough time has passed since the last", () => {
  const reporting = begun({ temperature: 21 });
  assert.equal(reporting.due({ temperature: 25 }, 44_999), undefined);
  assert.deepEqual(reporting.due({ temperature: 25 }, 45_000), { temperature: 25 });
});

test("the step that counts grows with the value", () => {
  const reporting = begun({ power: 1000 });
  assert.equal(reporting.due({ power: 1009 }, 60_000), undefined);
  assert.deepEqual(reporting.due({ power: 1010 }, 60_000), { power: 1010 });
});

test("a press is said each time, also the same one", () => {
  const reporting = begun({ battery: 90 });
  const press = { button: 1, modifiers: [], battery: 90 };
  assert.deepEqual(reporting.due(press, 10), { button: 1, modifiers: [] });
  assert.deepEqual(reporting.due(press, 20), { button: 1, modifiers: [] });
  assert.equal(reporting.due({ battery: 90 }, 30), undefined);
});

test("asked for everything, a press of before is not repeated", () => {
  const reporting = begun({ battery: 90 });
  assert.deepEqual(reporting.all({ button: 1, battery: 90 }, 10), { battery: 90 });
});

test("a device that has long said nothing says everything", () => {
  const reporting = begun({ moisture: false, batteryV: 3 });
  assert.equal(reporting.due({ moisture: false, batteryV: 3 }, 1_799_999), undefined);
  assert.deepEqual(reporting.due({ moisture: false, batteryV: 3 }, 1_800_000), {
    moisture: false,
    batteryV: 3,
  });
});
