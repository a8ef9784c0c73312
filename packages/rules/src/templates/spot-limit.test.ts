import { scenario } from "../testdata/scenario.ts";
import { pricesFrom, quarters } from "../testdata/prices.ts";

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

scenario("switches by price with hysteresis", "SPOT_LIMIT", home, [
  { shows: "no prices, no cut", pass: hour },
  {
    shows: "at cutAbove they stay on",
    prices: quarters("2026-01-15T13:00+02:00", 10, 10.1, 8, 9, 7.9, 9, 11, -2, 12),
  },
  { pass: 14 * minute },
  { shows: "above cutAbove devices that are on go off", pass: 2 * minute, commands: off },
  { shows: "not below resumeBelow: they stay off", pass: 43 * minute },
  { shows: "below resumeBelow those that were on go on again", pass: 2 * minute, commands: on },
  { shows: "between the limits they stay on", pass: 28 * minute },
  { pass: 2 * minute, commands: off },
  { pass: 14 * minute, commands: on },
  { pass: 14 * minute },
  { pass: 2 * minute, commands: off },
  { shows: "no price is known: they go on", pass: 15 * minute, commands: on },
  { pass: 24 * hour },
]);

scenario("reacts to prices that arrive during a cut", "SPOT_LIMIT", home, [
  { prices: pricesFrom(noon, "2026-01-15T14:00+02:00", 20), commands: off },
  { pass: 20 * minute },
  {
    shows: "the new present price counts",
    prices: pricesFrom(noon, "2026-01-15T14:00+02:00", 2),
    commands: on,
  },
  { prices: pricesFrom(noon, "2026-01-15T14:00+02:00", 20), commands: off },
  {
    shows: "the new future prices count",
    prices: pricesFrom("2026-01-15T13:00+02:00", "2026-01-15T14:00+02:00", 2),
  },
  { pass: 39 * minute },
  { pass: 2 * minute, commands: on },
]);

scenario("uses one limit for both directions", "SPOT_LIMIT", { ...home, extras: { cutAbove: 10 } }, [
  { prices: quarters(noon, 10.1, 10, 9.9), commands: off },
  { shows: "not below the limit: they stay off", pass: 29 * minute },
  { pass: 2 * minute, commands: on },
]);

scenario("cuts for maxCut in 24 hours at most", "SPOT_LIMIT", home, [
  {
    shows: "maxCut 2 h of 24 h",
    prices: pricesFrom(noon, "2026-01-17T12:00+02:00", 20),
    commands: off,
  },
  { pass: 2 * hour - minute },
  { shows: "used up: on at any price", pass: 2 * minute, commands: on },
  { pass: 21 * hour + 58 * minute },
  { shows: "a day later there is not yet time for a whole slot", pass: 2 * minute },
  { shows: "then there is", pass: 15 * minute, commands: off },
]);

scenario("adds up short cuts", "SPOT_LIMIT", { ...home, extras: { cutAbove: 10, maxCut: 30 * minute } }, [
  { prices: quarters(noon, 20, 1, 20, 1, 20, 1), commands: off },
  { pass: 16 * minute, commands: on },
  { pass: 15 * minute, commands: off },
  { pass: 15 * minute, commands: on },
  { shows: "nothing is left for the third slot", pass: 15 * minute },
  { prices: quarters("2026-01-16T12:15+02:00", 20, 1, 20, 20) },
  { shows: "a cut of a day ago no longer counts", pass: 23 * hour + 15 * minute, commands: off },
  { pass: 15 * minute, commands: on },
  { pass: 15 * minute, commands: off },
  { shows: "nor does the second one", pass: 15 * minute - 1, commands: on },
]);

scenario(
  "ends a cut when less than a slot of its budget comes back",
  "SPOT_LIMIT",
  { ...home, extras: { cutAbove: 10, maxCut: 30 * minute } },
  [
    { prices: quarters(noon, 20, 1), commands: off },
    { pass: 15 * minute, commands: on },
    { pass: 23 * hour + 37 * minute },
    { prices: quarters("2026-01-16T11:45+02:00", 20, 20), commands: off },
    { pass: 14 * minute },
    { shows: "less than a slot is not worth another cut", pass: 2 * minute, commands: on },
  ],
);

scenario("catches up after the hub was down", "SPOT_LIMIT", home, [
  { prices: quarters("2026-01-15T13:00+02:00", 20, 20, 1, 20, 1) },
  { shows: "late: down at the beginning of a cut", down: hour + 5 * minute, commands: off },
  { shows: "down at its end and at the next beginning: still off", down: 45 * minute },
  { shows: "down at its end", down: 30 * minute, commands: on },
]);

scenario("leaves a device alone after a person switched it", "SPOT_LIMIT", home, [
  { prices: pricesFrom(noon, "2026-01-15T13:00+02:00", 20), commands: off },
  { shows: "a person wants it on", user: { heater: { isOn: true } } },
  { shows: "held: no command", pass: 61 * minute, suppressed: ["heater"] },
  { prices: pricesFrom("2026-01-15T13:15+02:00", "2026-01-15T13:30+02:00", 20) },
  { shows: "free again afterwards", pass: 15 * minute, commands: off },
]);

scenario("leaves its devices as they are when it goes off", "SPOT_LIMIT", home, [
  { prices: pricesFrom(noon, "2026-01-15T13:00+02:00", 20), commands: off },
  { shows: "outputs stay as they are", rule: "off" },
  { pass: 2 * hour },
]);

scenario("cuts at once when it goes on at a high price", "SPOT_LIMIT", { ...home, off: true }, [
  { prices: pricesFrom(noon, "2026-01-15T13:00+02:00", 20) },
  { rule: "on", commands: off },
]);

scenario("follows a clock that is set forward", "SPOT_LIMIT", home, [
  { prices: quarters("2026-01-15T18:00+02:00", 20) },
  { shows: "the price at the new time counts", jump: 6 * hour, pass: minute, commands: off },
  { pass: 13 * minute },
  { pass: 2 * minute, commands: on },
  { prices: quarters("2026-01-16T06:00+02:00", 20, 20) },
  { shows: "the cut begins by the new time", jump: 10 * hour, pass: hour },
  { pass: 46 * minute, commands: off },
  { shows: "and ends by it", jump: 15 * minute, pass: minute },
  { pass: 11 * minute },
  { pass: 3 * minute, commands: on },
]);
