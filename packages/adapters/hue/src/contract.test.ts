import { SimulatedBridge } from "@ledge/testkit/hue";
import { adapterContract, type ContractWorld } from "@ledge/port/contract";
import { createAdapter } from "./index.ts";

const isOn = { type: "set", attributes: { isOn: true } } as const;

/** A bridge of one generation that the profile has a key for. */
const worldOf = (isSecure: boolean) => async (): Promise<ContractWorld> => {
  const bridge = await SimulatedBridge.start(isSecure);
  const key = "known-key-0123456789";
  bridge.keys.add(key);
  const address = bridge.origin;
  const one = (more: object): object => ({ bridges: [{ address, ...more }] });
  return {
    module: new URL("./index.ts", import.meta.url),
    create: () => createAdapter(() => 0.5),
    settings: { bridges: [{ address, key }], pollMs: 500 },
    wrong: [
      { settings: null, field: "settings" },
      { settings: one({ address: "8.8.8.8" }), field: "bridges[0].address" },
      { settings: one({ address: "bridge.local" }), field: "bridges[0].address" },
      { settings: one({ address: "http://192.168.1.2/x" }), field: "bridges[0].address" },
      { settings: one({ address: "http://a:b@192.168.1.2" }), field: "bridges[0].address" },
      { settings: one({ key: "short" }), field: "bridges[0].key" },
      { settings: { bridges: [{ address }, { address }] }, field: "bridges[1].address" },
      { settings: { pollMs: 1 }, field: "pollMs" },
      { settings: { mystery: 1 }, field: "mystery" },
    ],
    taken: { native: `${bridge.id}/lights/1`, command: isOn },
    slow: { native: `${bridge.id}/lights/9`, command: isOn },
    vanish: () => bridge.kill(),
    restore: () => bridge.restart(),
    dispose: () => bridge.kill(),
  };
};

adapterContract("Hue, first interface", worldOf(false), {}, ["in process"]);
adapterContract("Hue, second interface", worldOf(true), {}, ["forked"]);
