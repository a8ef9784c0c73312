import { clock, range } from "../schedule/test-ranges.ts";
import { scenario } from "../test-scenario.ts";

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

scenario("each door has its time", "DOOR_LEFT_OPEN", home, [
  open("front"),
  { pass: 200_000 },
  open("back"),
  { shows: "closed in time", ...open("front", false), pass: 99_000 },
  { shows: "the time begins anew", ...open("front") },
  { pass: 200_000 },
  { shows: "per-door timer", pass: 1000, commands: on, alarms: ["DOOR_LEFT_OPEN back"] },
  { shows: "sounds for half a minute", pass: 30_000, commands: off },
  { pass: 60_000 },
  {
    shows: "closed: its warning closes",
    ...open("back", false),
    alarms: ["-DOOR_LEFT_OPEN back"],
  },
  { shows: "the other one", pass: 9000, commands: on, alarms: ["DOOR_LEFT_OPEN front"] },
  {
    shows: "closed while it sounds",
    ...open("front", false),
    commands: off,
    alarms: ["-DOOR_LEFT_OPEN front"],
  },
  { pass: 86_400_000 },
  { ...open("back"), pass: 300_000, commands: on, alarms: ["DOOR_LEFT_OPEN back"] },
  { shows: "nothing would end the sound once the rule is off", rule: "off", commands: off },
  { pass: 86_400_000 },
]);

const quick = { ...home, outputs: {}, extras: { after: 60_000, repeat: 120_000, repeats: 2 } };

scenario("repeat", "DOOR_LEFT_OPEN", quick, [
  { ...open("front"), pass: 60_000, alarms: ["DOOR_LEFT_OPEN front"] },
  { pass: 119_000 },
  { shows: "repeat", pass: 1000, alarms: ["DOOR_LEFT_OPEN front"] },
  { pass: 120_000, alarms: ["DOOR_LEFT_OPEN front"] },
  { shows: "so often at most", pass: 86_400_000 },
  { ...open("front", false), alarms: ["-DOOR_LEFT_OPEN front"] },
  { ...open("front"), pass: 60_000, alarms: ["DOOR_LEFT_OPEN front"] },
  { shows: "heeded", close: ["DOOR_LEFT_OPEN", "front"], pass: 600_000 },
  open("front", false),
  { shows: "and watched again", ...open("front"), pass: 60_000, alarms: ["DOOR_LEFT_OPEN front"] },
  { shows: "C4", rule: "off", pass: 600_000 },
  { shows: "C2: it is open when the rule comes on", rule: "on", pass: 59_000 },
  { pass: 1000, alarms: ["DOOR_LEFT_OPEN front"] },
]);

scenario("late", "DOOR_LEFT_OPEN", quick, [
  open("front"),
  { shows: "V: still open", down: 3_600_000, alarms: ["DOOR_LEFT_OPEN front"] },
  { ...open("front", false), alarms: ["-DOOR_LEFT_OPEN front"] },
  open("front"),
  open("front", false),
  { shows: "V: not any more", down: 3_600_000 },
  open("back"),
  { shows: "out of reach when it is due", report: { back: { reachable: false } }, pass: 600_000 },
  { shows: "and still open then", report: { back: { reachable: true } }, alarms: ["DOOR_LEFT_OPEN back"] },
]);

scenario(
  "quiet times",
  "DOOR_LEFT_OPEN",
  {
    ...quick,
    at: "2026-01-15T21:50:00+02:00",
    extras: { ...quick.extras, repeats: 5, dnd: [range(clock("22:00"), clock("06:00"))] },
  },
  [
    { ...open("back"), pass: 60_000, alarms: ["DOOR_LEFT_OPEN back"] },
    { ...open("back", false), alarms: ["-DOOR_LEFT_OPEN back"], pass: 7 * 60_000 },
    { shows: "before them", ...open("front"), pass: 60_000, alarms: ["DOOR_LEFT_OPEN front"] },
    { shows: "a repetition inside waits too", ...open("back"), pass: 7 * 3_600_000 },
    { shows: "closed inside", ...open("front", false), alarms: ["-DOOR_LEFT_OPEN front"] },
    { pass: 3_000_000 },
    { shows: "delayed to its end if still open", pass: 690_000, alarms: ["DOOR_LEFT_OPEN back"] },
    { shows: "and repeated", pass: 120_000, alarms: ["DOOR_LEFT_OPEN back"] },
  ],
);
