import { SimulatedClock } from "@ledge/testkit";
import type { ContractWorld, Offered } from "@ledge/port/contract";
import { adapterContract } from "@ledge/port/contract";
import { createAdapter } from "./index.ts";

/** The home's script unplugs its ports, so that this works in a child process too. */
const script = ["air", "wire"].flatMap((native) => [
  { atMs: 600, native, action: "unplug" },
  { atMs: 1200, native, action: "plug" },
]);

const offered: Offered = {
  finds: "stray/porch",
  answers: { type: "GET_ZIGBEE_STATUS" },
  groupcast: {
    natives: ["living/ceiling", "kitchen/ceiling", "bedroom/ceiling"],
    command: { type: "set", attributes: { isOn: true, brightness: 0.25 } },
  },
};

adapterContract(
  "sim",
  async (run): Promise<ContractWorld> => {
    return {
      module: new URL("./index.ts", import.meta.url),
      create: createAdapter,
      settings: { seed: 7, latencyMs: 20 },
      vanishing: { seed: 7, script },
      wrong: [
        { settings: { seed: -1 }, field: "seed" },
        { settings: { sped: 2 }, field: "sped" },
        { settings: { script: [{ atMs: 0, native: "x", action: "explode" }] }, field: "script[0].action" },
      ],
      ...(run === "in process" && { clock: new SimulatedClock() }),
      taken: {
        native: "living/ceiling",
        command: { type: "set", attributes: { isOn: true, brightness: 0.5 } },
      },
      slow: { native: "bedroom/bedside", command: { type: "set", attributes: { isOn: true } } },
      vanish: async () => {},
      restore: async () => {},
      dispose: async () => {},
    };
  },
  offered,
);
