import { scenario } from "../testdata/scenario.ts";

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

scenario("warns about each device that stays out of reach", "DEVICE_OFFLINE", home, [
  { ...gone("lamp"), pass: 1.9 * hour },
  { shows: "reachable again in time", ...back("lamp"), pass: 1000 },
  { shows: "out of reach again: the time restarts", ...gone("lamp"), pass: 1.9 * hour },
  { shows: "unreachable for after: warn", pass: 0.5 * hour, alarms: ["DEVICE_OFFLINE lamp"] },
  { shows: "it warns once", pass: 100 * hour },
  { ...back("lamp"), alarms: ["-DEVICE_OFFLINE lamp"] },
  { ...gone("lamp"), pass: 3 * hour, alarms: ["DEVICE_OFFLINE lamp"] },
  { shows: "rule off cancels the timers", rule: "off" },
  {
    shows: "rule on looks at what devices show",
    rule: "on",
    pass: 3 * hour,
    alarms: ["DEVICE_OFFLINE lamp"],
  },
]);

scenario("raises one alarm for a radio that lost most of its devices", "DEVICE_OFFLINE", home, [
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
  { shows: "all devices gone: still one alarm", ...gone("cellar"), pass: 100 * hour },
  { shows: "one device is back", ...back("lamp"), pass: 100 * hour },
  {
    shows: "the radio works again: the device that is still gone gets its own alarm",
    ...back("attic"),
    pass: 3 * hour,
    alarms: ["-RADIO_OFFLINE", "DEVICE_OFFLINE door", "DEVICE_OFFLINE cellar"],
  },
  { ...back("door", "cellar"), alarms: ["-DEVICE_OFFLINE door", "-DEVICE_OFFLINE cellar"] },
  { ...gone("lamp", "door", "attic"), pass: 3 * hour, alarms: ["RADIO_OFFLINE"] },
  {
    shows: "back before its own alarm was due: the radio's alarm closes",
    ...back("door"),
    alarms: ["-RADIO_OFFLINE"],
  },
]);

scenario("warns nobody soon after a start", "DEVICE_OFFLINE", { ...home, extras: { after: 60_000 } }, [
  { shows: "within the grace period", ...gone("lamp"), pass: 800_000 },
  {
    shows: "after it",
    report: { attic: { rssi: -40 } },
    pass: 960_000,
    alarms: ["DEVICE_OFFLINE lamp"],
  },
  { ...back("lamp"), alarms: ["-DEVICE_OFFLINE lamp"] },
  gone("door", "lamp"),
  { shows: "late: looks again, still within the grace period", down: hour, pass: 800_000 },
  {
    shows: "one is back within the grace period",
    ...back("door"),
    pass: 960_000,
    alarms: ["DEVICE_OFFLINE lamp"],
  },
]);

scenario("warns at once without a grace period", "DEVICE_OFFLINE", { ...home, extras: { grace: 0 } }, [
  gone("lamp"),
  { shows: "late: looks again", down: 3 * hour, alarms: ["DEVICE_OFFLINE lamp"] },
]);
