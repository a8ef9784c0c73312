import { scenario } from "../testdata/scenario.ts";

const devices = {
  hall: ["MOTION", "MOTION"],
  stairs: ["MOTION", "MOTION"],
  lux: ["MULTI_SENSOR", "LUX"],
  lamp: ["LIGHT", "ON_OFF", "BRIGHTNESS"],
  spot: ["LIGHT", "ON_OFF"],
} as const;
const home = {
  devices,
  inputs: { motion: ["hall", "stairs"], lux: ["lux"] },
  outputs: { lights: ["lamp", "spot"] },
};

scenario(
  "lights the lamps while somebody moves in the dark",
  "MOTION_LIGHT",
  { ...home, shown: { spot: { isOn: true }, lamp: { isOn: false } } },
  [
    { shows: "lux at or above maxLux", report: { lux: { lux: 400 } } },
    { shows: "motion in the light: nothing", report: { hall: { motion: true } } },
    { report: { hall: { motion: false } } },
    { shows: "dark, without motion", report: { lux: { lux: 49 } } },
    {
      shows: "any sensor's motion: from off to on",
      report: { hall: { motion: true } },
      commands: { lamp: { isOn: true } },
    },
    { shows: "lux does not count while the lamp is on", report: { lux: { lux: 900 } } },
    { report: { stairs: { motion: true } } },
    { shows: "the other sensor still sees motion", report: { hall: { motion: false } } },
    { pass: 600_000 },
    { shows: "no sensor sees motion: the timeout begins", report: { stairs: { motion: false } } },
    { pass: 119_000 },
    { shows: "new motion cancels it", report: { hall: { motion: true } } },
    { pass: 300_000 },
    { report: { hall: { motion: false } } },
    { shows: "only the lamp that the rule lit goes off", pass: 120_000, commands: { lamp: { isOn: false } } },
  ],
);
