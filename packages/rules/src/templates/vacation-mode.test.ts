import assert from "node:assert/strict";
import { test } from "node:test";
import type { RuleConfig, World } from "@ledge/model";
import { scenario } from "../testdata/scenario.ts";
import { vacationMode } from "./vacation-mode.ts";

const [minute, hour] = [60_000, 3_600_000];
const day = 24 * hour;
const home = {
  devices: {
    living: ["THERMOSTAT", "THERMOSTAT"],
    bed: ["THERMOSTAT", "CONTROL_TEMPERATURE"],
    cellar: ["THERMOSTAT", "THERMOSTAT"],
    kettle: ["POWER_SOCKET", "ON_OFF"],
    radio: ["POWER_SOCKET", "ON_OFF"],
  },
  shown: {
    living: { targetTemperature: 21 },
    bed: { targetTemperature: 18.5 },
    cellar: { targetTemperature: 8 },
    kettle: { isOn: true },
    radio: { isOn: false },
  },
  outputs: { thermostats: ["living", "bed", "cellar"], sockets: ["kettle", "radio"] },
} as const;
const at = (setpoint: number) => ({ targetTemp: setpoint, targetTemperature: setpoint });
const off = { kettle: { isOn: false }, radio: { isOn: false } };
const leave = { living: at(15), bed: at(15), ...off };
const back = { living: at(21), bed: at(18.5) };

scenario("saves heat and power while it is on", "VACATION_MODE", { ...home, off: true }, [
  { pass: day },
  { shows: "on start: setpoint = setback, sockets off; no setpoint is raised", rule: "on", commands: leave },
  { shows: "once more after every hold has ended", pass: 3 * hour, commands: leave },
  { pass: 30 * day },
  { shows: "on end: the saved setpoints come back", rule: "off", commands: back },
  { pass: 30 * day },
]);

const dates = {
  ...home,
  at: "2026-03-27T12:00:00+02:00",
  extras: { from: "2026-03-28", to: "2026-03-29", setback: 12 },
} as const;
const away = { living: at(12), bed: at(12), ...off };

scenario("runs from the first day to the last", "VACATION_MODE", dates, [
  { pass: 11.9 * hour },
  { shows: "it begins at midnight", pass: 0.1 * hour, commands: away },
  { pass: 3 * hour, commands: away },
  { shows: "the last day counts, with its 23 hours", pass: 43.9 * hour },
  { shows: "the saved setpoints come back; the sockets stay off", pass: 0.1 * hour, commands: back },
  { pass: 30 * day },
  { rule: "off" },
]);

scenario(
  "does not begin after the last day",
  "VACATION_MODE",
  { ...dates, at: "2026-03-30T00:00:00+03:00" },
  [{ pass: 30 * day }],
);
scenario(
  "begins at once between the first and the last day",
  "VACATION_MODE",
  { ...dates, off: true, at: "2026-03-29T23:00:00+03:00" },
  [
    { rule: "on", commands: away },
    { pass: hour, commands: back },
  ],
);

scenario("begins and ends late when the hub was down", "VACATION_MODE", dates, [
  { down: 20 * hour, commands: away },
  { down: 60 * hour, commands: back },
]);

scenario("repeats its commands late when the hub was down", "VACATION_MODE", { ...home, off: true }, [
  { rule: "on", commands: leave },
  { down: 3 * hour, commands: leave },
]);

scenario("respects what a person changed", "VACATION_MODE", { ...home, off: true }, [
  { user: { living: { targetTemperature: 23 }, kettle: { isOn: true } } },
  {
    shows: "held: no command",
    rule: "on",
    commands: { bed: at(15), radio: { isOn: false } },
    suppressed: ["living", "kettle"],
  },
  { pass: hour },
  { user: { bed: { targetTemperature: 19 } } },
  {
    shows: "the old hold has ended, the new one has not",
    pass: hour + 2 * minute,
    commands: { living: at(15), ...off },
    suppressed: ["bed"],
  },
  { user: { kettle: { isOn: true } } },
  { pass: day },
  { shows: "setpoints changed meanwhile stay", rule: "off", commands: { living: at(23) } },
]);

scenario("lowers a thermostat later that was out of reach", "VACATION_MODE", { ...home, off: true }, [
  { report: { bed: { reachable: false } } },
  { rule: "on", commands: { living: at(15), ...off } },
  { report: { bed: { reachable: true } } },
  { pass: 3 * hour, commands: leave },
  { rule: "off", commands: back },
]);

test("VACATION_MODE refuses a CONFIG that could do nothing", () => {
  const problem = (outputs: RuleConfig["outputs"], from: string, to: string): string | undefined => {
    const extras = { from: [{ type: "DATE", value: from }], to: [{ type: "DATE", value: to }] };
    return vacationMode.check?.({ outputs, extras } as unknown as RuleConfig, {} as World)?.field;
  };
  const [first, last] = ["2026-03-28", "2026-03-29"];
  assert.equal(problem({ thermostats: ["1"], sockets: [] }, first, last), undefined);
  assert.equal(problem({ thermostats: [], sockets: ["1"] }, first, first), undefined);
  assert.equal(problem({ thermostats: [], sockets: [] }, first, last), "outputs.thermostats");
  assert.equal(problem({ thermostats: ["1"], sockets: [] }, last, first), "extras.to");
});
