import { scenario } from "../testdata/scenario.ts";

const minute = 60_000;
const home = {
  devices: {
    pump: ["MULTI_SENSOR", "CURRENT"],
    well: ["MULTI_SENSOR", "CURRENT"],
    fan: ["POWER_SOCKET", "ON_OFF"],
    valve: ["MULTI_SENSOR", "VALVE"],
  },
  inputs: { watched: ["pump", "well"] },
  outputs: { targets: ["fan", "valve"] },
  extras: { attribute: "current", limit: 10, hysteresis: 2 },
} as const;
const run = { fan: { isOn: true }, valve: { openPct: 100 } };
const stop = { fan: { isOn: false }, valve: { openPct: 0 } };

scenario("above a limit, with hysteresis", "NUMBER_LIMIT", home, [
  { shows: "nothing is known", pass: minute },
  { report: { pump: { current: 10 }, well: { current: 3 } } },
  { shows: "one device is enough", report: { pump: { current: 10.1 } }, commands: run },
  { shows: "within the hysteresis nothing changes", report: { pump: { current: 8.5 } } },
  { shows: "back by the hysteresis", report: { pump: { current: 8 } }, commands: stop },
  { report: { well: { current: 11 } }, commands: run },
  { shows: "all unknown: no action", report: { pump: { reachable: false }, well: { reachable: false } } },
  { shows: "an unreachable device is left out", report: { pump: { reachable: true } }, commands: stop },
]);

scenario(
  "below a limit, of all devices, the other way round",
  "NUMBER_LIMIT",
  { ...home, extras: { ...home.extras, side: "below", match: "all", invert: true, hysteresis: 0 } },
  [
    { report: { pump: { current: 5 } }, commands: stop },
    { shows: "the other one is known now, and above", report: { well: { current: 20 } }, commands: run },
    { report: { well: { current: 9 } }, commands: stop },
    { shows: "at the limit it is no longer below", report: { pump: { current: 10 } }, commands: run },
  ],
);

scenario(
  "for how long, with a scene",
  "NUMBER_LIMIT",
  {
    ...home,
    scenes: ["dry"],
    outputs: { targets: [] },
    extras: { ...home.extras, forMs: 5 * minute, scene: "dry" },
  },
  [
    { report: { pump: { current: 12 } }, pass: 4 * minute },
    { shows: "too short", report: { pump: { current: 1 } }, pass: 10 * minute },
    { report: { pump: { current: 12 } }, pass: 5 * minute, turned: { dry: true } },
    { shows: "once until it is back", report: { pump: { current: 13 } }, pass: 10 * minute },
  ],
);
