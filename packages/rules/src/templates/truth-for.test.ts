import { scenario } from "../testdata/scenario.ts";

const minute = 60_000;
const home = {
  devices: {
    window: ["CONTACT", "CONTACT"],
    door: ["CONTACT", "CONTACT"],
    light: ["LIGHT", "ON_OFF"],
  },
  inputs: { watched: ["window", "door"] },
  outputs: { targets: ["light"] },
  extras: { attribute: "tamper", forMs: minute },
} as const;
const [on, off] = [{ light: { isOn: true } }, { light: { isOn: false } }];

scenario("true for a time", "TRUTH_FOR", home, [
  { report: { window: { tamper: true } }, pass: minute / 2 },
  { shows: "too short", report: { window: { tamper: false } }, pass: 5 * minute },
  { report: { door: { tamper: true } }, pass: minute, commands: on },
  { report: { window: { tamper: true } }, pass: minute },
  { shows: "one of them still is", report: { door: { tamper: false } } },
  { report: { window: { tamper: false } }, commands: off },
]);

scenario(
  "false, of all devices",
  "TRUTH_FOR",
  { ...home, extras: { ...home.extras, wanted: false, match: "all", forMs: 0 } },
  [
    { report: { door: { tamper: true }, window: { tamper: true } } },
    { report: { door: { tamper: false } } },
    { report: { window: { tamper: false } }, commands: on },
    { report: { door: { tamper: true } }, commands: off },
  ],
);
