import assert from "node:assert/strict";
import test from "node:test";
import { itemsProblem, valueProblem } from "@ledge/model";
import { settingItems } from "./configuration.ts";
import { corrected, correctionsIn, correctionsOf, correctionValues } from "./corrections.ts";
import { models } from "./test-models.ts";
import { nodeFacts } from "./test-node.ts";
import type { Unit } from "./unit.ts";
import { unitsOf } from "./units.ts";

const unitOf = (facts: Parameters<typeof unitsOf>[0]): Unit => unitsOf(facts)[0] ?? assert.fail();
const climate = unitOf(nodeFacts([{ device: 0x0302, in: [0x0402, 0x0405] }]));
const namesOf = (unit: Unit): readonly string[] => settingItems(unit).map(({ name }) => name);

test("offers an offset, decimals and an interval for each measurement", () => {
  assert.ok(climate.capabilities.includes("CONFIGURABLE"));
  assert.deepEqual(namesOf(climate), [
    "correction.temperature.offset",
    "correction.temperature.decimals",
    "correction.temperature.minSeconds",
    "correction.humidity.offset",
    "correction.humidity.decimals",
    "correction.humidity.minSeconds",
  ]);
  assert.equal(itemsProblem(settingItems(climate)), undefined);
});

test("offers none for the colour of a lamp", () => {
  for (const lamp of [models.whiteLamp, models.hueLamp].map(unitOf))
    assert.ok(namesOf(lamp).every((name) => !name.startsWith("correction.")));
});

test("has the values of a reading as it is until they are set", () => {
  const values = correctionValues(climate, { "correction.humidity.offset": -2 });
  assert.deepEqual(Object.values(values), [0, 6, 0, -2, 6, 0]);
  for (const item of settingItems(climate)) assert.equal(valueProblem(item, values[item.name]), undefined);
});

test("takes only the corrections of the unit, as numbers", () => {
  const parameters = {
    "correction.temperature.offset": 1,
    "correction.temperature.decimals": "1",
    "correction.lux.offset": 3,
    other: 1,
  };
  assert.deepEqual(correctionsIn(climate, parameters), { "correction.temperature.offset": 1 });
});

test("adds the offset, then rounds, and keeps a value in its range", () => {
  const given = correctionsOf({
    "correction.temperature.offset": -0.5,
    "correction.temperature.decimals": 1,
    "correction.humidity.offset": 5,
    "correction.activePower.decimals": 0,
  });
  assert.deepEqual(corrected(given, { temperature: 21.26, humidity: 97, lux: 3, open: true }), {
    temperature: 20.8,
    humidity: 100,
    lux: 3,
    open: true,
  });
  assert.deepEqual(corrected(given, { activePower: 12.6, power: 12.6 }), { activePower: 13, power: 13 });
  assert.deepEqual(corrected(correctionsOf({ "correction.humidity.offset": -99 }), { humidity: 40 }), {
    humidity: 0,
  });
  assert.equal(given.byAttribute.get("lux"), undefined);
});
