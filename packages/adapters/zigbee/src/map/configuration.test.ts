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
      assert.equal(to(value, raw), raw);
    }
  }
});

test("ignores an impossible value of a setting", () => {
  const values = { genOnOff: { startUpOnOff: 77 } };
  const [unit] = unitsOf(nodeFacts([{ device: 0x0051, in: [0x0006], values }]));
  assert.deepEqual(settingValues(unit as Unit), {});
});

test("a lamp has the options of its level, each a setting of its own", () => {
  const level = { options: 0x84, onLevel: 255, onOffTransitionTime: 15, startUpCurrentLevel: 0 };
  const inputs = [0x0006, 0x0008, 0x0300];
  const [lamp] = unitsOf(nodeFacts([{ device: 0x010c, in: inputs, values: { genLevelCtrl: level } }]));
  const unit = lamp as Unit;
  assert.deepEqual(settingValues(unit), {
    onLevel: 255,
    startUpCurrentLevel: 0,
    onOffTransitionTime: 1.5,
    executeIfOff: false,
    coupleColorTempToLevel: false,
  });
  const write = { kind: "write", endpoint: 1, cluster: "genLevelCtrl" };
  assert.deepEqual(
    settingActions(unit, { executeIfOff: true, coupleColorTempToLevel: true, onOffTransitionTime: 0.4 }),
    [
      { ...write, values: { onOffTransitionTime: 4 } },
      { ...write, values: { options: 0x87 } },
    ],
  );
  const [white] = unitsOf(
    nodeFacts([{ device: 0x0101, in: [0x0006, 0x0008], values: { genLevelCtrl: level } }]),
  );
  assert.ok(!settingItems(white as Unit).some(({ name }) => name === "coupleColorTempToLevel"));
});

test("a level option of an impossible value is shown as unknown", () => {
  const level = { options: 1.5, onLevel: 0, onOffTransitionTime: 0xffff, startUpCurrentLevel: 256 };
  const [unit] = unitsOf(
    nodeFacts([{ device: 0x0101, in: [0x0006, 0x0008], values: { genLevelCtrl: level } }]),
  );
  assert.deepEqual(settingValues(unit as Unit), {});
});
