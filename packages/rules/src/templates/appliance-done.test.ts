import { scenario } from "../testdata/scenario.ts";

const minute = 60_000;
const home = {
  devices: { washer: ["POWER_SOCKET", "ON_OFF", "MEASURE_POWER"] },
  inputs: { meter: ["washer"] },
} as const;
const draws = (activePower: number) => ({ washer: { activePower } });
const done = ["APPLIANCE_DONE washer"];

scenario("tells when an appliance that ran is done", "APPLIANCE_DONE", home, [
  { shows: "idle: it draws nothing and has not run", report: draws(3), pass: 60 * minute },
  { shows: "below startW it does not run", report: draws(19.9), pass: minute },
  { report: draws(0), pass: 60 * minute },
  { shows: "running from startW on", report: draws(20), pass: 10 * minute },
  { shows: "not quiet above doneW", report: draws(5.1), pass: 60 * minute },
  { report: draws(5), pass: 2.9 * minute },
  { shows: "a break ends: doneFor starts over", report: draws(2000), pass: 10 * minute },
  { report: draws(4), pass: 2.9 * minute },
  { report: draws(3) },
  { shows: "at doneW or below for doneFor: done", pass: 0.1 * minute, alarms: done },
  { shows: "it tells once", report: draws(6), pass: 60 * minute },
  { shows: "runs again", report: draws(1500), alarms: ["-APPLIANCE_DONE washer"] },
  { report: draws(0), pass: 3 * minute, alarms: done },
]);

scenario(
  "counts a reading on a limit as reached",
  "APPLIANCE_DONE",
  { ...home, extras: { startW: 10, doneW: 9 } },
  [{ report: draws(10) }, { report: draws(9), pass: 3 * minute, alarms: done }],
);

scenario(
  "waits while its meter is out of reach",
  "APPLIANCE_DONE",
  { ...home, extras: { doneFor: 10 * minute } },
  [
    { report: draws(100) },
    { report: draws(0), pass: 5 * minute },
    {
      shows: "unreachable: the state is unknown",
      report: { washer: { reachable: false } },
      pass: 60 * minute,
    },
    { report: { washer: { reachable: true } }, pass: 9 * minute },
    { pass: minute, alarms: done },
  ],
);

scenario("tells at once without a waiting time", "APPLIANCE_DONE", { ...home, extras: { doneFor: 0 } }, [
  { report: draws(100) },
  { report: draws(0), alarms: done },
]);

scenario("forgets a run when the rule goes off", "APPLIANCE_DONE", home, [
  { report: draws(100) },
  { report: draws(0) },
  { shows: "rule off cancels the timers", rule: "off", pass: 60 * minute },
  { shows: "the run before is forgotten", rule: "on", pass: 60 * minute },
  { report: draws(100) },
  { report: draws(0), pass: 3 * minute, alarms: done },
]);

scenario("looks again when its timer is late", "APPLIANCE_DONE", home, [
  { report: draws(100) },
  { report: draws(0) },
  { shows: "late: looks again, and it is still quiet", down: 60 * minute, alarms: done },
  { shows: "a level rule: a restored state counts", resync: draws(100), alarms: ["-APPLIANCE_DONE washer"] },
]);
