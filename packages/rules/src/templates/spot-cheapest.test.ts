import { scenario } from "../testdata/scenario.ts";
import { pricesFrom } from "../testdata/prices.ts";

const minute = 60_000;
const hour = 60 * minute;
const on = { boiler: { isOn: true } };
const off = { boiler: { isOn: false } };

/** It is noon; the window ends at 7:00 the next day. */
const home = {
  devices: { boiler: ["POWER_SOCKET", "ON_OFF"] },
  shown: { boiler: { isOn: true } },
  outputs: { loads: ["boiler"] },
  extras: { hoursNeeded: hour },
  off: true,
} as const;
const [noon, seven] = ["2026-01-15T12:00+02:00", "2026-01-16T07:00+02:00"];
const at = (hours: number, minutes = 0): number => (hours - 12) * 60 + minutes;

scenario("runs in the cheapest slots before the deadline", "SPOT_CHEAPEST", home, [
  { shows: "off outside the plan", rule: "on", commands: off },
  {
    shows: "plan = n cheapest slots, tie: earliest",
    prices: pricesFrom(noon, seven, 10, {
      [at(15)]: 5,
      [at(15, 15)]: 4,
      [at(22, 30)]: -1,
      [at(23)]: 5,
      [at(26)]: 5,
    }),
  },
  { pass: 179 * minute },
  { shows: "two slots in a row", pass: 2 * minute, commands: on },
  { pass: 28 * minute },
  { pass: 2 * minute, commands: off },
  { pass: 7 * hour - 2 * minute },
  { shows: "a negative price is the cheapest", pass: 2 * minute, commands: on },
  { pass: 13 * minute },
  { pass: 2 * minute, commands: off },
  { pass: 13 * minute },
  { shows: "of two equal prices the earlier slot", pass: 2 * minute, commands: on },
  { pass: 15 * minute, commands: off },
  { shows: "only as long as needed: not at 2:00, and no fallback", pass: 7 * hour + 30 * minute },
  { shows: "no prices for the next day: its fallback times", pass: 19 * hour + 15 * minute, commands: on },
  { shows: "only as much of them as needed", pass: 58 * minute },
  { pass: 2 * minute, commands: off },
  { pass: 3 * hour },
]);

scenario(
  "makes a new plan when prices arrive late",
  "SPOT_CHEAPEST",
  { ...home, extras: { hoursNeeded: 2 * hour } },
  [
    { rule: "on", commands: off },
    {
      shows: "prices up to midnight do not reach the deadline",
      prices: pricesFrom(noon, "2026-01-16T00:00+02:00", 1, { [at(13)]: 0 }),
    },
    { shows: "no prices: fallback", pass: 13 * hour + 59 * minute },
    { pass: 2 * minute, commands: on },
    { pass: 59 * minute },
    {
      shows: "a new plan when prices arrive, which counts what it has run",
      prices: pricesFrom("2026-01-16T00:00+02:00", seven, 9, {
        300: 3,
        315: 3,
        330: 3,
        345: 3,
      }),
      commands: off,
    },
    { pass: hour + 58 * minute },
    { shows: "the hour that is left", pass: 2 * minute, commands: on },
    { pass: 58 * minute },
    { pass: 3 * minute, commands: off },
    { pass: 59 * minute },
  ],
);

scenario(
  "runs in one go",
  "SPOT_CHEAPEST",
  { ...home, extras: { hoursNeeded: 45 * minute, contiguous: true } },
  [
    { rule: "on", commands: off },
    {
      shows: "contiguous: the cheapest series of slots",
      prices: pricesFrom(noon, seven, 10, {
        [at(14)]: 0,
        [at(16)]: 6,
        [at(16, 15)]: 6,
        [at(16, 30)]: 6,
        [at(20)]: 4,
        [at(20, 15)]: 10,
        [at(20, 30)]: 4,
      }),
    },
    { pass: 3 * hour + 59 * minute },
    { pass: 2 * minute, commands: on },
    {
      shows: "new prices do not interrupt it",
      prices: pricesFrom("2026-01-15T18:00+02:00", seven, -5),
      commands: {},
    },
    { pass: 43 * minute },
    { pass: 2 * minute, commands: off },
    { shows: "it runs once", pass: 15 * hour },
  ],
);

scenario(
  "starts in one go from a slot that has just begun",
  "SPOT_CHEAPEST",
  { ...home, extras: { hoursNeeded: 45 * minute, contiguous: true } },
  [
    { rule: "on", pass: 30_000, commands: off },
    { prices: pricesFrom(noon, seven, 9, { 0: 1, 15: 1, 30: 1, 120: 2 }), commands: on },
    { pass: 44 * minute },
    { pass: minute, commands: off },
    { shows: "it does not run a missing minute in another slot", pass: 18 * hour },
  ],
);

scenario(
  "never runs above the highest price",
  "SPOT_CHEAPEST",
  { ...home, extras: { hoursNeeded: hour, maxPrice: 2 } },
  [
    { rule: "on", commands: off },
    { prices: pricesFrom(noon, seven, 2.01, { [at(13)]: 2 }) },
    { shows: "at maxPrice it runs", pass: 61 * minute, commands: on },
    { pass: 15 * minute, commands: off },
    { shows: "above maxPrice it does not run, though it has not run enough", pass: 17 * hour + 40 * minute },
  ],
);

scenario("catches up after the hub was down", "SPOT_CHEAPEST", home, [
  { rule: "on", commands: off },
  {
    prices: pricesFrom(noon, seven, 9, {
      [at(14)]: 1,
      [at(14, 15)]: 1,
      [at(18)]: 1,
      [at(18, 15)]: 1,
    }),
  },
  { shows: "late: down at the start of a slot", down: 2 * hour + 5 * minute, commands: on },
  { shows: "a restart within a slot changes nothing", pass: minute, down: minute },
  { shows: "down at the end of a slot", down: 30 * minute, commands: off },
  {
    shows: "missed slots: it takes the next cheapest ones",
    down: 4 * hour,
    commands: on,
  },
  { pass: 27 * minute },
  { shows: "to the minute", pass: 2 * minute, commands: off },
  { pass: 6 * hour },
]);

scenario("leaves a device alone after a person switched it", "SPOT_CHEAPEST", home, [
  { rule: "on", commands: off },
  { prices: pricesFrom(noon, seven, 9, { [at(13)]: 1, [at(13, 15)]: 1, [at(13, 30)]: 1, [at(13, 45)]: 1 }) },
  { pass: 61 * minute, commands: on },
  { shows: "a person switches it off", user: { boiler: { isOn: false } } },
  {
    shows: "held: no command",
    prices: pricesFrom("2026-01-16T07:00+02:00", "2026-01-16T12:00+02:00", 9),
    suppressed: ["boiler"],
  },
  { shows: "also at the end of a slot", pass: hour, suppressed: ["boiler"] },
  {
    shows: "a device that a person turned on outside the plan stays on",
    user: { boiler: { isOn: true } },
    pass: hour,
  },
]);

scenario("turns its devices off when it goes off", "SPOT_CHEAPEST", home, [
  { rule: "on", commands: off },
  { prices: pricesFrom(noon, seven, 9, { [at(13)]: 1, [at(13, 15)]: 1, [at(13, 30)]: 1, [at(13, 45)]: 1 }) },
  { pass: 61 * minute, commands: on },
  { shows: "rule off turns the devices off", rule: "off", commands: off },
  { pass: 24 * hour },
  { prices: pricesFrom(noon, seven, 9, { [at(30)]: -9 }) },
  { pass: 24 * hour },
]);

/** The clocks go forward from 3 to 4, so 7:00 comes after ten hours. */
scenario(
  "plans a window in which the clocks go forward",
  "SPOT_CHEAPEST",
  { ...home, at: "2026-03-28T20:00+02:00", extras: { hoursNeeded: 45 * minute } },
  [
    { rule: "on", commands: off },
    {
      prices: pricesFrom("2026-03-28T20:00+02:00", "2026-03-29T08:00+03:00", 9, { 585: 1, 600: 0, 615: 0 }),
      shows: "the earliest of the slots with the lowest price",
      commands: on,
      pass: minute,
    },
    { pass: 29 * minute, commands: off },
    { pass: 9 * hour + 14 * minute },
    { shows: "6:45, the last slot before 7:00", pass: 2 * minute, commands: on },
    { shows: "the next window begins without prices", pass: 15 * minute, commands: off },
    { pass: hour },
  ],
);

scenario(
  "runs the fallback times in a night when the clocks go back",
  "SPOT_CHEAPEST",
  { ...home, at: "2026-10-24T20:00+03:00", extras: { hoursNeeded: 24 * hour } },
  [
    { rule: "on", commands: off },
    { pass: 5 * hour + 59 * minute },
    { pass: 2 * minute, commands: on },
    { shows: "from 2 to 6 are five hours", pass: 4 * hour + 58 * minute },
    { pass: 2 * minute, commands: off },
  ],
);

scenario("takes its deadline and fallback in the home's new time zone", "SPOT_CHEAPEST", home, [
  { rule: "on", commands: off },
  { zone: "Asia/Tokyo" },
  { shows: "2:00 there is 19:00 in Helsinki", pass: 7 * hour + minute, commands: on },
]);
