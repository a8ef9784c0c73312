import { scenario } from "../testdata/scenario.ts";

const home = {
  devices: {
    bedside: ["EMERGENCY", "EMERGENCY"],
    remote: ["REMOTE_CONTROL", "REMOTE_CONTROL"],
    lamp: ["LIGHT", "ON_OFF"],
    siren: ["ALARM_DEVICE", "ON_OFF", "GENERATE_ALERT"],
  },
  inputs: { btn: ["bedside", "remote"] },
  outputs: { lights: ["lamp"], siren: ["siren"] },
} as const;

const call = { lamp: { isOn: true }, siren: { isOn: true } };
const hush = { siren: { isOn: false } };
const bedside = (alert: boolean) => ({ report: { bedside: { alert } } });
const remote = (button: number, ...modifiers: readonly string[]) => ({
  report: { remote: { button, modifiers } },
});

scenario("calls for help until somebody closes the alarm", "EMERGENCY_BUTTON", home, [
  { shows: "nobody presses", ...bedside(false), pass: 3_600_000 },
  { shows: "a release does not count as a press", ...remote(3, "stop") },
  { user: { lamp: { isOn: false } } },
  {
    shows: "press: error alarm and lights, even a lamp that a person holds",
    ...bedside(true),
    commands: call,
    alarms: ["EMERGENCY bedside"],
  },
  { shows: "a release does not end the call", ...bedside(false), pass: 119_000 },
  { shows: "it repeats", pass: 1000, commands: call, alarms: ["EMERGENCY bedside"] },
  { shows: "late: fires at the start", down: 600_000, commands: call, alarms: ["EMERGENCY bedside"] },
  { shows: "a second call", ...remote(3), commands: call, alarms: ["EMERGENCY remote"] },
  { shows: "pressed again", ...remote(3), commands: call, alarms: ["EMERGENCY remote"] },
  { shows: "one of two alarms is closed", close: ["EMERGENCY", "bedside"], pass: 100_000 },
  { pass: 20_000, commands: call, alarms: ["EMERGENCY remote"] },
  { shows: "the last alarm is removed: the siren ends", remove: ["EMERGENCY", "remote"], commands: hush },
  { pass: 3_600_000 },
  { ...bedside(true), commands: call, alarms: ["EMERGENCY bedside"] },
  { close: ["EMERGENCY", "bedside"], commands: hush },
  { shows: "a restored press is not a new one", resync: { remote: { button: 2 } } },
  bedside(false),
  { ...bedside(true), commands: call, alarms: ["EMERGENCY bedside"] },
  { shows: "rule off cancels the timers", rule: "off", pass: 3_600_000 },
]);
