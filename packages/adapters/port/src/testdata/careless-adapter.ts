import type { Adapter, AdapterHost } from "../adapter.ts";

/** An adapter that quietly breaks every promise of the contract, so that the contract must catch it. */
export function createAdapter(): Adapter {
  let host: AdapterHost | undefined;
  let starts = 0;
  const announce = (native: string): void =>
    host?.announce({
      native,
      radio: "air",
      class: "LIGHT",
      capabilities: ["DEVICE", "ON_OFF", "UPGRADE"],
      name: `Lamp ${starts}`,
      manufacturer: null,
      model: null,
    });
  const find = (native: string): void =>
    host?.found({ native, description: null, status: "CONNECTED", actionRequired: false, help: null });
  return {
    protocol: "careless",
    inFlight: 1,
    async start(given) {
      host = given;
      starts += 1;
      host.report({ native: "early", attributes: { isOn: true } });
      announce(`lamp ${starts}`);
      host.report({ native: "lamp 1", attributes: { reachable: true } });
    },
    async stop() {
      if (!host) throw new Error("not started");
      host.clock.after(100, () => host?.report({ native: "lamp 1", attributes: { isOn: true } }));
    },
    async send(native) {
      if (native === "slow") await new Promise(() => {});
      if (native !== "lamp 1") throw new Error("no such lamp");
    },
    pairing: {
      async open() {
        announce("sensor");
        find("sensor");
      },
      async close() {
        find("sensor");
      },
      async keep() {},
      async discard() {
        throw new Error("what was found is kept");
      },
    },
    groupcast: {
      radios: ["air"],
      async keep() {},
      async cast(_group, natives, _command, answered) {
        for (const native of natives) answered(native);
      },
    },
    requests: {
      GET_NOTHING: async () => () => "no plain data",
    },
  };
}
