import { scenario } from "../test-scenario.ts";

const home = {
  devices: { lamp: ["LIGHT"], door: ["CONTACT"], cellar: ["MULTI_SENSOR"], attic: ["MULTI_SENSOR"] },
  inputs: { devices: ["lamp", "door", "cellar"] },
} as const;

const hour = 3_600_000;
const gone = (...names: readonly string[]) => ({
  report: Object.fromEntries(names.map((name) => [name, { reachable: false }])),
});
const back = (...names: readonly string[]) => ({
  report: Object.fromEntries(names.map((name) => [name, { reachable: true }])),
});

scenario("each device", "DEVICE_OFFLINE", home, [
  { ...gone("lamp"), pass: 1.9 * hour },
  { shows: "back in time", ...back("lamp"), pass: 1000 },
  { shows: "the time begins anew", ...gone("lamp"), pass: 1.9 * hour },
  { shows: "unreachable for after: warn", pass: 0.5 * hour, alarms: ["DEVICE_OFFLINE lamp"] },
  { shows: "once", pass: 100 * hour },
  { ...back("lamp"), alarms: ["-DEVICE_OFFLINE lamp"] },
  { ...gone("lamp"), pass: 3 * hour, alarms: ["DEVICE_OFFLINE lamp"] },
  { shows: "C4", rule: "off" },
  { shows: "C2", rule: "on", pass: 3 * hour, alarms: ["DEVICE_OFFLINE lamp"] },
]);

scenario("root cause", "DEVICE_OFFLINE", home, [
  {
    shows: "half of a radio is not more than half",
    ...gone("lamp", "door"),
    pass: 3 * hour,
    alarms: ["DEVICE_OFFLINE lamp", "DEVICE_OFFLINE door"],
  },
  { ...back("lamp", "door"), alarms: ["-DEVICE_OFFLINE lamp", "-DEVICE_OFFLINE door"] },
  {
    shows: "more than half of one radio, with one that the rule does not watch: ONE alarm",
    ...gone("lamp", "door", "attic"),
    pass: 3 * hour,
    alarms: ["RADIO_OFFLINE"],
  },
  { shows: "and all of it", ...gone("cellar"), pass: 100 * hour },
  { shows: "one is back", ...back("lamp"), pass: 100 * hour },
  {
    shows: "the radio works, and what is gone still is told of by itself",
    ...back("attic"),
    pass: 3 * hour,
    alarms: ["-RADIO_OFFLINE", "DEVICE_OFFLINE door", "DEVICE_OFFLINE cellar"],
  },
  { ...back("door", "cellar"), alarms: ["-DEVICE_OFFLINE door", "-DEVICE_OFFLINE cellar"] },
  { ...gone("lamp", "door", "attic"), pass: 3 * hour, alarms: ["RADIO_OFFLINE"] },
  { shows: "closed with the radio", ...back("door"), alarms: ["-RADIO_OFFLINE"] },
]);

scenario("grace after boot", "DEVICE_OFFLINE", { ...home, extras: { after: 60_000 } }, [
  { shows: "too soon after a start", ...gone("lamp"), pass: 800_000 },
  {
    shows: "and not any more",
    report: { attic: { rssi: -40 } },
    pass: 960_000,
    alarms: ["DEVICE_OFFLINE lamp"],
  },
  { ...back("lamp"), alarms: ["-DEVICE_OFFLINE lamp"] },
  gone("door", "lamp"),
  { shows: "V: due while the hub was down, and nobody is warned yet", down: hour, pass: 800_000 },
  { shows: "back in the grace", ...back("door"), pass: 960_000, alarms: ["DEVICE_OFFLINE lamp"] },
]);

scenario("no grace", "DEVICE_OFFLINE", { ...home, extras: { grace: 0 } }, [
  gone("lamp"),
  { shows: "V", down: 3 * hour, alarms: ["DEVICE_OFFLINE lamp"] },
]);
