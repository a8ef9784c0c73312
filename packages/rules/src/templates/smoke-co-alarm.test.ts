import { scenario } from "../testdata/scenario.ts";

const home = {
  devices: {
    hall: ["SMOKE_ALARM", "SMOKE", "CO"],
    attic: ["MULTI_SENSOR", "HIGH_TEMP"],
    siren: ["ALARM_DEVICE", "GENERATE_ALERT"],
    lamp: ["LIGHT", "ON_OFF", "BRIGHTNESS"],
    spot: ["LIGHT", "ON_OFF"],
    fan: ["POWER_SOCKET", "ON_OFF"],
    unit: ["MULTI_SENSOR", "VU"],
    door: ["CONTACT", "LOCK"],
  },
  inputs: { alarm: ["hall", "attic"] },
  outputs: { siren: ["siren"], lights: ["lamp", "spot"], cut: ["fan", "unit"], locks: ["door"] },
  shown: { siren: { sirenOn: false }, fan: { isOn: true }, door: { locked: true } },
} as const;

const protect = {
  siren: { sirenOn: true },
  lamp: { isOn: true, brightness: 1 },
  spot: { isOn: true },
  fan: { isOn: false },
  unit: { mode: 0 },
};

scenario("raises the alarm for smoke, carbon monoxide and heat", "SMOKE_CO_ALARM", home, [
  { report: { hall: { alert: false, coDetected: false } } },
  { shows: "a person has just turned a lamp off", user: { lamp: { isOn: false } } },
  {
    shows: "alarm: sirens, full light even on held lamps, ventilation off, error alarm; locks stay locked",
    report: { hall: { alert: true } },
    commands: protect,
    alarms: ["SMOKE hall"],
  },
  { pass: 3_600_000 },
  {
    shows: "the same detector reports carbon monoxide too",
    report: { hall: { coDetected: true } },
    commands: protect,
    alarms: ["CARBON_MONOXIDE hall"],
  },
  {
    shows: "another detector reports heat",
    report: { attic: { highTemp: true } },
    commands: protect,
    alarms: ["HEAT attic"],
  },
  { shows: "one of several detectors is clear", report: { hall: { alert: false } } },
  { report: { hall: { coDetected: false } } },
  { shows: "a user closes an alarm, but not all detectors are clear", close: ["HEAT", "attic"] },
  { shows: "all are clear, but not all alarms are closed", report: { attic: { highTemp: false } } },
  { close: ["SMOKE", "hall"] },
  {
    shows: "all clear and all closed: the siren ends, the rest stays",
    close: ["CARBON_MONOXIDE", "hall"],
    commands: { siren: { sirenOn: false } },
  },
  { report: { attic: { highTemp: true } }, commands: protect, alarms: ["HEAT attic"] },
  { close: ["HEAT", "attic"] },
  { shows: "an unreachable detector is not clear", report: { attic: { reachable: false } } },
  { report: { attic: { reachable: true } } },
  {
    shows: "closed first, clear later",
    report: { attic: { highTemp: false } },
    commands: { siren: { sirenOn: false } },
  },
  { report: { attic: { highTemp: true } }, commands: protect, alarms: ["HEAT attic"] },
  { shows: "rule off leaves the outputs as they are", rule: "off" },
]);

scenario("unlocks doors when the rule allows it", "SMOKE_CO_ALARM", { ...home, extras: { unlock: true } }, [
  {
    shows: "even for a restored state",
    resync: { hall: { coDetected: true } },
    commands: { ...protect, door: { locked: false } },
    alarms: ["CARBON_MONOXIDE hall"],
  },
  { shows: "a restart and time change nothing more", down: 3_600_000 },
]);
