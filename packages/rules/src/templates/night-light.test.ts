import { scenario } from "../testdata/scenario.ts";

const home = {
  devices: {
    hall: ["MOTION", "MOTION"],
    bath: ["MOTION", "MOTION"],
    lamp: ["LIGHT", "ON_OFF", "BRIGHTNESS", "COLOR_TEMP", "COLOR_HS"],
    spot: ["LIGHT", "ON_OFF", "BRIGHTNESS"],
    desk: ["LIGHT", "ON_OFF", "BRIGHTNESS"],
  },
  inputs: { motion: ["hall", "bath"] },
  outputs: { lights: ["lamp", "spot", "desk"] },
  shown: {
    lamp: {
      isOn: false,
      brightness: 0.8,
      colorMode: "hs",
      hue: 1,
      saturation: 0.5,
      temperature: -1,
      minTemperature: 2300,
    },
    spot: { isOn: false, brightness: 0.6 },
    desk: { isOn: true, brightness: 1 },
  },
  at: "2026-01-15T21:00:00+02:00",
} as const;
const moves = { hall: { motion: true } };
const still = { hall: { motion: false } };
const hour = 3_600_000;
const lit = {
  lamp: { isOn: true, brightness: 0.05, temperature: 2300 },
  spot: { isOn: true, brightness: 0.05 },
};
const restored = {
  lamp: { isOn: false, brightness: 0.8, hue: 1, saturation: 0.5 },
  spot: { isOn: false, brightness: 0.6 },
};

scenario("lights dimly at night and restores the lamps", "NIGHT_LIGHT", home, [
  { shows: "outside the times nothing happens", report: moves },
  { report: still, pass: hour },
  {
    shows:
      "any sensor's motion: at the fixed level, as warm as the lamp can; a lamp that is on stays as it is",
    report: moves,
    commands: lit,
  },
  { report: { bath: { motion: true } } },
  { shows: "the other sensor still sees motion", report: still, pass: 600_000 },
  { shows: "no sensor sees motion: the timeout begins", report: { bath: { motion: false } }, pass: 80_000 },
  { shows: "new motion cancels it", report: moves, pass: hour },
  { report: still, pass: 80_000 },
  { shows: "the lamp's previous state comes back", pass: 10_000, commands: restored },
  { pass: hour },
  { report: moves, commands: lit },
  { shows: "a person makes a lamp brighter", user: { spot: { brightness: 1 } } },
  {
    shows: "the rule leaves that lamp alone",
    report: still,
    pass: 90_000,
    commands: { lamp: restored.lamp },
    suppressed: ["spot"],
  },
  { user: { spot: { isOn: false, brightness: 0.6 } } },
  { shows: "for the rest of the night", pass: 2 * hour },
  { report: moves, commands: lit },
  { shows: "rule off restores the lamps", rule: "off", commands: restored },
  { report: still, pass: hour },
  { shows: "somebody is already moving when the rule goes on", report: moves },
  { rule: "on", commands: lit },
  { shows: "a timeout from the night still ends after it", pass: 6 * hour },
  { report: still, pass: 90_000, commands: restored },
  { shows: "after the night nothing happens", report: moves },
]);

scenario(
  "lights when the night begins while somebody moves",
  "NIGHT_LIGHT",
  { ...home, extras: { level: 0.1, colorTemp: 3000 } },
  [
    { report: moves },
    {
      shows: "the times begin",
      pass: hour,
      commands: {
        lamp: { ...lit.lamp, brightness: 0.1, temperature: 3000 },
        spot: { isOn: true, brightness: 0.1 },
      },
    },
  ],
);

scenario(
  "looks again when its timeout is late",
  "NIGHT_LIGHT",
  { ...home, at: "2026-01-15T23:00:00+02:00" },
  [
    { report: moves, commands: lit },
    { report: still },
    { shows: "late: waits for what the sensors report", down: 600_000, commands: restored },
  ],
);

scenario(
  "restores every known colour of a lamp that shows no colour mode",
  "NIGHT_LIGHT",
  {
    ...home,
    at: "2026-01-15T23:00:00+02:00",
    outputs: { lights: ["lamp"] },
    shown: { lamp: { isOn: false, hue: 2, saturation: 1, temperature: -1 } },
  },
  [
    { report: moves, commands: { lamp: { isOn: true, brightness: 0.05, temperature: 2200 } } },
    {
      shows: "-1 is not a colour temperature",
      report: still,
      pass: 90_000,
      commands: { lamp: { isOn: false, hue: 2, saturation: 1 } },
    },
  ],
);
