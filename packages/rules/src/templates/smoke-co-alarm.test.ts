import { scenario } from "../test-scenario.ts";

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

scenario("smoke, carbon monoxide and heat", "SMOKE_CO_ALARM", home, [
  { report: { hall: { alert: false, coDetected: false } } },
  { shows: "a person has just turned a lamp off", user: { lamp: { isOn: false } } },
  {
    shows: "alarm: siren, lights full whoever holds them, cut OFF, err alarm; locks stay locked unless asked",
    report: { hall: { alert: true } },
    commands: protect,
    alarms: ["SMOKE hall"],
  },
  { pass: 3_600_000 },
  {
    shows: "the same detector finds carbon monoxide too",
    report: { hall: { coDetected: true } },
    commands: protect,
    alarms: ["CARBON_MONOXIDE hall"],
  },
  {
    shows: "heat elsewhere",
    report: { attic: { highTemp: true } },
    commands: protect,
    alarms: ["HEAT attic"],
  },
  { shows: "one clear of several", report: { hall: { alert: false } } },
  { report: { hall: { coDetected: false } } },
  { shows: "a user closes, but not all is clear", close: ["HEAT", "attic"] },
  { shows: "all clear, but not all is closed", report: { attic: { highTemp: false } } },
  { close: ["SMOKE", "hall"] },
  {
    shows: "all clear and a user closed: the siren ends, all else stays",
    close: ["CARBON_MONOXIDE", "hall"],
    commands: { siren: { sirenOn: false } },
  },
  { report: { attic: { highTemp: true } }, commands: protect, alarms: ["HEAT attic"] },
  { close: ["HEAT", "attic"] },
  { shows: "what falls silent is not clear", report: { attic: { reachable: false } } },
  { report: { attic: { reachable: true } } },
  {
    shows: "closed first and clear then",
    report: { attic: { highTemp: false } },
    commands: { siren: { sirenOn: false } },
  },
  { report: { attic: { highTemp: true } }, commands: protect, alarms: ["HEAT attic"] },
  { shows: "C4: off leaves everything as it is", rule: "off" },
]);

scenario("it unlocks if it may", "SMOKE_CO_ALARM", { ...home, extras: { unlock: true } }, [
  {
    shows: "even by what is only known again",
    resync: { hall: { coDetected: true } },
    commands: { ...protect, door: { locked: false } },
    alarms: ["CARBON_MONOXIDE hall"],
  },
  { shows: "a restart and time do nothing more", down: 3_600_000 },
]);
