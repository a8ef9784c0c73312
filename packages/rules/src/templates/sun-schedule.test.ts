import type { SunEvent } from "@ledge/model";
import { clock, daily, sun } from "../daily.ts";
import { scenario } from "../test-scenario.ts";

const home = {
  devices: { lamp: ["LIGHT", "ON_OFF"], fountain: ["POWER_SOCKET", "ON_OFF"] },
  outputs: { devices: ["lamp", "fountain"] },
  at: "2026-01-15T12:00:00+02:00",
} as const;
const hour = 3_600_000;
const minute = 60_000;
const on = { lamp: { isOn: true }, fountain: { isOn: true } };
const off = { lamp: { isOn: false }, fountain: { isOn: false } };
const evening = daily(clock(18 * 60), clock(22 * 60));
const between = (from: number, to: number) => daily(clock(from * 60), clock(to * 60));

scenario("ON at start, OFF at end", "SUN_SCHEDULE", { ...home, extras: { ranges: [evening] } }, [
  { shows: "nothing outside", report: { lamp: { isOn: true } }, pass: 6 * hour - minute },
  { shows: "ON at start", pass: minute, commands: { fountain: on.fountain, lamp: on.lamp } },
  { pass: 4 * hour - minute },
  { shows: "OFF at end", pass: minute, commands: off },
  { shows: "the next day", pass: 20 * hour, commands: on },
  { shows: "a person switches one", pass: 3 * hour, user: { lamp: { isOn: false } } },
  { user: { lamp: { isOn: true } } },
  {
    shows: "and it is left alone",
    pass: hour,
    commands: { fountain: off.fountain },
    suppressed: ["lamp"],
  },
  { shows: "until the range has ended", pass: 20 * hour, commands: on },
  { shows: "rule off leaves things as they are", rule: "off", pass: 5 * hour },
  { shows: "and they stay so: it is no edge", rule: "on" },
  { shows: "day after day", pass: 19 * hour + minute, commands: on },
  { rule: "off", pass: hour },
  { shows: "ON when the rule goes on in a range", rule: "on", commands: on },
]);

scenario(
  "every range",
  "SUN_SCHEDULE",
  { ...home, extras: { ranges: [between(13, 14), between(15, 17), between(16, 18)] } },
  [
    { pass: hour, commands: on },
    { pass: hour, commands: off },
    { pass: hour, commands: on },
    { user: { lamp: { isOn: false } } },
    {
      shows: "a range that begins while another holds",
      pass: hour,
      suppressed: ["lamp"],
      commands: { fountain: on.fountain },
    },
    {
      shows: "the end of one while another holds, which is when the hold lapses",
      pass: hour,
      commands: { lamp: on.lamp },
    },
    { shows: "the end of the last", pass: hour, commands: off },
  ],
);

scenario(
  "one after the other, and times without an end",
  "SUN_SCHEDULE",
  { ...home, extras: { ranges: [between(13, 14), between(14, 15), daily(clock(16 * 60), null)] } },
  [
    { pass: hour, commands: on },
    { shows: "an end that is a start", pass: hour, commands: on },
    { pass: hour, commands: off },
    { shows: "ON at a time without an end", pass: hour, commands: on },
    { pass: 20 * hour },
  ],
);

scenario(
  "what a person switches",
  "SUN_SCHEDULE",
  { ...home, extras: { ranges: [between(13, 14), daily(clock(870), clock(900))] } },
  [
    { pass: hour + 50 * minute, commands: on },
    { user: { lamp: { isOn: false } } },
    { user: { lamp: { isOn: true } } },
    { shows: "is left alone", pass: 10 * minute, commands: { fountain: off.fountain }, suppressed: ["lamp"] },
    { shows: "until the range has ended", pass: 30 * minute, commands: on },
  ],
);

scenario(
  "F, the newest edge only",
  "SUN_SCHEDULE",
  { ...home, extras: { ranges: [between(13, 14), between(15, 17)] } },
  [
    { shows: "of three edges the start", down: 3 * hour + minute, commands: on },
    { shows: "of five the end", down: 24 * hour + 2 * hour, commands: off },
    { shows: "nothing was missed", down: minute },
  ],
);

const offset = (event: SunEvent["event"], ms: number): SunEvent => ({ ...sun(event), offsetMs: ms });

scenario(
  "by the sun: half an hour before it sets at 15:49, until an hour after it has risen at 9:12",
  "SUN_SCHEDULE",
  { ...home, extras: { ranges: [daily(offset("SUNSET", -30 * minute), offset("SUNRISE", hour))] } },
  [
    { pass: 3 * hour + 14 * minute },
    { pass: 10 * minute, commands: on },
    { pass: 18 * hour + 40 * minute },
    { pass: 14 * minute, commands: off },
  ],
);

scenario(
  "another time zone",
  "SUN_SCHEDULE",
  { ...home, at: "2026-01-15T07:30:00+02:00", extras: { ranges: [between(6, 7)] } },
  [
    { pass: 6 * hour },
    { shows: "where it is 6:30: no edge is made up for", zone: "America/New_York" },
    { pass: 25 * minute },
    { shows: "the next one is", pass: 5 * minute, commands: off },
    { pass: 23 * hour - minute },
    { pass: minute, commands: on },
  ],
);

scenario("a clock that is set", "SUN_SCHEDULE", { ...home, extras: { ranges: [between(13, 14)] } }, [
  { shows: "no edge was left out", jump: 30 * minute, pass: minute },
  { shows: "one was", jump: hour, pass: minute, commands: on },
]);
