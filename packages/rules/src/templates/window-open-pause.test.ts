import { scenario } from "../test-scenario.ts";

const minute = 60_000;
const home = {
  devices: {
    bath: ["CONTACT", "CONTACT"],
    kitchen: ["CONTACT", "CONTACT"],
    radiator: ["THERMOSTAT", "THERMOSTAT"],
    floor: ["THERMOSTAT", "CONTROL_TEMPERATURE"],
    cellar: ["THERMOSTAT", "THERMOSTAT"],
    unknown: ["THERMOSTAT", "THERMOSTAT"],
  },
  shown: {
    radiator: { targetTemperature: 21 },
    floor: { targetTemperature: 23.5 },
    cellar: { targetTemperature: 5 },
  },
  inputs: { window: ["bath", "kitchen"] },
  outputs: { thermostats: ["radiator", "floor", "cellar", "unknown"] },
} as const;
const at = (setpoint: number) => ({ targetTemp: setpoint, targetTemperature: setpoint });
const frost = { radiator: at(7), floor: at(7) };
const back = { radiator: at(21), floor: at(23.5) };
const open = { bath: { open: true } };
const shut = { bath: { open: false } };

scenario("lowers and restores", "WINDOW_OPEN_PAUSE", home, [
  { shows: "nothing yet", report: open, pass: 59_000 },
  { shows: "closed before openFor", report: shut, pass: 5 * minute },
  { report: open, pass: 50_000 },
  { shows: "one of them stays open", report: { kitchen: { open: true }, ...shut }, pass: 9000 },
  {
    shows:
      "open for openFor: saves the setpoint, sets frost; neither raises nor touches what it could not restore",
    pass: 1000,
    commands: frost,
  },
  { report: { kitchen: { open: false } }, pass: 59_000 },
  { shows: "opened again: closedFor begins anew", report: open },
  { pass: 5 * minute },
  { report: shut, pass: 59_000 },
  { shows: "closed for closedFor: restore", pass: 1000, commands: back },
  { shows: "once", pass: 120 * minute },
]);

scenario(
  "a pause has an end",
  "WINDOW_OPEN_PAUSE",
  { ...home, extras: { maxPause: 10 * minute, frost: 8 } },
  [
    { report: open, pass: minute, commands: { radiator: at(8), floor: at(8) } },
    { report: shut, pass: 30_000 },
    { report: open, pass: 9 * minute },
    { shows: "maxPause: restore and warn", pass: 30_000, commands: back, alarms: ["WINDOW_LEFT_OPEN"] },
    { shows: "it does not begin again", pass: 60 * minute },
    { report: { kitchen: { open: true } }, pass: 60 * minute },
    { report: shut },
    { report: { kitchen: { open: false } }, alarms: ["-WINDOW_LEFT_OPEN"] },
    {
      shows: "for the next opening it does",
      report: open,
      pass: minute,
      commands: { radiator: at(8), floor: at(8) },
    },
  ],
);

scenario(
  "a window that closes just before the end is no reason to warn",
  "WINDOW_OPEN_PAUSE",
  { ...home, extras: { maxPause: 10 * minute } },
  [
    { report: open, pass: minute, commands: frost },
    { pass: 9.5 * minute },
    { report: shut, pass: minute, commands: back },
  ],
);

scenario("somebody turns a thermostat during the pause", "WINDOW_OPEN_PAUSE", home, [
  { report: open, pass: minute, commands: frost },
  { user: { floor: { targetTemperature: 25 } } },
  { shows: "what was changed meanwhile stays", report: shut, pass: minute, commands: { radiator: at(21) } },
  { shows: "and is noted next time", report: open, pass: minute, commands: frost },
  { report: shut, pass: minute, commands: { radiator: at(21), floor: at(25) } },
]);

scenario("a person's change holds", "WINDOW_OPEN_PAUSE", home, [
  { user: { floor: { targetTemperature: 25 } } },
  { shows: "kept away", report: open, pass: minute, commands: { radiator: at(7) }, suppressed: ["floor"] },
  { report: shut, pass: minute, commands: { radiator: at(21) }, suppressed: ["floor"] },
  { shows: "free when the rule has come to rest", report: open, pass: minute, commands: frost },
]);

scenario("nothing is known of windows", "WINDOW_OPEN_PAUSE", { ...home, inputs: { window: ["bath"] } }, [
  { report: open, pass: 30_000 },
  { shows: "nobody says that it is open still", report: { bath: { reachable: false } }, pass: 120 * minute },
  {
    shows: "what can be reached again counts again",
    report: { bath: { reachable: true } },
    pass: minute,
    commands: frost,
  },
  { report: { bath: { reachable: false } }, pass: 59 * minute },
  { shows: "at the latest then", pass: minute, commands: back, alarms: ["WINDOW_LEFT_OPEN"] },
]);

scenario("of several windows those that cannot be reached are left out", "WINDOW_OPEN_PAUSE", home, [
  { report: open, pass: minute, commands: frost },
  { report: { bath: { reachable: false } }, pass: minute, commands: back },
]);

scenario("the rule goes off", "WINDOW_OPEN_PAUSE", home, [
  { report: open, pass: minute, commands: frost },
  { shows: "R: restore", rule: "off", commands: back },
  { pass: 120 * minute },
  { shows: "evaluated on rule.on", rule: "on", pass: minute, commands: frost },
]);

scenario("what was late is looked at again", "WINDOW_OPEN_PAUSE", home, [
  { report: open },
  { shows: "V: still open", down: 10 * minute, commands: frost },
  { report: shut },
  { shows: "V: still closed", down: 10 * minute, commands: back },
  { shows: "a level rule: what is restored counts", resync: open, pass: minute, commands: frost },
  { down: 61 * minute, commands: back, alarms: ["WINDOW_LEFT_OPEN"] },
]);
