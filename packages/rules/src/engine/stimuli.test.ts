import { scenario } from "../testdata/scenario.ts";

scenario(
  "a level rule looks again when a sensor goes out of reach",
  "HUMIDITY_FAN",
  {
    devices: {
      shower: ["MULTI_SENSOR", "HUMIDITY"],
      laundry: ["MULTI_SENSOR", "HUMIDITY"],
      fan: ["POWER_SOCKET", "ON_OFF"],
    },
    shown: { shower: { humidity: 50 } },
    inputs: { hum: ["shower", "laundry"] },
    outputs: { fan: ["fan"] },
  },
  [
    { report: { laundry: { humidity: 80 } }, commands: { fan: { isOn: true } } },
    { report: { laundry: { reachable: false } }, commands: { fan: { isOn: false } } },
  ],
);
