import assert from "node:assert/strict";
import { test } from "node:test";
import type { RuleConfig, World } from "@ledge/model";
import { scenario } from "../testdata/scenario.ts";
import { twilightLight } from "./twilight-light.ts";

const home = {
  devices: {
    eye: ["MULTI_SENSOR", "LUX"],
    dusk: ["TWILIGHT", "TWILIGHT"],
    lamp: ["LIGHT", "ON_OFF"],
    spot: ["LIGHT", "ON_OFF"],
  },
  inputs: { twilight: ["eye"] },
  outputs: { lights: ["lamp", "spot"] },
  shown: { eye: { lux: 500 } },
} as const;
const on = { lamp: { isOn: true }, spot: { isOn: true } };
const off = { lamp: { isOn: false }, spot: { isOn: false } };
const lux = (value: number) => ({ report: { eye: { lux: value } } });
const minute = 60_000;

scenario("follows a light sensor", "TWILIGHT_LIGHT", home, [
  { shows: "onLux itself is not dark", ...lux(20), pass: 10 * minute },
  { shows: "dark", ...lux(19), pass: 4 * minute },
  { shows: "not dark for the whole of debounce", ...lux(30), pass: 10 * minute },
  { ...lux(10) },
  { pass: 5 * minute - 1000 },
  { shows: "dark for debounce: ON", pass: 1000, commands: on },
  { shows: "offLux itself is not bright: hysteresis", ...lux(40), pass: 60 * minute },
  { shows: "bright", ...lux(41), pass: 4 * minute },
  { shows: "not bright for the whole of debounce", ...lux(35), pass: 10 * minute },
  { ...lux(100) },
  {
    shows: "out of reach: the brightness is unknown",
    report: { eye: { reachable: false } },
    pass: 60 * minute,
  },
  { report: { eye: { reachable: true } } },
  { pass: 5 * minute - 1000 },
  { shows: "bright for debounce: OFF", pass: 1000, commands: off },
  { ...lux(10), pass: 5 * minute, commands: on },
  { shows: "a light that a person switched is left alone", user: { lamp: { isOn: false } } },
  { user: { lamp: { isOn: true } } },
  {
    ...lux(100),
    pass: 5 * minute,
    commands: { spot: { isOn: false } },
    suppressed: ["lamp"],
  },
  { shows: "until it is bright", ...lux(10), pass: 5 * minute, commands: on },
  { ...lux(100), pass: minute },
  { shows: "rule off cancels the timers and leaves the lights as they are", rule: "off", pass: 10 * minute },
  { shows: "a level rule: dark when the rule goes on", rule: "on" },
  { ...lux(3), pass: 5 * minute, commands: on },
]);

scenario("fires at the start when its timer is late", "TWILIGHT_LIGHT", home, [
  { ...lux(10), pass: minute },
  { down: 60 * minute, commands: on },
  { resync: { eye: { lux: 80 } }, pass: 5 * minute, commands: off },
]);

scenario(
  "follows a twilight sensor at once",
  "TWILIGHT_LIGHT",
  { ...home, inputs: { twilight: ["dusk"] }, extras: { debounce: 0 } },
  [
    { report: { dusk: { twilight: true } }, commands: on },
    { report: { dusk: { twilight: false } }, commands: off },
  ],
);

/** Helsinki on 2026-01-15: the sun rises at 9:12 and sets at 15:49. */
const bySun = { ...home, inputs: {}, at: "2026-01-15T12:00:00+02:00" };

scenario("follows the sun without a sensor", "TWILIGHT_LIGHT", bySun, [
  { shows: "not before sunset", pass: 3.75 * 60 * minute },
  { shows: "on after sunset and debounce", pass: 0.5 * 60 * minute, commands: on },
  { shows: "all night", pass: 16.75 * 60 * minute },
  { shows: "off after sunrise and debounce", pass: 0.75 * 60 * minute, commands: off },
]);

scenario(
  "turns the lights off at latestOff",
  "TWILIGHT_LIGHT",
  { ...bySun, extras: { latestOff: 22 * 60 } },
  [
    { pass: 5 * 60 * minute, commands: on },
    { pass: 5 * 60 * minute - minute },
    { shows: "off, though it is dark", pass: minute, commands: off },
    { shows: "it stays off in the morning", pass: 14 * 60 * minute },
    { shows: "the next evening", pass: 5 * 60 * minute, commands: on },
    { shows: "late: fires at the start", down: 9 * 60 * minute, commands: off },
    { shows: "no light when the rule goes on after latestOff", rule: "off" },
    { rule: "on", pass: 3 * 60 * minute },
  ],
);

scenario(
  "turns the lights off at latestOff in the polar night",
  "TWILIGHT_LIGHT",
  {
    ...home,
    at: "2026-01-15T21:00:00+02:00",
    shown: { eye: { lux: 1 } },
    extras: { latestOff: 60 },
  },
  [
    { pass: 5 * minute + 1000, commands: on },
    { shows: "off after midnight", pass: 3 * 60 * minute + 55 * minute, commands: off },
    { pass: 10.9 * 60 * minute },
    { shows: "at noon the next evening begins", pass: 15 * minute, commands: on },
  ],
);

test("TWILIGHT_LIGHT refuses limits that contradict each other", () => {
  const problem = (extras: Readonly<Record<string, number>>) => {
    const typed = Object.entries(extras).map(([name, value]) => {
      const type = name === "latestOff" ? "TIME_OF_DAY" : "LUX";
      return [name, [{ type, value }]] as const;
    });
    const config = { extras: Object.fromEntries(typed) } as unknown as RuleConfig;
    return twilightLight.check?.(config, {} as World)?.field;
  };
  assert.equal(problem({ onLux: 50, offLux: 49 }), "extras.offLux");
  assert.equal(problem({ onLux: 50, offLux: 50 }), "extras.offLux");
  assert.equal(problem({ onLux: 50, offLux: 51 }), undefined);
  assert.equal(problem({ onLux: 40 }), "extras.offLux");
  assert.equal(problem({ onLux: 39 }), undefined);
  assert.equal(problem({ offLux: 20 }), "extras.offLux");
  assert.equal(problem({ latestOff: 720 }), "extras.latestOff");
  assert.equal(problem({ latestOff: 719 }), undefined);
});
