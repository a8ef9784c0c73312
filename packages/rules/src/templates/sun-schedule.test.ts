import type { SunEvent } from "@ledge/model";
import { clock, daily, sun } from "../schedule/daily.ts";
import { scenario } from "../testdata/scenario.ts";

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

scenario(
  "switches on at the start of a range and off at its end",
  "SUN_SCHEDULE",
  { ...home, extras: { ranges: [evening] } },
  [
    { shows: "outside the range nothing happens", report: { lamp: { isOn: true } }, pass: 6 * hour - minute },
    { shows: "ON at start", pass: minute, commands: { fountain: on.fountain, lamp: on.lamp } },
    { pass: 4 * hour - minute },
    { shows: "OFF at end", pass: minute, commands: off },
    { shows: "the next day", pass: 20 * hour, commands: on },
    { shows: "a person switches a device", pass: 3 * hour, user: { lamp: { isOn: false } } },
    { user: { lamp: { isOn: true } } },
    {
      shows: "the held device gets no command",
      pass: hour,
      commands: { fountain: off.fountain },
      suppressed: ["lamp"],
    },
    { shows: "the hold ends with the range", pass: 20 * hour, commands: on },
    { shows: "rule off leaves the devices as they are", rule: "off", pass: 5 * hour },
    { shows: "rule on outside a range is not an edge", rule: "on" },
    { shows: "the next days", pass: 19 * hour + minute, commands: on },
    { rule: "off", pass: hour },
    { shows: "within a range rule on switches on", rule: "on", commands: on },
  ],
);

scenario(
  "follows overlapping ranges",
  "SUN_SCHEDULE",
  { ...home, extras: { ranges: [between(13, 14), between(15, 17), between(16, 18)] } },
  [
    { pass: hour, commands: on },
    { pass: hour, commands: off },
    { pass: hour, commands: on },
    { user: { lamp: { isOn: false } } },
    {
      shows: "a range begins while another holds",
      pass: hour,
      suppressed: ["lamp"],
      commands: { fountain: on.fountain },
    },
    {
      shows: "a range ends while another holds, and the hold lapses",
      pass: hour,
      commands: { lamp: on.lamp },
    },
    { shows: "the last range ends", pass: hour, commands: off },
  ],
);

scenario(
  "follows adjoining ranges and ranges without an end",
  "SUN_SCHEDULE",
  { ...home, extras: { ranges: [between(13, 14), between(14, 15), daily(clock(16 * 60), null)] } },
  [
    { pass: hour, commands: on },
    { shows: "the end of one range is the start of the next", pass: hour, commands: on },
    { pass: hour, commands: off },
    { shows: "on at the start of a range without an end", pass: hour, commands: on },
    { pass: 20 * hour },
  ],
);

scenario(
  "leaves a device alone after a person switched it",
  "SUN_SCHEDULE",
  { ...home, extras: { ranges: [between(13, 14), daily(clock(870), clock(900))] } },
  [
    { pass: hour + 50 * minute, commands: on },
    { user: { lamp: { isOn: false } } },
    { user: { lamp: { isOn: true } } },
    {
      shows: "the held device gets no command",
      pass: 10 * minute,
      commands: { fountain: off.fountain },
      suppressed: ["lamp"],
    },
    { shows: "until the range has ended", pass: 30 * minute, commands: on },
  ],
);

scenario(
  "makes up for the newest missed edge only",
  "SUN_SCHEDULE",
  { ...home, extras: { ranges: [between(13, 14), between(15, 17)] } },
  [
    { shows: "late: a start is the newest of three edges", down: 3 * hour + minute, commands: on },
    { shows: "an end is the newest of five", down: 24 * hour + 2 * hour, commands: off },
    { shows: "no edge was missed", down: minute },
  ],
);

const offset = (event: SunEvent["event"], ms: number): SunEvent => ({ ...sun(event), offsetMs: ms });

scenario(
  "follows sunset and sunrise with offsets",
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
  "makes up for no edges of another time zone",
  "SUN_SCHEDULE",
  { ...home, at: "2026-01-15T07:30:00+02:00", extras: { ranges: [between(6, 7)] } },
  [
    { pass: 6 * hour },
    { shows: "6:30 there: the edge at 6:00 is not made up for", zone: "America/New_York" },
    { pass: 25 * minute },
    { shows: "the next edge works", pass: 5 * minute, commands: off },
    { pass: 23 * hour - minute },
    { pass: minute, commands: on },
  ],
);

scenario(
  "follows a clock that is set forward",
  "SUN_SCHEDULE",
  { ...home, extras: { ranges: [between(13, 14)] } },
  [
    { shows: "no edge was skipped", jump: 30 * minute, pass: minute },
    { shows: "one edge was skipped", jump: hour, pass: minute, commands: on },
  ],
);
