import { scenario } from "../test-scenario.ts";

const minute = 60_000;
const home = {
  devices: {
    yard: ["MULTI_SENSOR", "TEMPERATURE"],
    living: ["MULTI_SENSOR", "TEMPERATURE"],
    bed: ["MULTI_SENSOR", "TEMPERATURE"],
    shunt: ["THERMOSTAT", "CONTROL_TEMPERATURE"],
  },
  inputs: { outdoor: ["yard"], room: ["living", "bed"] },
  outputs: { supply: ["shunt"] },
} as const;
const to = (setpoint: number) => ({ shunt: { targetTemp: setpoint, targetTemperature: setpoint } });

scenario("by the weather", "HEATING_CURVE", home, [
  { shows: "nothing is known, nothing is written", pass: 60 * minute },
  { shows: "target + slope * (target - outdoor)", report: { yard: { temperature: 0 } }, commands: to(46) },
  { shows: "only once in each period", report: { yard: { temperature: -10 } }, pass: 9 * minute },
  { shows: "the mean of both", pass: minute, commands: to(52.5) },
  { pass: 10 * minute, commands: to(54.7) },
  { shows: "the last change of these is smaller than the dead band", pass: 30 * minute, commands: to(56.4) },
  { shows: "the first of all is an hour old and counts no more", pass: 10 * minute, commands: to(59) },
  { shows: "1-h moving average", pass: 60 * minute },
  { report: { yard: { temperature: 30 } }, pass: 60 * minute, commands: to(20) },
  { shows: "max(0, ...): it is warmer outdoors", pass: 60 * minute },
]);

scenario(
  "by the rooms",
  "HEATING_CURVE",
  { ...home, shown: { yard: { temperature: 10 }, shunt: { targetTemperature: 33 } } },
  [
    { shows: "without the word of rooms the weather alone", pass: 10 * minute },
    {
      shows: "roomGain * (target - avg room)",
      report: { living: { temperature: 19 }, bed: { temperature: 18 } },
      pass: 10 * minute,
      commands: to(36),
    },
    { shows: "no change of the dead band", report: { bed: { temperature: 18.4 } }, pass: 10 * minute },
    { shows: "deadband 0.5", report: { bed: { temperature: 18.5 } }, pass: 10 * minute, commands: to(35.5) },
    {
      shows: "those that cannot be reached are left out",
      report: { bed: { reachable: false } },
      pass: 10 * minute,
      commands: to(35),
    },
    { report: { living: { temperature: 21 } }, pass: 10 * minute, commands: to(31) },
  ],
);

scenario("bounds", "HEATING_CURVE", { ...home, extras: { min: 25, max: 50, slope: 2.5, offset: 1.5 } }, [
  { report: { yard: { temperature: 18 } }, commands: to(26.5) },
  { shows: "max", report: { yard: { temperature: -30 } }, pass: 60 * minute, commands: to(50) },
  {
    shows: "min",
    report: { yard: { temperature: 25 }, living: { temperature: 24 } },
    pass: 60 * minute,
    commands: to(25),
  },
]);

scenario("weather that nobody knows", "HEATING_CURVE", home, [
  { report: { yard: { temperature: 0 } }, commands: to(46) },
  {
    shows: "for an hour what was known counts",
    report: { yard: { reachable: false }, living: { temperature: 19 } },
    pass: 50 * minute,
    commands: to(48),
  },
  { shows: "then nothing is written", report: { living: { temperature: 10 } }, pass: 5 * minute },
  { pass: 5 * minute },
  { pass: 60 * minute },
  { shows: "at once when it is known again", report: { yard: { reachable: true } }, commands: to(65) },
]);

scenario("a person's change holds", "HEATING_CURVE", home, [
  { report: { yard: { temperature: 0 } }, commands: to(46) },
  { user: { shunt: { targetTemperature: 30 } } },
  { shows: "kept away", pass: 10 * minute, suppressed: ["shunt"] },
  { shows: "for two hours", pass: 100 * minute, suppressed: Array.from({ length: 10 }, () => "shunt") },
  { pass: 20 * minute, suppressed: ["shunt"], commands: to(46) },
]);

scenario("the rule goes off", "HEATING_CURVE", home, [
  { report: { yard: { temperature: 0 } }, commands: to(46) },
  {
    shows: "outputs stay as they are, timers end",
    rule: "off",
    report: { yard: { temperature: -10 } },
    pass: 60 * minute,
  },
  { shows: "what was known before is forgotten", rule: "on", commands: to(59) },
]);

scenario("late timers", "HEATING_CURVE", home, [
  { report: { yard: { temperature: 0 } }, commands: to(46) },
  { report: { yard: { temperature: -10 } } },
  { shows: "F", down: 30 * minute, commands: to(52.5) },
  {
    shows: "what is restored counts",
    resync: { yard: { temperature: -20 } },
    pass: 10 * minute,
    commands: to(59),
  },
  { shows: "an hour is an hour", down: 120 * minute, commands: to(65) },
]);
