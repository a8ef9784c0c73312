import { scenario } from "../testdata/scenario.ts";

const home = {
  devices: {
    heater: ["THERMOSTAT", "HVAC", "THERMOSTAT"],
    air: ["MULTI_SENSOR", "AIR_QUALITY"],
    fan: ["POWER_SOCKET", "ON_OFF"],
  },
  outputs: { targets: ["fan"] },
} as const;
const [on, off] = [{ fan: { isOn: true } }, { fan: { isOn: false } }];

scenario(
  "a word",
  "TEXT_ONE_OF",
  {
    ...home,
    inputs: { watched: ["air"] },
    extras: { attribute: "airQuality", words: ["poor", "unhealthy"] },
  },
  [
    { report: { air: { airQuality: "good" } } },
    { report: { air: { airQuality: "poor" } }, commands: on },
    { shows: "another word of the list", report: { air: { airQuality: "unhealthy" } } },
    { report: { air: { airQuality: "moderate" } }, commands: off },
  ],
);

scenario(
  "a numbered choice by its digits",
  "TEXT_ONE_OF",
  { ...home, inputs: { watched: ["heater"] }, extras: { attribute: "mode", words: ["2"] } },
  [
    { report: { heater: { mode: 2 } }, commands: on },
    { report: { heater: { mode: 0 } }, commands: off },
  ],
);
