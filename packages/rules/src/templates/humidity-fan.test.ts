import { scenario } from "../testdata/scenario.ts";

const minute = 60_000;
const home = {
  devices: {
    shower: ["MULTI_SENSOR", "HUMIDITY"],
    laundry: ["MULTI_SENSOR", "HUMIDITY"],
    hall: ["MULTI_SENSOR", "HUMIDITY"],
    fan: ["POWER_SOCKET", "ON_OFF"],
    vent: ["MULTI_SENSOR", "FAN_MODE"],
  },
  inputs: { hum: ["shower", "laundry"] },
  outputs: { fan: ["fan", "vent"] },
} as const;
const run = { fan: { isOn: true }, vent: { fanMode: 1 } };
const stop = { fan: { isOn: false }, vent: { fanMode: 0 } };

scenario("switches the fan with hysteresis", "HUMIDITY_FAN", home, [
  { shows: "nothing is known", pass: minute },
  { report: { laundry: { humidity: 40 }, shower: { humidity: 64.9 } } },
  { shows: "on at 65 % at the dampest sensor", report: { shower: { humidity: 65 } }, commands: run },
  { shows: "between the limits nothing changes", report: { shower: { humidity: 55.1 } } },
  { report: { shower: { humidity: 80 } } },
  { shows: "off at 55 %", report: { shower: { humidity: 55 } }, commands: stop },
  { report: { shower: { humidity: 64 } } },
  { report: { laundry: { humidity: 90 } }, commands: run },
  { shows: "an unreachable sensor is left out", report: { laundry: { reachable: false } } },
  { shows: "all unknown: no action", report: { shower: { reachable: false } }, pass: 30 * minute },
  { report: { shower: { reachable: true, humidity: 50 } }, commands: stop },
]);

scenario(
  "compares with the reference sensor",
  "HUMIDITY_FAN",
  { ...home, inputs: { hum: ["shower"], ref: ["hall"] }, shown: { hall: { humidity: 40 } } },
  [
    { report: { shower: { humidity: 49.9 } } },
    { shows: "on at ref+10", report: { shower: { humidity: 50 } }, commands: run },
    { report: { shower: { humidity: 45.5 } } },
    { shows: "off at ref+5", report: { hall: { humidity: 41 } }, commands: stop },
    { shows: "an unknown reference: the fixed limits hold", report: { hall: { reachable: false } } },
    { report: { shower: { humidity: 64 } } },
    { report: { shower: { humidity: 65 } }, commands: run },
    {
      shows: "the reference is back and counts",
      report: { hall: { reachable: true, humidity: 60 } },
      commands: stop,
    },
  ],
);

scenario("rests after the longest run", "HUMIDITY_FAN", home, [
  { report: { shower: { humidity: 80 } }, commands: run },
  { pass: 59 * minute },
  { shows: "maxRun: off", pass: minute, commands: stop },
  { shows: "the rest", report: { shower: { humidity: 90 } }, pass: 14 * minute },
  { shows: "still damp after the rest", pass: minute, commands: run },
  { pass: 59 * minute },
  { pass: minute, commands: stop },
  { report: { shower: { humidity: 50 } }, pass: 15 * minute },
  { report: { shower: { humidity: 70 } }, commands: run },
]);

scenario("leaves a fan alone after a person switched it", "HUMIDITY_FAN", home, [
  { report: { shower: { humidity: 80 } }, commands: run },
  { user: { fan: { isOn: false } } },
  {
    shows: "the held fan gets no command",
    pass: 60 * minute,
    commands: { vent: { fanMode: 0 } },
    suppressed: ["fan"],
  },
  { shows: "the hold ends when the rule is idle again", pass: 15 * minute, commands: run },
]);

scenario("leaves the fan as it is when it goes off", "HUMIDITY_FAN", home, [
  { report: { shower: { humidity: 80 } }, commands: run },
  { shows: "outputs stay as they are, timers are cancelled", rule: "off", pass: 120 * minute },
  { shows: "evaluated on rule.on", rule: "on", commands: run },
]);

scenario("catches up on late timers", "HUMIDITY_FAN", home, [
  { report: { shower: { humidity: 80 } }, commands: run },
  { shows: "late: maxRun fires at the start", down: 61 * minute, commands: stop },
  { shows: "late: so does the rest, and it is still damp", down: 16 * minute, commands: run },
  { shows: "a level rule: a restored state counts", resync: { shower: { humidity: 50 } }, commands: stop },
]);
