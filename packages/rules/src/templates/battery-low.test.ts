import { scenario } from "../testdata/scenario.ts";

const home = {
  devices: {
    remote: ["REMOTE_CONTROL", "REMOTE_CONTROL", "BATTERY_C"],
    door: ["CONTACT", "CONTACT", "BATTERY_U"],
    both: ["CONTACT", "CONTACT", "BATTERY_U", "BATTERY_C"],
  },
  inputs: { devices: ["remote", "door", "both"] },
} as const;
const day = 86_400_000;

scenario("warns about each battery on its own", "BATTERY_LOW", home, [
  {
    shows: "above the limit",
    report: { remote: { battery: 20.5 }, door: { batteryLow: false } },
    pass: day,
  },
  { shows: "at the limit it warns", report: { remote: { battery: 20 } }, alarms: ["BATTERY_LOW remote"] },
  { shows: "it warns once", report: { remote: { battery: 12 } }, pass: 7 * day - 1000 },
  { shows: "it repeats after a week", pass: 1000, alarms: ["BATTERY_LOW remote"] },
  {
    shows: "each device has its own warning",
    report: { door: { batteryLow: true } },
    alarms: ["BATTERY_LOW door"],
  },
  { shows: "hysteresis: not yet full enough", report: { remote: { battery: 29 } } },
  {
    shows: "10 % above the limit the warning closes",
    report: { remote: { battery: 30 } },
    alarms: ["-BATTERY_LOW remote"],
  },
  { shows: "a person closes the warning", close: ["BATTERY_LOW", "door"] },
  { shows: "still low: it warns again", pass: 7 * day, alarms: ["BATTERY_LOW door"] },
  { shows: "late: fires at the start, once", down: 30 * day, alarms: ["BATTERY_LOW door"] },
  {
    shows: "the battery was changed",
    report: { door: { batteryLow: false } },
    alarms: ["-BATTERY_LOW door"],
  },
  {
    shows: "the device shows both a level and a low flag",
    report: { both: { batteryLow: true, battery: 50 } },
    alarms: ["BATTERY_LOW both"],
  },
  { report: { both: { batteryLow: false } }, alarms: ["-BATTERY_LOW both"] },
  { report: { both: { battery: 3 } }, alarms: ["BATTERY_LOW both"] },
  { shows: "rule off cancels the timers", rule: "off", pass: 30 * day },
  { shows: "rule on looks at what devices show", rule: "on", alarms: ["BATTERY_LOW both"] },
]);

scenario(
  "closes the warning of a full battery under a high limit",
  "BATTERY_LOW",
  { ...home, extras: { limit: 0.95 } },
  [
    { report: { remote: { battery: 95 } }, alarms: ["BATTERY_LOW remote"] },
    { report: { remote: { battery: 99 } } },
    {
      shows: "a full battery is no longer low",
      report: { remote: { battery: 100 } },
      alarms: ["-BATTERY_LOW remote"],
    },
  ],
);
