import { scenario } from "../test-scenario.ts";

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
  "lights while somebody moves",
  "MOTION_LIGHT",
  { ...home, shown: { spot: { isOn: true }, lamp: { isOn: false } } },
  [
    { shows: "lux < maxLux is asked", report: { lux: { lux: 400 } } },
    { shows: "not in the light", report: { hall: { motion: true } } },
    { report: { hall: { motion: false } } },
    { shows: "dark: nothing moves yet", report: { lux: { lux: 49 } } },
    {
      shows: "off to on when any moves",
      report: { hall: { motion: true } },
      commands: { lamp: { isOn: true } },
    },
    { shows: "lux is not asked again while on", report: { lux: { lux: 900 } } },
    { report: { stairs: { motion: true } } },
    { shows: "one still sees motion", report: { hall: { motion: false } } },
    { pass: 600_000 },
    { shows: "all false starts the timeout", report: { stairs: { motion: false } } },
    { pass: 119_000 },
    { shows: "motion cancels", report: { hall: { motion: true } } },
    { pass: 300_000 },
    { report: { hall: { motion: false } } },
    { shows: "only what the rule has lit goes off", pass: 120_000, commands: { lamp: { isOn: false } } },
  ],
);
