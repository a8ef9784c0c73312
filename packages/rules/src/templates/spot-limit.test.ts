import { scenario } from "../test-scenario.ts";
import { pricesFrom, quarters } from "../test-prices.ts";

const minute = 60_000;
const hour = 60 * minute;

const home = {
  devices: {
    heater: ["POWER_SOCKET", "ON_OFF"],
    sauna: ["POWER_SOCKET", "ON_OFF"],
  },
  shown: { heater: { isOn: true }, sauna: { isOn: false } },
  outputs: { loads: ["heater", "sauna"] },
  extras: { cutAbove: 10, resumeBelow: 8 },
} as const;
const noon = "2026-01-15T12:00+02:00";
const off = { heater: { isOn: false } };
const on = { heater: { isOn: true } };

scenario("hysteresis", "SPOT_LIMIT", home, [
  { shows: "no prices, no cut", pass: hour },
  {
    shows: "at cutAbove they stay on",
    prices: quarters("2026-01-15T13:00+02:00", 10, 10.1, 8, 9, 7.9, 9, 11, -2, 12),
  },
  { pass: 14 * minute },
  { shows: "above it what is on goes off", pass: 2 * minute, commands: off },
  { shows: "not below resumeBelow: they stay off", pass: 43 * minute },
  { shows: "below it those that were on go on", pass: 2 * minute, commands: on },
  { shows: "between the two they stay on", pass: 28 * minute },
  { pass: 2 * minute, commands: off },
  { pass: 14 * minute, commands: on },
  { pass: 14 * minute },
  { pass: 2 * minute, commands: off },
  { shows: "where no price is known they go on", pass: 15 * minute, commands: on },
  { pass: 24 * hour },
]);

scenario("prices that arrive in a cut", "SPOT_LIMIT", home, [
  { prices: pricesFrom(noon, "2026-01-15T14:00+02:00", 20), commands: off },
  { pass: 20 * minute },
  { shows: "what it costs now counts", prices: pricesFrom(noon, "2026-01-15T14:00+02:00", 2), commands: on },
  { prices: pricesFrom(noon, "2026-01-15T14:00+02:00", 20), commands: off },
  {
    shows: "and what it will cost",
    prices: pricesFrom("2026-01-15T13:00+02:00", "2026-01-15T14:00+02:00", 2),
  },
  { pass: 39 * minute },
  { pass: 2 * minute, commands: on },
]);

scenario("one limit for both", "SPOT_LIMIT", { ...home, extras: { cutAbove: 10 } }, [
  { prices: quarters(noon, 10.1, 10, 9.9), commands: off },
  { shows: "not below: they stay off", pass: 29 * minute },
  { pass: 2 * minute, commands: on },
]);

scenario("a budget", "SPOT_LIMIT", home, [
  {
    shows: "maxCut 2 h of 24 h",
    prices: pricesFrom(noon, "2026-01-17T12:00+02:00", 20),
    commands: off,
  },
  { pass: 2 * hour - minute },
  { shows: "used up: on whatever it costs", pass: 2 * minute, commands: on },
  { pass: 21 * hour + 58 * minute },
  { shows: "a day later there is no time for a slot yet", pass: 2 * minute },
  { shows: "then there is", pass: 15 * minute, commands: off },
]);

scenario(
  "a budget that is used bit by bit",
  "SPOT_LIMIT",
  { ...home, extras: { cutAbove: 10, maxCut: 30 * minute } },
  [
    { prices: quarters(noon, 20, 1, 20, 1, 20, 1), commands: off },
    { pass: 16 * minute, commands: on },
    { pass: 15 * minute, commands: off },
    { pass: 15 * minute, commands: on },
    { shows: "nothing is left for the third", pass: 15 * minute },
    { prices: quarters("2026-01-16T12:15+02:00", 20, 1, 20, 20) },
    { shows: "what was cut a day ago counts no more", pass: 23 * hour + 15 * minute, commands: off },
    { pass: 15 * minute, commands: on },
    { pass: 15 * minute, commands: off },
    { shows: "the second as well", pass: 15 * minute - 1, commands: on },
  ],
);

scenario(
  "a budget of which a part comes back in a cut",
  "SPOT_LIMIT",
  { ...home, extras: { cutAbove: 10, maxCut: 30 * minute } },
  [
    { prices: quarters(noon, 20, 1), commands: off },
    { pass: 15 * minute, commands: on },
    { pass: 23 * hour + 37 * minute },
    { prices: quarters("2026-01-16T11:45+02:00", 20, 20), commands: off },
    { pass: 14 * minute },
    { shows: "less than a slot is not worth another", pass: 2 * minute, commands: on },
  ],
);

scenario("what was late", "SPOT_LIMIT", home, [
  { prices: quarters("2026-01-15T13:00+02:00", 20, 20, 1, 20, 1) },
  { shows: "F newest: down at its begin", down: hour + 5 * minute, commands: off },
  { shows: "down at its end and at the next begin: still off", down: 45 * minute },
  { shows: "down at the end", down: 30 * minute, commands: on },
]);

scenario("somebody else", "SPOT_LIMIT", home, [
  { prices: pricesFrom(noon, "2026-01-15T13:00+02:00", 20), commands: off },
  { shows: "a person wants it on", user: { heater: { isOn: true } } },
  { shows: "the rule keeps away", pass: 61 * minute, suppressed: ["heater"] },
  { prices: pricesFrom("2026-01-15T13:15+02:00", "2026-01-15T13:30+02:00", 20) },
  { shows: "and is free again afterwards", pass: 15 * minute, commands: off },
]);

scenario("the rule goes off", "SPOT_LIMIT", home, [
  { prices: pricesFrom(noon, "2026-01-15T13:00+02:00", 20), commands: off },
  { shows: "outputs stay as they are", rule: "off" },
  { pass: 2 * hour },
]);

scenario("the rule goes on while energy is dear", "SPOT_LIMIT", { ...home, off: true }, [
  { prices: pricesFrom(noon, "2026-01-15T13:00+02:00", 20) },
  { rule: "on", commands: off },
]);

scenario("the clock is set", "SPOT_LIMIT", home, [
  { prices: quarters("2026-01-15T18:00+02:00", 20) },
  { shows: "what it costs at the new time counts", jump: 6 * hour, pass: minute, commands: off },
  { pass: 13 * minute },
  { pass: 2 * minute, commands: on },
  { prices: quarters("2026-01-16T06:00+02:00", 20, 20) },
  { shows: "and the cut begins by it", jump: 10 * hour, pass: hour },
  { pass: 46 * minute, commands: off },
  { shows: "and ends by it", jump: 15 * minute, pass: minute },
  { pass: 11 * minute },
  { pass: 3 * minute, commands: on },
]);
