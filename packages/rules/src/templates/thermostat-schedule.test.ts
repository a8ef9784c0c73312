import assert from "node:assert/strict";
import { test } from "node:test";
import type { RuleConfig, World } from "@ledge/model";
import { clock, crons, range } from "../schedule/test-ranges.ts";
import { scenario } from "../testdata/scenario.ts";
import { thermostatSchedule } from "./thermostat-schedule.ts";

const [minute, hour] = [60_000, 3_600_000];
const home = {
  devices: {
    living: ["THERMOSTAT", "THERMOSTAT"],
    bed: ["THERMOSTAT", "CONTROL_TEMPERATURE"],
  },
  shown: { living: { targetTemperature: 17 }, bed: { targetTemperature: 17 } },
  outputs: { thermostats: ["living", "bed"] },
  at: "2026-01-15T05:00:00+02:00",
  extras: {
    ranges: [range(clock("06:00"), clock("22:00")), range(clock("08:00"), clock("16:00"))],
    setpoints: [21, 18],
    base: 17,
  },
} as const;
const to = (setpoint: number) => {
  const said = { targetTemp: setpoint, targetTemperature: setpoint };
  return { living: said, bed: said };
};

scenario("sets setpoints by time", "THERMOSTAT_SCHEDULE", home, [
  { shows: "outside the ranges the base, which the thermostats show already", pass: 59 * minute },
  { shows: "the setpoint of the active range", pass: minute, commands: to(21) },
  { shows: "it writes only on a change", pass: 119 * minute },
  { shows: "of the newest active range", pass: minute, commands: to(18) },
  { shows: "of the older one when the newest ends", pass: 8 * hour, commands: to(21) },
  { shows: "otherwise the base", pass: 6 * hour, commands: to(17) },
  { pass: 8 * hour, commands: to(21) },
]);

scenario("keeps a manual change until the next edge", "THERMOSTAT_SCHEDULE", home, [
  { pass: hour, commands: to(21) },
  { user: { living: { targetTemperature: 24 } } },
  { shows: "the change holds", pass: 118 * minute },
  { user: { living: { targetTemperature: 25 } } },
  { shows: "until the next edge, however recent it is", pass: 2 * minute, commands: to(18) },
  { user: { bed: { targetTemperature: 21 } } },
  {
    shows: "a value that the device already shows is not written",
    pass: 8 * hour,
    commands: { living: to(21).living },
  },
  { shows: "changed by hand at the thermostat", report: { living: { targetTemperature: 17 } } },
  { pass: 6 * hour, commands: { bed: to(17).bed } },
]);

scenario(
  "sets the setpoint when it goes on within a range",
  "THERMOSTAT_SCHEDULE",
  { ...home, off: true, at: "2026-01-15T12:00:00+02:00" },
  [
    { pass: hour },
    { shows: "evaluated on rule.on", rule: "on", commands: to(18) },
    { shows: "outputs stay as they are, timers are cancelled", rule: "off", pass: 24 * hour },
    { user: { bed: { targetTemperature: 23 } } },
    { rule: "on", commands: { bed: to(18).bed } },
  ],
);

scenario("follows only the newest of the edges that it missed", "THERMOSTAT_SCHEDULE", home, [
  { down: 4 * hour, commands: to(18) },
  { down: 24 * hour },
  { down: 12 * hour, commands: to(21) },
]);

const named = {
  ranges: [
    { ...range(clock("06:00"), clock("22:00")), setpoint: 21 },
    { ...crons("0 8 * * *", "0 16 * * *"), setpoint: 18 },
  ],
  base: 17,
};
scenario("takes the setpoint from each range", "THERMOSTAT_SCHEDULE", { ...home, extras: named }, [
  { pass: hour, commands: to(21) },
  { pass: 2 * hour, commands: to(18) },
  { pass: 8 * hour, commands: to(21) },
  { pass: 6 * hour, commands: to(17) },
]);

scenario(
  "prefers a range's own setpoint to the list",
  "THERMOSTAT_SCHEDULE",
  {
    ...home,
    extras: { ...named, setpoints: [25, 26], ranges: [named.ranges[0], range(clock("08:00"), null)] },
  },
  [{ pass: hour, commands: to(21) }],
);

const always = { ranges: [range(clock("00:00"), clock("00:00"))], setpoints: [21] };
scenario(
  "sets the setpoint again when a range begins where it ended",
  "THERMOSTAT_SCHEDULE",
  { ...home, extras: always, off: true },
  [
    { rule: "on", commands: to(21) },
    { user: { bed: { targetTemperature: 18 } } },
    { pass: 18.9 * hour },
    { pass: 0.2 * hour, commands: { bed: to(21).bed } },
  ],
);

scenario(
  "repeats an unconfirmed write at the start when it is late",
  "THERMOSTAT_SCHEDULE",
  { ...home, dead: ["bed"] },
  [
    { pass: hour, commands: to(21) },
    { down: 11 * minute, commands: { bed: to(21).bed } },
  ],
);

scenario("repeats a write until the thermostat confirms", "THERMOSTAT_SCHEDULE", { ...home, dead: ["bed"] }, [
  { pass: hour, commands: to(21) },
  { pass: 9 * minute },
  { shows: "repeated, as the thermostat has not confirmed", pass: minute, commands: { bed: to(21).bed } },
  { pass: 10 * minute, commands: { bed: to(21).bed } },
  { shows: "it confirms", report: { bed: { targetTemperature: 21 } }, pass: 30 * minute },
  { shows: "the next edge", pass: 70 * minute, commands: to(18) },
  { pass: hour, commands: { bed: to(18).bed } },
  { shows: "six times at most", pass: 5 * hour },
]);

test("THERMOSTAT_SCHEDULE needs one setpoint for each range, its own or one of the list", () => {
  const problem = (ranges: readonly object[], setpoints: number): string | undefined => {
    const extras = { ranges, setpoints: Array.from({ length: setpoints }) };
    return thermostatSchedule.check?.({ extras } as unknown as RuleConfig, {} as World)?.field;
  };
  const own = (setpoint: unknown): object => ({ setpoint });
  assert.equal(problem([{}, {}], 2), undefined);
  assert.equal(problem([{}, {}], 1), "extras.setpoints");
  assert.equal(problem([{}], 2), "extras.setpoints");
  assert.equal(problem([{}, {}], 0), "extras.setpoints");
  assert.equal(problem([own(4), own(35)], 0), undefined);
  assert.equal(problem([own(21), own(null)], 2), undefined, "none of its own");
  assert.equal(problem([own(21), {}], 0), "extras.setpoints");
  assert.equal(problem([own(21), own(18)], 1), "extras.setpoints");
  assert.equal(problem([{}, own(3.9)], 2), "extras.ranges.1.setpoint");
  assert.equal(problem([own(35.1)], 0), "extras.ranges.0.setpoint");
  assert.equal(problem([own("21")], 0), "extras.ranges.0.setpoint");
});
