import { clock, daily } from "../daily.ts";
import { scenario } from "../test-scenario.ts";

const home = {
  devices: {
    hall: ["MOTION", "MOTION"],
    fridge: ["CONTACT", "CONTACT"],
    lamp: ["LIGHT", "ON_OFF"],
  },
  inputs: { activity: ["hall", "fridge", "lamp"] },
  shown: { hall: { motion: false }, fridge: { open: false }, lamp: { isOn: false } },
} as const;

const hour = 3_600_000;
const sees = (motion: boolean) => ({ report: { hall: { motion } } });

scenario("nobody stirs", "INACTIVITY_CARE", { ...home, at: "2026-01-15T07:00:00+02:00" }, [
  { shows: "times 08:00-22:00: it begins with them", pass: 8.9 * hour },
  { shows: "no activity for quietFor: warn", pass: 0.2 * hour, alarms: ["INACTIVITY"] },
  { shows: "once", pass: 2 * hour },
  { shows: "somebody stirs", ...sees(true), alarms: ["-INACTIVITY"] },
  { shows: "not outside times", pass: 13 * hour },
  {
    shows: "the next day has begun at 8, and somebody opens the fridge",
    report: { fridge: { open: true } },
    pass: 7.5 * hour,
  },
  { shows: "whoever switches a lamp stirs", user: { lamp: { isOn: true } }, pass: 5.7 * hour },
  { shows: "the night ends the watch", pass: 5 * hour },
]);

scenario(
  "what counts",
  "INACTIVITY_CARE",
  { ...home, extras: { quietFor: 60_000, times: [daily(clock(0), clock(0))] } },
  [
    { pass: 50_000 },
    { shows: "the end of motion is a sign too", ...sees(true) },
    { pass: 50_000 },
    { ...sees(false), pass: 30_000 },
    { shows: "what another rule switches is none", ruled: { lamp: { isOn: true } }, pass: 29_000 },
    { pass: 1000, alarms: ["INACTIVITY"] },
    { shows: "a person has closed it: no sign of life", close: ["INACTIVITY"], pass: 600_000 },
    { ...sees(true), pass: 60_000, alarms: ["INACTIVITY"] },
    { ...sees(false), alarms: ["-INACTIVITY"] },
    { shows: "what answers again has not stirred", report: { hall: { reachable: false } }, pass: 30_000 },
    { report: { hall: { reachable: true } }, pass: 30_000, alarms: ["INACTIVITY"] },
    { ...sees(true), alarms: ["-INACTIVITY"] },
    {
      shows: "C1: nothing can be heard of",
      report: { hall: { reachable: false }, fridge: { reachable: false }, lamp: { reachable: false } },
      pass: 600_000,
    },
    { report: { hall: { reachable: true } }, pass: 60_000, alarms: ["INACTIVITY"] },
    { shows: "C4", rule: "off", pass: hour },
  ],
);

const day = { ...home, extras: { times: [daily(clock(0), clock(0))] } };

scenario("late", "INACTIVITY_CARE", day, [
  sees(true),
  { shows: "V: nothing has changed meanwhile", down: 9 * hour, alarms: ["INACTIVITY"] },
  {
    shows: "what is known again is a sign of life",
    resync: { hall: { motion: false } },
    alarms: ["-INACTIVITY"],
  },
]);
