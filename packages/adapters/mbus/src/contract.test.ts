import { adapterContract, type ContractWorld } from "@ledge/port/contract";
import { MbusBus, serveStick, type SimulatedMeter } from "@ledge/testkit/mbus";
import { createAdapter } from "./index.ts";

const heat: SimulatedMeter = {
  address: 1,
  id: "10000001",
  manufacturer: "KAM",
  version: 8,
  medium: 4,
  telegrams: ["04 06 D2 04 00 00 04 13 10 27 00 00 02 2D 05 00"],
};
const water: SimulatedMeter = {
  ...heat,
  address: 2,
  id: "20000002",
  medium: 7,
  telegrams: ["04 13 10 27 00 00"],
};

async function makeWorld(): Promise<ContractWorld> {
  const served = await serveStick(new MbusBus([{ ...heat }]));
  const other = await serveStick(new MbusBus([{ ...water }]));
  const transport = { type: "tcp", host: "127.0.0.1", port: served.port, baudRate: 38_400 };
  const meter = { id: "heat", name: "Heat", address: 1 };
  const port = { name: "bus", transport, latencyMs: 500, meters: [meter] };
  const dead = { id: "dead", name: "Dead", address: 9 };
  const far = { name: "far", transport: { ...transport, port: other.port }, latencyMs: 500, meters: [dead] };
  const wrongMeter = (wrong: object): object => ({ ports: [{ ...port, meters: [wrong] }] });
  return {
    module: new URL("./index.ts", import.meta.url),
    create: () => createAdapter(() => 0.5),
    settings: { ports: [port, far] },
    vanishing: { ports: [port] },
    wrong: [
      { settings: null, field: "settings" },
      { settings: { ports: [{ ...port, transport: { type: "udp" } }] }, field: "ports[0].transport.type" },
      {
        settings: { ports: [{ ...port, transport: { ...transport, baudRate: 1000 } }] },
        field: "ports[0].transport.baudRate",
      },
      { settings: { ports: [port, port] }, field: "ports[1].name" },
      { settings: wrongMeter({ ...meter, address: 251 }), field: "ports[0].meters[0].address" },
      { settings: wrongMeter({ ...meter, serial: "12345678" }), field: "ports[0].meters[0].address" },
      { settings: wrongMeter({ ...meter, medium: 4 }), field: "ports[0].meters[0].medium" },
      { settings: wrongMeter({ ...meter, key: "00" }), field: "ports[0].meters[0].key" },
      { settings: wrongMeter({ ...meter, baudRate: 9600 }), field: "ports[0].meters[0].baudRate" },
    ],
    taken: { native: "bus/heat", command: { type: "refresh" } },
    slow: { native: "far/dead", command: { type: "refresh" } },
    vanish: () => served.unplug(),
    restore: () => served.plug(),
    dispose: async () => {
      await served.close();
      await other.close();
    },
  };
}

adapterContract(
  "M-Bus",
  makeWorld,
  { finds: "far/20000002.KAM.8.7", answers: { type: "GET_SERIAL_PORTS" } },
  ["in process"],
);
// Other adapters show that pairing crosses a process.
adapterContract("M-Bus", makeWorld, { answers: { type: "GET_SERIAL_PORTS" } }, ["forked"]);
