import { scenario } from "../test-scenario.ts";

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

scenario("a dim light at night", "NIGHT_LIGHT", home, [
  { shows: "only inside times", report: moves },
  { report: still, pass: hour },
  {
    shows: "off to on when any moves: level fixed, as warm as the lamp can; what is on stays as it is",
    report: moves,
    commands: lit,
  },
  { report: { bath: { motion: true } } },
  { shows: "one still sees motion", report: still, pass: 600_000 },
  { shows: "all false starts the timeout", report: { bath: { motion: false } }, pass: 80_000 },
  { shows: "motion cancels", report: moves, pass: hour },
  { report: still, pass: 80_000 },
  { shows: "restores the previous state of the lamp", pass: 10_000, commands: restored },
  { pass: hour },
  { report: moves, commands: lit },
  { shows: "a person makes it brighter", user: { spot: { brightness: 1 } } },
  {
    shows: "and so it stays",
    report: still,
    pass: 90_000,
    commands: { lamp: restored.lamp },
    suppressed: ["spot"],
  },
  { user: { spot: { isOn: false, brightness: 0.6 } } },
  { shows: "as long as it is night", pass: 2 * hour },
  { report: moves, commands: lit },
  { shows: "R: rule off restores", rule: "off", commands: restored },
  { report: still, pass: hour },
  { shows: "level: somebody moves when it goes on", report: moves },
  { rule: "on", commands: lit },
  { shows: "what began in the night ends after it", pass: 6 * hour },
  { report: still, pass: 90_000, commands: restored },
  { shows: "the night is over", report: moves },
]);

scenario(
  "motion when the night begins",
  "NIGHT_LIGHT",
  { ...home, extras: { level: 0.1, colorTemp: 3000 } },
  [
    { report: moves },
    {
      shows: "inside times from then on",
      pass: hour,
      commands: {
        lamp: { ...lit.lamp, brightness: 0.1, temperature: 3000 },
        spot: { isOn: true, brightness: 0.1 },
      },
    },
  ],
);

scenario("V: a timeout that was late", "NIGHT_LIGHT", { ...home, at: "2026-01-15T23:00:00+02:00" }, [
  { report: moves, commands: lit },
  { report: still },
  { shows: "waits for the sensors", down: 600_000, commands: restored },
]);

scenario(
  "a lamp that does not say which of its colours counts",
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
      shows: "-1 is no temperature",
      report: still,
      pass: 90_000,
      commands: { lamp: { isOn: false, hue: 2, saturation: 1 } },
    },
  ],
);
