import { scenario } from "../testdata/scenario.ts";

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

scenario("lowers setpoints while a window is open and restores them", "WINDOW_OPEN_PAUSE", home, [
  { shows: "open for less than openFor", report: open, pass: 59_000 },
  { shows: "closed before openFor", report: shut, pass: 5 * minute },
  { report: open, pass: 50_000 },
  { shows: "one of the windows stays open", report: { kitchen: { open: true }, ...shut }, pass: 9000 },
  {
    shows:
      "open for openFor: saves the setpoint, sets frost; raises none, and skips what it could not restore",
    pass: 1000,
    commands: frost,
  },
  { report: { kitchen: { open: false } }, pass: 59_000 },
  { shows: "opened again: closedFor starts over", report: open },
  { pass: 5 * minute },
  { report: shut, pass: 59_000 },
  { shows: "closed for closedFor: restore", pass: 1000, commands: back },
  { shows: "once", pass: 120 * minute },
]);

scenario(
  "ends a pause after maxPause",
  "WINDOW_OPEN_PAUSE",
  { ...home, extras: { maxPause: 10 * minute, frost: 8 } },
  [
    { report: open, pass: minute, commands: { radiator: at(8), floor: at(8) } },
    { report: shut, pass: 30_000 },
    { report: open, pass: 9 * minute },
    { shows: "maxPause: restore and warn", pass: 30_000, commands: back, alarms: ["WINDOW_LEFT_OPEN"] },
    { shows: "no second pause for the same opening", pass: 60 * minute },
    { report: { kitchen: { open: true } }, pass: 60 * minute },
    { report: shut },
    { report: { kitchen: { open: false } }, alarms: ["-WINDOW_LEFT_OPEN"] },
    {
      shows: "the next opening pauses again",
      report: open,
      pass: minute,
      commands: { radiator: at(8), floor: at(8) },
    },
  ],
);

scenario(
  "does not warn when a window closes just before maxPause",
  "WINDOW_OPEN_PAUSE",
  { ...home, extras: { maxPause: 10 * minute } },
  [
    { report: open, pass: minute, commands: frost },
    { pass: 9.5 * minute },
    { report: shut, pass: minute, commands: back },
  ],
);

scenario("keeps what somebody sets during the pause", "WINDOW_OPEN_PAUSE", home, [
  { report: open, pass: minute, commands: frost },
  { user: { floor: { targetTemperature: 25 } } },
  { shows: "a setpoint changed meanwhile stays", report: shut, pass: minute, commands: { radiator: at(21) } },
  { shows: "and is saved at the next pause", report: open, pass: minute, commands: frost },
  { report: shut, pass: minute, commands: { radiator: at(21), floor: at(25) } },
]);

scenario("leaves a thermostat alone after a person changed it", "WINDOW_OPEN_PAUSE", home, [
  { user: { floor: { targetTemperature: 25 } } },
  {
    shows: "held: no command",
    report: open,
    pass: minute,
    commands: { radiator: at(7) },
    suppressed: ["floor"],
  },
  { report: shut, pass: minute, commands: { radiator: at(21) }, suppressed: ["floor"] },
  { shows: "the hold ends when the rule is idle again", report: open, pass: minute, commands: frost },
]);

scenario(
  "waits while the window's state is unknown",
  "WINDOW_OPEN_PAUSE",
  { ...home, inputs: { window: ["bath"] } },
  [
    { report: open, pass: 30_000 },
    {
      shows: "unreachable: whether it is open is unknown",
      report: { bath: { reachable: false } },
      pass: 120 * minute,
    },
    {
      shows: "reachable again: it counts",
      report: { bath: { reachable: true } },
      pass: minute,
      commands: frost,
    },
    { report: { bath: { reachable: false } }, pass: 59 * minute },
    {
      shows: "the pause ends at maxPause at the latest",
      pass: minute,
      commands: back,
      alarms: ["WINDOW_LEFT_OPEN"],
    },
  ],
);

scenario("leaves out unreachable windows among several", "WINDOW_OPEN_PAUSE", home, [
  { report: open, pass: minute, commands: frost },
  { report: { bath: { reachable: false } }, pass: minute, commands: back },
]);

scenario("restores setpoints when it goes off", "WINDOW_OPEN_PAUSE", home, [
  { report: open, pass: minute, commands: frost },
  { shows: "rule off restores", rule: "off", commands: back },
  { pass: 120 * minute },
  { shows: "evaluated on rule.on", rule: "on", pass: minute, commands: frost },
]);

scenario("looks again when its timers are late", "WINDOW_OPEN_PAUSE", home, [
  { report: open },
  { shows: "late: looks again, still open", down: 10 * minute, commands: frost },
  { report: shut },
  { shows: "late: looks again, still closed", down: 10 * minute, commands: back },
  { shows: "a level rule: a restored state counts", resync: open, pass: minute, commands: frost },
  { down: 61 * minute, commands: back, alarms: ["WINDOW_LEFT_OPEN"] },
]);
