import { scenario } from "../testdata/scenario.ts";

const home = {
  devices: {
    lamp: ["LIGHT", "ON_OFF", "BRIGHTNESS", "COLOR_TEMP"],
    spot: ["LIGHT", "ON_OFF", "BRIGHTNESS"],
  },
  outputs: { lights: ["lamp", "spot"] },
  extras: { alarm: 7 * 60 },
  at: "2026-01-15T06:29:00+02:00",
} as const;
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const off = { lamp: { isOn: false }, spot: { isOn: false } };
/** Both lamps at this level. */
const bright = (brightness: number, temperature: number) => ({
  lamp: { isOn: true, brightness, temperature },
  spot: { isOn: true, brightness },
});
/** Both lamps at this level, and then off. */
const brightThenOff = (brightness: number, temperature: number) => ({
  lamp: { ...off.lamp, brightness, temperature },
  spot: { ...off.spot, brightness },
});

scenario("brightens the lamps step by step until the alarm", "SUNRISE_WAKEUP", home, [
  { shows: "nothing before the ramp", pass: minute },
  { shows: "the first of 60 steps", pass: minute / 2, commands: bright(0.017, 2230) },
  { shows: "all steps take the same time", pass: minute / 2, commands: bright(0.033, 2260) },
  { pass: 14 * minute, commands: bright(0.5, 3100) },
  { pass: 14.5 * minute, commands: bright(0.983, 3970) },
  { shows: "full at the alarm", pass: minute / 2, commands: bright(1, 4000) },
  { shows: "holdAfter", pass: 30 * minute - 1000 },
  { pass: 1000, commands: off },
  { shows: "the next day", pass: 23 * hour + minute / 2, commands: bright(0.017, 2230) },
  {
    shows: "rule off: no more steps, the lamps stay as they are",
    pass: minute,
    commands: bright(0.05, 2290),
  },
  { rule: "off", pass: 2 * hour },
]);

scenario("stops for the day when somebody turns a lamp off", "SUNRISE_WAKEUP", home, [
  { pass: 1.5 * minute, commands: bright(0.017, 2230) },
  { shows: "right after the first step", user: { lamp: { isOn: false } } },
  { shows: "it stops, for the whole day", pass: 2 * hour },
  { user: { spot: { isOn: false } } },
  { shows: "and only for that day", pass: 22 * hour, commands: bright(0.017, 2230) },
  { pass: 10 * minute, commands: bright(0.35, 2830) },
  { shows: "a person makes one brighter", user: { spot: { brightness: 1 } } },
  {
    shows: "the rule no longer touches that lamp",
    pass: minute / 2,
    commands: { lamp: bright(0.367, 2860).lamp },
    suppressed: ["spot"],
  },
]);

scenario(
  "leaves out lamps that are on or do not respond",
  "SUNRISE_WAKEUP",
  { ...home, shown: { spot: { isOn: true } }, dead: ["lamp"] },
  [
    {
      shows: "a lamp that is on stays as it is",
      pass: 1.5 * minute,
      commands: { lamp: bright(0.017, 2230).lamp },
    },
    {
      shows: "a lamp that does not go on was not turned off by anybody",
      pass: minute / 2,
      commands: { lamp: bright(0.033, 2260).lamp },
    },
  ],
);

scenario(
  "stops when somebody turns a lamp off while another one is slow",
  "SUNRISE_WAKEUP",
  { ...home, dead: ["spot"] },
  [
    { pass: 1.5 * minute, commands: bright(0.017, 2230) },
    { user: { lamp: { isOn: false } } },
    { shows: "it stops all the same", report: { spot: { isOn: true, brightness: 0.017 } } },
    { pass: 2 * hour },
  ],
);

scenario(
  "follows its own levels and days",
  "SUNRISE_WAKEUP",
  {
    ...home,
    at: "2026-01-15T12:00:00+02:00",
    extras: {
      alarm: 10,
      weekdays: { type: "WEEKDAYS", value: [5] },
      ramp: 5 * minute * 6,
      endLevel: 0.5,
      tempFrom: 3000,
      tempTo: 2000,
      holdAfter: minute,
    },
  },
  [
    {
      shows: "the ramp for Friday 0:10 begins on Thursday",
      pass: 11.5 * hour + 40 * minute - minute / 2,
      commands: bright(0.492, 2017),
    },
    { pass: minute / 2, commands: bright(0.5, 2000) },
    { pass: minute, commands: off },
    { shows: "no other day", pass: 6 * day },
    { shows: "a week later", pass: day, commands: brightThenOff(0.5, 2000) },
  ],
);

scenario(
  "keeps 60 steps in the shortest ramp",
  "SUNRISE_WAKEUP",
  { ...home, extras: { alarm: 7 * 60, ramp: 5 * minute } },
  [
    { pass: 26 * minute },
    { shows: "steps of five seconds", pass: 5000, commands: bright(0.017, 2230) },
    { pass: 5000, commands: bright(0.033, 2260) },
    { pass: 5 * minute, commands: bright(1, 4000) },
  ],
);

scenario("makes up for a beginning that is up to 30 minutes late", "SUNRISE_WAKEUP", home, [
  {
    shows: "20 minutes late: it begins in the middle",
    down: 20 * minute,
    commands: bright(0.633, 3340),
  },
  { pass: minute / 2, commands: bright(0.65, 3370) },
  { shows: "a late step", down: 5 * minute, commands: bright(0.817, 3670) },
  { pass: 2 * hour, commands: brightThenOff(1, 4000) },
  { shows: "too late: skipped", down: 22 * hour + 10 * minute },
  { pass: 2 * hour },
]);

scenario("skips steps that are too late and turns the lamps off", "SUNRISE_WAKEUP", home, [
  { pass: 2 * minute, commands: bright(0.033, 2260) },
  { down: 40 * minute },
  { shows: "no more steps, then off", pass: 20 * minute, commands: off },
]);
