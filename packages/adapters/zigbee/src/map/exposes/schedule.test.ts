import assert from "node:assert/strict";
import test from "node:test";
import { settingActions, settingValues } from "../configuration.ts";
import { nodeFacts } from "../test-node.ts";
import { monday, noDays, scheduleSuite } from "../test-schedule.ts";
import type { Unit } from "../unit.ts";
import { unitsOf } from "../units.ts";

const part = (name: string, type: string, features: readonly object[] = []) => ({
  type,
  name,
  property: name,
  access: 2,
  features,
});
const climate = {
  type: "climate",
  features: [
    {
      ...part("schedule", "composite", [part("dayofweek", "list"), part("transitions", "list")]),
      property: "weekly_schedule",
      access: 3,
    },
  ],
};
const quirks = { isCoverInverted: false, color: undefined, hasNoEnhancedHue: false };
const model = { name: "T", exposes: [climate], endpoints: {}, strays: new Set<string>(), quirks };
const unit = unitsOf(nodeFacts([{ device: 0x0301, in: [0x0201] }]), model)[0] as Unit;

scheduleSuite(unit, { weekly_schedule: { days: ["monday"], transitions: [] } });

test("is no extra", () => {
  assert.deepEqual(unit.known?.extras, []);
});

test("shows the days that a device reports, and leaves the others as they were", () => {
  const days = ["monday", "sunday"];
  const transitions = [
    { time: 0, heating_setpoint: 17 },
    { time: 390, heating_setpoint: 20.5 },
  ];
  assert.deepEqual(settingValues(unit, { weekly_schedule: { days, transitions } }), {
    [monday]: "00:00/17 06:30/20.5",
    "weekly_schedule.sunday": "00:00/17 06:30/20.5",
  });
  for (const wrong of [
    null,
    { days },
    { days: "monday", transitions },
    { days, transitions: [{ time: 1440, heating_setpoint: 17 }] },
    { days, transitions: [{ time: 1.5, heating_setpoint: 17 }] },
    { days, transitions: [{ time: 1, heating_setpoint: Number.NaN }] },
    { days, transitions: [null] },
    { days, transitions: Array.from({ length: 11 }, () => transitions[0]) },
  ])
    assert.deepEqual(settingValues(unit, { weekly_schedule: wrong }), {});
});

test("sends each day by itself", () => {
  const wanted = { [monday]: "6:30/20.5 22:00/-5", "weekly_schedule.friday": "00:00/17" };
  const convert = { kind: "convert", key: "weekly_schedule", endpointName: null };
  assert.deepEqual(settingActions(unit, wanted), [
    {
      ...convert,
      value: {
        dayofweek: ["monday"],
        transitions: [
          { transitionTime: "06:30", heatSetpoint: 20.5 },
          { transitionTime: "22:00", heatSetpoint: -5 },
        ],
      },
    },
    {
      ...convert,
      value: { dayofweek: ["friday"], transitions: [{ transitionTime: "00:00", heatSetpoint: 17 }] },
    },
  ]);
});

test("sends nothing for a text that is no schedule", () => {
  for (const text of noDays) assert.deepEqual(settingActions(unit, { [monday]: text }), [], text);
});
