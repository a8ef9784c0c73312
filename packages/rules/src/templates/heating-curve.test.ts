import { scenario } from "../testdata/scenario.ts";

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

scenario("sets the supply temperature by the weather", "HEATING_CURVE", home, [
  { shows: "nothing is known, nothing is written", pass: 60 * minute },
  { shows: "target + slope * (target - outdoor)", report: { yard: { temperature: 0 } }, commands: to(46) },
  { shows: "at most once in each period", report: { yard: { temperature: -10 } }, pass: 9 * minute },
  { shows: "the mean of both samples", pass: minute, commands: to(52.5) },
  { pass: 10 * minute, commands: to(54.7) },
  { shows: "the last of these changes stays within the dead band", pass: 30 * minute, commands: to(56.4) },
  { shows: "the first sample is an hour old and no longer counts", pass: 10 * minute, commands: to(59) },
  { shows: "1-h moving average", pass: 60 * minute },
  { report: { yard: { temperature: 30 } }, pass: 60 * minute, commands: to(20) },
  { shows: "max(0, ...): it is warmer outdoors than the target", pass: 60 * minute },
]);

scenario(
  "corrects the supply by the rooms",
  "HEATING_CURVE",
  { ...home, shown: { yard: { temperature: 10 }, shunt: { targetTemperature: 33 } } },
  [
    { shows: "while no room is known only the weather counts", pass: 10 * minute },
    {
      shows: "roomGain * (target - avg room)",
      report: { living: { temperature: 19 }, bed: { temperature: 18 } },
      pass: 10 * minute,
      commands: to(36),
    },
    { shows: "a change within the dead band", report: { bed: { temperature: 18.4 } }, pass: 10 * minute },
    {
      shows: "a change as large as the dead band",
      report: { bed: { temperature: 18.5 } },
      pass: 10 * minute,
      commands: to(35.5),
    },
    {
      shows: "unreachable sensors are left out",
      report: { bed: { reachable: false } },
      pass: 10 * minute,
      commands: to(35),
    },
    { report: { living: { temperature: 21 } }, pass: 10 * minute, commands: to(31) },
  ],
);

scenario(
  "keeps within the lowest and highest supply",
  "HEATING_CURVE",
  { ...home, extras: { min: 25, max: 50, slope: 2.5, offset: 1.5 } },
  [
    { report: { yard: { temperature: 18 } }, commands: to(26.5) },
    { shows: "max", report: { yard: { temperature: -30 } }, pass: 60 * minute, commands: to(50) },
    {
      shows: "min",
      report: { yard: { temperature: 25 }, living: { temperature: 24 } },
      pass: 60 * minute,
      commands: to(25),
    },
  ],
);

scenario("writes nothing once the weather is unknown", "HEATING_CURVE", home, [
  { report: { yard: { temperature: 0 } }, commands: to(46) },
  {
    shows: "the samples of the last hour still count",
    report: { yard: { reachable: false }, living: { temperature: 19 } },
    pass: 50 * minute,
    commands: to(48),
  },
  { shows: "then nothing is written", report: { living: { temperature: 10 } }, pass: 5 * minute },
  { pass: 5 * minute },
  { pass: 60 * minute },
  {
    shows: "at once when the weather is known again",
    report: { yard: { reachable: true } },
    commands: to(65),
  },
]);

scenario("leaves a device alone after a person changed it", "HEATING_CURVE", home, [
  { report: { yard: { temperature: 0 } }, commands: to(46) },
  { user: { shunt: { targetTemperature: 30 } } },
  { shows: "held: no command", pass: 10 * minute, suppressed: ["shunt"] },
  { shows: "for two hours", pass: 100 * minute, suppressed: Array.from({ length: 10 }, () => "shunt") },
  { pass: 20 * minute, suppressed: ["shunt"], commands: to(46) },
]);

scenario("leaves its outputs as they are when it goes off", "HEATING_CURVE", home, [
  { report: { yard: { temperature: 0 } }, commands: to(46) },
  {
    shows: "outputs stay as they are, timers are cancelled",
    rule: "off",
    report: { yard: { temperature: -10 } },
    pass: 60 * minute,
  },
  { shows: "earlier samples are forgotten", rule: "on", commands: to(59) },
]);

scenario("catches up on late timers", "HEATING_CURVE", home, [
  { report: { yard: { temperature: 0 } }, commands: to(46) },
  { report: { yard: { temperature: -10 } } },
  { shows: "late: fires at the start", down: 30 * minute, commands: to(52.5) },
  {
    shows: "a restored temperature counts",
    resync: { yard: { temperature: -20 } },
    pass: 10 * minute,
    commands: to(59),
  },
  { shows: "samples age while the hub is down", down: 120 * minute, commands: to(65) },
]);
