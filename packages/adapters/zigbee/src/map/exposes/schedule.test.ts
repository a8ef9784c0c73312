import assert from "node:assert/strict";
import test from "node:test";
import { itemsProblem } from "@ledge/model";
import { settingActions, settingItems, settingValues, withoutEmptyDays } from "../configuration.ts";
import { nodeFacts } from "../test-node.ts";
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
const monday = "weekly_schedule.monday";

test("has a setting for each day", () => {
  const items = settingItems(unit).filter(({ name }) => name.startsWith("weekly_schedule."));
  assert.equal(items.length, 8);
  assert.equal(itemsProblem(items), undefined);
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
  const long = Array.from({ length: 11 }, () => "00:00/17").join(" ");
  for (const text of [
    "",
    "monday",
    "24:00/20",
    "6:60/20",
    "06:00/x",
    "06:00",
    "06:00/20;22:00/17",
    "06:00/300",
    long,
  ])
    assert.deepEqual(settingActions(unit, { [monday]: text }), [], text);
});

test("leaves out the days that the device knows as empty already", () => {
  const [empty, tuesday] = [
    { weekly_schedule: { days: ["monday"], transitions: [] } },
    "weekly_schedule.tuesday",
  ];
  const others = { [tuesday]: "06:00/20", else: "" };
  assert.deepEqual(withoutEmptyDays(unit, { ...others, [monday]: "" }, empty), others);
  for (const wanted of [{ [monday]: "06:00/20" }, { [monday]: " " }, { [tuesday]: "" }])
    assert.deepEqual(withoutEmptyDays(unit, wanted, empty), wanted);
  assert.deepEqual(withoutEmptyDays(unit, { [monday]: "" }, {}), { [monday]: "" });
});
