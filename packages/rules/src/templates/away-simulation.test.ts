import assert from "node:assert/strict";
import { test } from "node:test";
import type { RuleConfig, World } from "@ledge/model";
import { clock, daily } from "../schedule/daily.ts";
import { scenario } from "../testdata/scenario.ts";
import { awaySimulation } from "./away-simulation.ts";

const minute = 60_000;
const hour = 60 * minute;
const home = {
  devices: {
    bob: ["UI_DEVICE", "USER_PRESENCE"],
    eve: ["UI_DEVICE", "USER_PRESENCE"],
    lamp: ["LIGHT", "ON_OFF"],
    spot: ["LIGHT", "ON_OFF"],
  },
  inputs: { presence: ["bob", "eve"] },
  outputs: { lights: ["lamp", "spot"] },
  shown: { bob: { reachable: false }, eve: { reachable: false } },
  at: "2026-01-15T17:00:00+02:00",
  extras: {
    times: [daily(clock(18 * 60), clock(23 * 60))],
    minOn: hour,
    maxOn: hour,
  },
} as const;
const on = { lamp: { isOn: true }, spot: { isOn: true } };
const off = { lamp: { isOn: false }, spot: { isOn: false } };

scenario("turns the lamps on and off in turn while nobody is home", "AWAY_SIMULATION", home, [
  { shows: "the time range begins", pass: hour },
  { pass: hour - minute },
  { shows: "on", pass: minute, commands: on },
  { shows: "off", pass: hour, commands: off },
  { shows: "somebody comes home", report: { eve: { reachable: true } } },
  { pass: 1.5 * hour },
  {
    shows: "nobody home again: the lamps do what their present turn says",
    report: { eve: { reachable: false } },
    commands: on,
  },
  { shows: "a person switches one lamp", user: { lamp: { isOn: false } } },
  { user: { lamp: { isOn: true } } },
  {
    shows: "somebody comes home: the lamps that the rule lit go off",
    report: { bob: { reachable: true } },
    commands: { spot: { isOn: false } },
    suppressed: ["lamp"],
  },
  { pass: 3 * hour },
  { shows: "outside the times nothing happens", report: { bob: { reachable: false } } },
  { pass: 18 * hour },
  { shows: "the next evening", pass: 40 * minute, commands: on },
  { shows: "rule off turns the lamps off", rule: "off", commands: off },
  { shows: "and nothing more happens", pass: 4 * hour },
]);

scenario(
  "turns its lamps off when the time range ends",
  "AWAY_SIMULATION",
  {
    ...home,
    inputs: {},
    at: "2026-01-15T21:30:00+02:00",
    extras: { ...home.extras, minOn: 4 * hour, maxOn: 4 * hour },
  },
  [
    { pass: 29 * minute },
    { shows: "without users it is enough that the rule is on", pass: minute, commands: on },
    { shows: "off at the end", pass: hour, commands: off },
    { shows: "nothing until the next evening", pass: 20 * hour },
    { shows: "rule off while dark", rule: "off" },
  ],
);

scenario("skips the turns that it missed", "AWAY_SIMULATION", { ...home, at: "2026-01-15T18:30:00+02:00" }, [
  { shows: "it acts on the turn of now only", down: 3 * hour, commands: on },
  { pass: 29 * minute },
  { pass: minute, commands: off },
]);

scenario(
  "runs from sunset to 23:00 by default",
  "AWAY_SIMULATION",
  { ...home, at: "2026-01-15T15:00:00+02:00", extras: { minOn: minute, maxOn: minute } },
  [
    { shows: "the sun sets at 15:49", pass: 48 * minute },
    { shows: "a minute each", pass: 7 * hour, commands: on },
    { shows: "until 23", pass: 0.3 * hour, commands: off },
    { shows: "no more", pass: 12 * hour },
  ],
);

const weekend = {
  type: "RULETIME",
  enabled: true,
  cronDef: { type: "CRONDEF", start: "0 18 * * 4", stop: "0 12 * * 0" },
} as const;

scenario(
  "begins turns at the same time on each day of a long range",
  "AWAY_SIMULATION",
  { ...home, extras: { times: [weekend], minOn: 3.5 * hour, maxOn: 3.5 * hour } },
  [
    { pass: hour },
    { pass: 3.5 * hour, commands: on },
    { pass: 20.5 * hour, commands: off },
    { shows: "the turns of each day begin at the time of day when the range began", pass: hour },
    { pass: 2.5 * hour, commands: on },
  ],
);

test("AWAY_SIMULATION refuses a longest turn below the shortest", () => {
  const problem = (extras: Readonly<Record<string, number>>) => {
    const typed = Object.entries(extras).map(
      ([name, value]) => [name, [{ type: "TIME_DELTA_MS", value }]] as const,
    );
    const config = { extras: Object.fromEntries(typed) } as unknown as RuleConfig;
    return awaySimulation.check?.(config, {} as World)?.field;
  };
  assert.equal(problem({ minOn: hour, maxOn: hour - 1 }), "extras.maxOn");
  assert.equal(problem({ minOn: hour, maxOn: hour }), undefined);
  assert.equal(problem({ minOn: 1.5 * hour + 1 }), "extras.maxOn");
  assert.equal(problem({ minOn: 1.5 * hour }), undefined);
  assert.equal(problem({ maxOn: 15 * minute - 1 }), "extras.maxOn");
});
