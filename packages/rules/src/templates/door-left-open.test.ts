import { clock, range } from "../schedule/test-ranges.ts";
import { scenario } from "../testdata/scenario.ts";

const home = {
  devices: {
    front: ["CONTACT", "CONTACT"],
    back: ["CONTACT", "CONTACT"],
    siren: ["ALARM_DEVICE", "ON_OFF", "GENERATE_ALERT"],
  },
  inputs: { door: ["front", "back"] },
  outputs: { siren: ["siren"] },
} as const;

const open = (name: string, isOpen = true) => ({ report: { [name]: { open: isOpen } } });
const on = { siren: { isOn: true } };
const off = { siren: { isOn: false } };

scenario("times each door on its own", "DOOR_LEFT_OPEN", home, [
  open("front"),
  { pass: 200_000 },
  open("back"),
  { shows: "closed in time", ...open("front", false), pass: 99_000 },
  { shows: "opened again: the time restarts", ...open("front") },
  { pass: 200_000 },
  { shows: "five minutes open: it warns", pass: 1000, commands: on, alarms: ["DOOR_LEFT_OPEN back"] },
  { shows: "sounds for half a minute", pass: 30_000, commands: off },
  { pass: 60_000 },
  {
    shows: "closed: its warning closes",
    ...open("back", false),
    alarms: ["-DOOR_LEFT_OPEN back"],
  },
  { shows: "the other door", pass: 9000, commands: on, alarms: ["DOOR_LEFT_OPEN front"] },
  {
    shows: "a door that closes silences its siren",
    ...open("front", false),
    commands: off,
    alarms: ["-DOOR_LEFT_OPEN front"],
  },
  { pass: 86_400_000 },
  { ...open("back"), pass: 300_000, commands: on, alarms: ["DOOR_LEFT_OPEN back"] },
  { shows: "rule off silences the siren", rule: "off", commands: off },
  { pass: 86_400_000 },
]);

const quick = { ...home, outputs: {}, extras: { after: 60_000, repeat: 120_000, repeats: 2 } };

scenario("repeats the warning a given number of times", "DOOR_LEFT_OPEN", quick, [
  { ...open("front"), pass: 60_000, alarms: ["DOOR_LEFT_OPEN front"] },
  { pass: 119_000 },
  { shows: "repeat", pass: 1000, alarms: ["DOOR_LEFT_OPEN front"] },
  { pass: 120_000, alarms: ["DOOR_LEFT_OPEN front"] },
  { shows: "no more than the given number", pass: 86_400_000 },
  { ...open("front", false), alarms: ["-DOOR_LEFT_OPEN front"] },
  { ...open("front"), pass: 60_000, alarms: ["DOOR_LEFT_OPEN front"] },
  { shows: "a person closes the warning: no repetition", close: ["DOOR_LEFT_OPEN", "front"], pass: 600_000 },
  open("front", false),
  { shows: "opened again: it warns again", ...open("front"), pass: 60_000, alarms: ["DOOR_LEFT_OPEN front"] },
  { shows: "rule off cancels the timers", rule: "off", pass: 600_000 },
  { shows: "rule on looks at open doors", rule: "on", pass: 59_000 },
  { pass: 1000, alarms: ["DOOR_LEFT_OPEN front"] },
]);

scenario("looks again when its timer is late", "DOOR_LEFT_OPEN", quick, [
  open("front"),
  { shows: "late: looks again, still open", down: 3_600_000, alarms: ["DOOR_LEFT_OPEN front"] },
  { ...open("front", false), alarms: ["-DOOR_LEFT_OPEN front"] },
  open("front"),
  open("front", false),
  { shows: "late: looks again, closed by now", down: 3_600_000 },
  open("back"),
  {
    shows: "out of reach when the time is over: no warning",
    report: { back: { reachable: false } },
    pass: 600_000,
  },
  {
    shows: "reachable and still open",
    report: { back: { reachable: true } },
    alarms: ["DOOR_LEFT_OPEN back"],
  },
]);

scenario(
  "delays warnings to the end of quiet times",
  "DOOR_LEFT_OPEN",
  {
    ...quick,
    at: "2026-01-15T21:50:00+02:00",
    extras: { ...quick.extras, repeats: 5, dnd: [range(clock("22:00"), clock("06:00"))] },
  },
  [
    { ...open("back"), pass: 60_000, alarms: ["DOOR_LEFT_OPEN back"] },
    { ...open("back", false), alarms: ["-DOOR_LEFT_OPEN back"], pass: 7 * 60_000 },
    { shows: "before the quiet times", ...open("front"), pass: 60_000, alarms: ["DOOR_LEFT_OPEN front"] },
    { shows: "a repetition within them waits too", ...open("back"), pass: 7 * 3_600_000 },
    { shows: "closed within them", ...open("front", false), alarms: ["-DOOR_LEFT_OPEN front"] },
    { pass: 3_000_000 },
    {
      shows: "delayed to their end, as the door is still open",
      pass: 690_000,
      alarms: ["DOOR_LEFT_OPEN back"],
    },
    { shows: "and repeated", pass: 120_000, alarms: ["DOOR_LEFT_OPEN back"] },
  ],
);
