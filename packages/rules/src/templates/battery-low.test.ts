import { scenario } from "../test-scenario.ts";

const home = {
  devices: {
    remote: ["REMOTE_CONTROL", "REMOTE_CONTROL", "BATTERY_C"],
    door: ["CONTACT", "CONTACT", "BATTERY_U"],
    both: ["CONTACT", "CONTACT", "BATTERY_U", "BATTERY_C"],
  },
  inputs: { devices: ["remote", "door", "both"] },
} as const;
const day = 86_400_000;

scenario("each battery by itself", "BATTERY_LOW", home, [
  {
    shows: "above the limit",
    report: { remote: { battery: 20.5 }, door: { batteryLow: false } },
    pass: day,
  },
  { shows: "limit", report: { remote: { battery: 20 } }, alarms: ["BATTERY_LOW remote"] },
  { shows: "told once", report: { remote: { battery: 12 } }, pass: 7 * day - 1000 },
  { shows: "repeat", pass: 1000, alarms: ["BATTERY_LOW remote"] },
  { shows: "per device", report: { door: { batteryLow: true } }, alarms: ["BATTERY_LOW door"] },
  { shows: "hysteresis", report: { remote: { battery: 29 } } },
  { shows: "+10 %", report: { remote: { battery: 30 } }, alarms: ["-BATTERY_LOW remote"] },
  { shows: "a person has closed it", close: ["BATTERY_LOW", "door"] },
  { shows: "it is as low as before", pass: 7 * day, alarms: ["BATTERY_LOW door"] },
  { shows: "F, once", down: 30 * day, alarms: ["BATTERY_LOW door"] },
  { shows: "changed", report: { door: { batteryLow: false } }, alarms: ["-BATTERY_LOW door"] },
  {
    shows: "either of two ways to say so",
    report: { both: { batteryLow: true, battery: 50 } },
    alarms: ["BATTERY_LOW both"],
  },
  { report: { both: { batteryLow: false } }, alarms: ["-BATTERY_LOW both"] },
  { report: { both: { battery: 3 } }, alarms: ["BATTERY_LOW both"] },
  { shows: "C4", rule: "off", pass: 30 * day },
  { shows: "C2", rule: "on", alarms: ["BATTERY_LOW both"] },
]);

scenario("a limit near the top", "BATTERY_LOW", { ...home, extras: { limit: 0.95 } }, [
  { report: { remote: { battery: 95 } }, alarms: ["BATTERY_LOW remote"] },
  { report: { remote: { battery: 99 } } },
  { shows: "a full one is well", report: { remote: { battery: 100 } }, alarms: ["-BATTERY_LOW remote"] },
]);
