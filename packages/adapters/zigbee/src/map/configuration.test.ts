import assert from "node:assert/strict";
import test from "node:test";
import { ConfigurationItem, itemsProblem, valueProblem } from "@ledge/model";
import { Compile } from "typebox/compile";
import { clusters } from "./clusters/index.ts";
import { settingActions, settingItems, settingValues } from "./configuration.ts";
import { models } from "./test-models.ts";
import { nodeFacts } from "./test-node.ts";
import type { Unit } from "./unit.ts";
import { unitsOf } from "./units.ts";

const plug = unitsOf(models.meteredPlug)[0] as Unit;
const radiator = unitsOf(models.radiator)[0] as Unit;

test("offers only settings that the device has reported", () => {
  const own = settingItems(plug).filter(({ name }) => !name.startsWith("correction."));
  assert.deepEqual(
    own.map(({ name }) => name),
    ["startUpOnOff"],
  );
  assert.deepEqual(settingValues(plug), { startUpOnOff: 255 });
  assert.deepEqual(settingValues(radiator), { localTemperatureCalibration: -0.5 });
  assert.deepEqual(settingItems(unitsOf(models.outlet)[0] as Unit), []);
});

test("writes settings in the device's own steps", () => {
  const write = { kind: "write", endpoint: 1 };
  assert.deepEqual(settingActions(plug, { startUpOnOff: 1, other: 5 }), [
    { ...write, cluster: "genOnOff", values: { startUpOnOff: 1 } },
  ]);
  assert.deepEqual(settingActions(radiator, { localTemperatureCalibration: 1.2 }), [
    { ...write, cluster: "hvacThermostat", values: { localTemperatureCalibration: 12 } },
  ]);
});

test("every setting of a cluster and each of its values is valid for the hub", () => {
  const settings = clusters.flatMap((map) => map.settings ?? []);
  const item = Compile(ConfigurationItem);
  assert.ok(settings.length >= 3);
  assert.equal(itemsProblem(settings.map((each) => each.item)), undefined);
  for (const { item: each, from, to } of settings) {
    assert.ok(item.Check(each), each.name);
    for (const raw of [0, 1, 2, 5, -5, 255, 65_534, 65_535, 0.5, "1", null, Number.NaN]) {
      const value = from(raw);
      if (value === undefined) continue;
      assert.equal(valueProblem(each, value), undefined, `${each.name} ${String(raw)}`);
      assert.equal(to(value), raw);
    }
  }
});

test("ignores an impossible value of a setting", () => {
  const values = { genOnOff: { startUpOnOff: 77 } };
  const [unit] = unitsOf(nodeFacts([{ device: 0x0051, in: [0x0006], values }]));
  assert.deepEqual(settingValues(unit as Unit), {});
});
