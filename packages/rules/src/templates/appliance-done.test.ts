import { scenario } from "../test-scenario.ts";

const minute = 60_000;
const home = {
  devices: { washer: ["POWER_SOCKET", "ON_OFF", "MEASURE_POWER"] },
  inputs: { meter: ["washer"] },
} as const;
const draws = (activePower: number) => ({ washer: { activePower } });
const done = ["APPLIANCE_DONE washer"];

scenario("idle, running, done", "APPLIANCE_DONE", home, [
  { shows: "idle: it draws nothing, and has not run", report: draws(3), pass: 60 * minute },
  { shows: "below startW it does not run", report: draws(19.9), pass: minute },
  { report: draws(0), pass: 60 * minute },
  { shows: "running from startW on", report: draws(20), pass: 10 * minute },
  { shows: "not quiet above doneW", report: draws(5.1), pass: 60 * minute },
  { report: draws(5), pass: 2.9 * minute },
  { shows: "a break: doneFor begins anew", report: draws(2000), pass: 10 * minute },
  { report: draws(4), pass: 2.9 * minute },
  { report: draws(3) },
  { shows: "at doneW or below for doneFor: done", pass: 0.1 * minute, alarms: done },
  { shows: "told once", report: draws(6), pass: 60 * minute },
  { shows: "runs again", report: draws(1500), alarms: ["-APPLIANCE_DONE washer"] },
  { report: draws(0), pass: 3 * minute, alarms: done },
]);

scenario("on the limits", "APPLIANCE_DONE", { ...home, extras: { startW: 10, doneW: 9 } }, [
  { report: draws(10) },
  { report: draws(9), pass: 3 * minute, alarms: done },
]);

scenario("a meter that cannot be reached", "APPLIANCE_DONE", { ...home, extras: { doneFor: 10 * minute } }, [
  { report: draws(100) },
  { report: draws(0), pass: 5 * minute },
  { shows: "nobody knows", report: { washer: { reachable: false } }, pass: 60 * minute },
  { report: { washer: { reachable: true } }, pass: 9 * minute },
  { pass: minute, alarms: done },
]);

scenario("told at once", "APPLIANCE_DONE", { ...home, extras: { doneFor: 0 } }, [
  { report: draws(100) },
  { report: draws(0), alarms: done },
]);

scenario("the rule goes off", "APPLIANCE_DONE", home, [
  { report: draws(100) },
  { report: draws(0) },
  { shows: "timers end", rule: "off", pass: 60 * minute },
  { shows: "what ran before is forgotten", rule: "on", pass: 60 * minute },
  { report: draws(100) },
  { report: draws(0), pass: 3 * minute, alarms: done },
]);

scenario("late timers", "APPLIANCE_DONE", home, [
  { report: draws(100) },
  { report: draws(0) },
  { shows: "V: it is still quiet", down: 60 * minute, alarms: done },
  { shows: "a level rule: what is restored counts", resync: draws(100), alarms: ["-APPLIANCE_DONE washer"] },
]);
