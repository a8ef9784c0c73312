import { clock, daily } from "../schedule/daily.ts";
import { scenario } from "../testdata/scenario.ts";

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

scenario(
  "warns when nobody moves for too long",
  "INACTIVITY_CARE",
  { ...home, at: "2026-01-15T07:00:00+02:00" },
  [
    { shows: "the watch begins with the times, at 8:00", pass: 8.9 * hour },
    { shows: "no activity for quietFor: warn", pass: 0.2 * hour, alarms: ["INACTIVITY"] },
    { shows: "it warns once", pass: 2 * hour },
    { shows: "somebody moves", ...sees(true), alarms: ["-INACTIVITY"] },
    { shows: "nothing outside the times", pass: 13 * hour },
    {
      shows: "the next day: the watch began at 8:00, and somebody opens the fridge",
      report: { fridge: { open: true } },
      pass: 7.5 * hour,
    },
    {
      shows: "a person who switches a lamp counts as activity",
      user: { lamp: { isOn: true } },
      pass: 5.7 * hour,
    },
    { shows: "the watch ends at night", pass: 5 * hour },
  ],
);

scenario(
  "counts what people do, not what rules do",
  "INACTIVITY_CARE",
  { ...home, extras: { quietFor: 60_000, times: [daily(clock(0), clock(0))] } },
  [
    { pass: 50_000 },
    { shows: "the end of motion counts too", ...sees(true) },
    { pass: 50_000 },
    { ...sees(false), pass: 30_000 },
    { shows: "a lamp that a rule switches does not count", ruled: { lamp: { isOn: true } }, pass: 29_000 },
    { pass: 1000, alarms: ["INACTIVITY"] },
    { shows: "closing the warning does not count", close: ["INACTIVITY"], pass: 600_000 },
    { ...sees(true), pass: 60_000, alarms: ["INACTIVITY"] },
    { ...sees(false), alarms: ["-INACTIVITY"] },
    {
      shows: "a sensor that is reachable again does not count",
      report: { hall: { reachable: false } },
      pass: 30_000,
    },
    { report: { hall: { reachable: true } }, pass: 30_000, alarms: ["INACTIVITY"] },
    { ...sees(true), alarms: ["-INACTIVITY"] },
    {
      shows: "no sensor is reachable: no warning",
      report: { hall: { reachable: false }, fridge: { reachable: false }, lamp: { reachable: false } },
      pass: 600_000,
    },
    { report: { hall: { reachable: true } }, pass: 60_000, alarms: ["INACTIVITY"] },
    { shows: "rule off cancels the timers", rule: "off", pass: hour },
  ],
);

const day = { ...home, extras: { times: [daily(clock(0), clock(0))] } };

scenario("looks again when its timer is late", "INACTIVITY_CARE", day, [
  sees(true),
  { shows: "late: looks again, nothing has changed", down: 9 * hour, alarms: ["INACTIVITY"] },
  {
    shows: "a restored state counts as activity",
    resync: { hall: { motion: false } },
    alarms: ["-INACTIVITY"],
  },
]);
