import { scenario } from "../testdata/scenario.ts";

const minute = 60_000;
const home = {
  devices: {
    north: ["MULTI_SENSOR", "TEMPERATURE"],
    south: ["MULTI_SENSOR", "TEMPERATURE"],
    heater: ["POWER_SOCKET", "ON_OFF"],
    panel: ["POWER_SOCKET", "ON_OFF"],
  },
  inputs: { temp: ["north", "south"] },
  outputs: { heaters: ["heater", "panel"] },
} as const;
const on = { heater: { isOn: true }, panel: { isOn: true } };
const off = { heater: { isOn: false }, panel: { isOn: false } };

scenario("heats around the target", "ON_OFF_THERMOSTAT", home, [
  { shows: "no temperature is known: nothing is done", pass: 10 * minute },
  { shows: "within the band nothing is switched", report: { north: { temperature: 20.75 } } },
  { shows: "the mean is at the limit", report: { south: { temperature: 21.5 }, north: { temperature: 20 } } },
  { shows: "avg < target - h/2: ON", report: { north: { temperature: 19.9 } }, commands: on },
  { shows: "warm enough, but minOn has not passed", pass: 100_000, report: { north: { temperature: 24 } } },
  { pass: 79_000 },
  { shows: "avg > target + h/2: OFF, once minOn has passed", pass: 1000, commands: off },
  { shows: "cold, but minOff has not passed", pass: 170_000, report: { north: { temperature: 15 } } },
  { shows: "ON, once minOff has passed", pass: 10_000, commands: on },
  { pass: 3 * minute },
  { shows: "at the limit nothing is switched", report: { north: { temperature: 21 } } },
  { shows: "an unreachable sensor is left out", report: { south: { reachable: false } } },
  { report: { north: { temperature: 21.25 } } },
  { report: { north: { temperature: 21.3 } }, commands: off },
  { shows: "rule off turns the heaters off", rule: "off" },
]);

scenario(
  "cools around the target",
  "ON_OFF_THERMOSTAT",
  { ...home, extras: { mode: "cool", target: 24, hyst: 2 } },
  [
    { shows: "warm enough to cool", report: { north: { temperature: 25.1 } }, commands: on },
    { pass: 3 * minute },
    { report: { north: { temperature: 23 } } },
    { report: { north: { temperature: 22.9 } }, commands: off },
  ],
);

scenario(
  "takes over heaters in the state that they have",
  "ON_OFF_THERMOSTAT",
  { ...home, off: true, shown: { north: { temperature: 21 }, heater: { isOn: true } } },
  [
    { shows: "within the band a heater that is on stays on", rule: "on" },
    {
      shows: "a level rule switches a heater that deviates",
      report: { north: { temperature: 20.9 } },
      commands: { panel: { isOn: true } },
    },
    { shows: "rule off turns the heaters off", rule: "off", commands: off },
    { shows: "and cancels the timers", pass: 120 * minute },
    { report: { north: { temperature: 22 } } },
    { shows: "evaluated on rule.on", rule: "on", commands: off },
    { report: { north: { temperature: 15 } }, commands: on },
    { shows: "rule off does not wait for minOn", rule: "off", commands: off },
  ],
);

scenario(
  "switches at once without shortest times",
  "ON_OFF_THERMOSTAT",
  { ...home, extras: { minOn: 0, minOff: 0 } },
  [
    { report: { north: { temperature: 15 } }, commands: on },
    { report: { north: { temperature: 25 } }, commands: off },
    { report: { north: { temperature: 15 } }, commands: on },
  ],
);

scenario("leaves heaters alone after a person switched them", "ON_OFF_THERMOSTAT", home, [
  { report: { north: { temperature: 19 } }, commands: on },
  { pass: 3 * minute },
  { user: { heater: { isOn: false }, panel: { isOn: false } } },
  { shows: "held: no command", report: { north: { temperature: 18.5 } }, suppressed: ["heater", "panel"] },
  {
    shows: "the hold lasts until the rule is idle",
    report: { north: { temperature: 22 } },
    suppressed: ["heater", "panel"],
  },
  { pass: 3 * minute },
  { report: { north: { temperature: 19 } }, commands: on },
  { report: { north: { temperature: 22 } } },
  { pass: 3 * minute, commands: off },
  { user: { panel: { isOn: true } } },
  { pass: 3 * minute },
  { pass: 59 * minute, report: { north: { temperature: 22.5 } }, suppressed: ["panel"] },
  { report: { north: { temperature: 22.6 } }, suppressed: ["panel"] },
  { pass: 57 * minute, seen: ["north"] },
  { shows: "or for two hours", pass: 2 * minute, commands: { panel: { isOn: false } } },
]);

scenario("turns off and warns when no sensor reports", "ON_OFF_THERMOSTAT", home, [
  { report: { north: { temperature: 19 }, south: { temperature: 20 } }, commands: on },
  { pass: 50 * minute },
  { shows: "a repeated value is a report", seen: ["south"] },
  { pass: 59 * minute },
  {
    shows: "no report for staleMs: failsafe and a warning",
    pass: minute,
    commands: off,
    alarms: ["SENSORS_SILENT"],
  },
  { pass: 60 * minute },
  { shows: "a sensor reports again, with the value from before", seen: ["south"] },
  { pass: 10 * minute, commands: on, alarms: ["-SENSORS_SILENT"] },
  { pass: 3 * minute },
  { shows: "the last value of a silent sensor does not count", report: { south: { temperature: 21.1 } } },
  { report: { south: { temperature: 21.3 } }, commands: off },
]);

scenario(
  "turns on as its failsafe when it is set to",
  "ON_OFF_THERMOSTAT",
  { ...home, extras: { failsafe: "on", staleMs: 20 * minute } },
  [
    { report: { north: { temperature: 22 } }, commands: off },
    { pass: 20 * minute, commands: on, alarms: ["SENSORS_SILENT"] },
    { report: { north: { temperature: 22.1 } }, commands: off, alarms: ["-SENSORS_SILENT"] },
  ],
);

scenario(
  "turns off when no sensor has ever reported",
  "ON_OFF_THERMOSTAT",
  { ...home, shown: { heater: { isOn: true } } },
  [{ pass: 59 * minute }, { pass: minute + 100, commands: off, alarms: ["SENSORS_SILENT"] }],
);

scenario("catches up on late timers", "ON_OFF_THERMOSTAT", home, [
  { report: { north: { temperature: 19 } }, commands: on },
  { report: { north: { temperature: 23 } } },
  { shows: "late: minOn is over at the start", down: 30 * minute, commands: off },
]);
