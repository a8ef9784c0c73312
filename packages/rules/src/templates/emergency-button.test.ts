import { scenario } from "../test-scenario.ts";

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

scenario("it calls until somebody answers", "EMERGENCY_BUTTON", home, [
  { shows: "nobody presses", ...bedside(false), pass: 3_600_000 },
  { shows: "let go", ...remote(3, "stop") },
  { user: { lamp: { isOn: false } } },
  {
    shows: "press: err alarm, whoever holds the lamp",
    ...bedside(true),
    commands: call,
    alarms: ["EMERGENCY bedside"],
  },
  { shows: "let go", ...bedside(false), pass: 119_000 },
  { shows: "repeat", pass: 1000, commands: call, alarms: ["EMERGENCY bedside"] },
  { shows: "F", down: 600_000, commands: call, alarms: ["EMERGENCY bedside"] },
  { shows: "a second call", ...remote(3), commands: call, alarms: ["EMERGENCY remote"] },
  { shows: "pressed again", ...remote(3), commands: call, alarms: ["EMERGENCY remote"] },
  { shows: "one of two is answered", close: ["EMERGENCY", "bedside"], pass: 100_000 },
  { pass: 20_000, commands: call, alarms: ["EMERGENCY remote"] },
  { shows: "until closed by a user", remove: ["EMERGENCY", "remote"], commands: hush },
  { pass: 3_600_000 },
  { ...bedside(true), commands: call, alarms: ["EMERGENCY bedside"] },
  { close: ["EMERGENCY", "bedside"], commands: hush },
  { shows: "an old press is no new one", resync: { remote: { button: 2 } } },
  bedside(false),
  { ...bedside(true), commands: call, alarms: ["EMERGENCY bedside"] },
  { shows: "C4", rule: "off", pass: 3_600_000 },
]);
