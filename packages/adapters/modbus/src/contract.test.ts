import type { ContractWorld } from "@ledge/port/contract";
import { adapterContract } from "@ledge/port/contract";
import { createAdapter } from "./index.ts";
import { pump } from "./testdata/rig.ts";
import { startSlave } from "./testdata/slave.ts";

/** A fast device, and one that never answers. */
async function makeWorld(): Promise<ContractWorld> {
  const slave = await startSlave();
  slave.behaviour.delay = ({ unit }) => (unit === 9 ? Infinity : 0);
  const transport = { type: "tcp", host: "127.0.0.1", port: slave.port };
  const relay = { ...pump, pollMs: 100 };
  const dead = { ...relay, id: "dead", address: 9, name: "Dead" };
  const port = { name: "board", transport, timeoutMs: 700, devices: [relay, dead] };
  const line = { ...port, devices: [relay], unreachableAfter: 1 };
  const wrongDevice = (device: object): object => ({ ports: [{ ...port, devices: [device] }] });
  return {
    module: new URL("./index.ts", import.meta.url),
    create: () => createAdapter(() => 0.5),
    settings: { ports: [port] },
    vanishing: { ports: [line] },
    wrong: [
      { settings: null, field: "settings" },
      { settings: { ports: [{ ...port, transport: { type: "udp" } }] }, field: "ports[0].transport.type" },
      {
        settings: { ports: [{ ...port, transport: { ...transport, port: 0 } }] },
        field: "ports[0].transport.port",
      },
      { settings: { ports: [port, port] }, field: "ports[1].name" },
      { settings: wrongDevice({ ...relay, address: 248 }), field: "ports[0].devices[0].address" },
      {
        settings: wrongDevice({ ...relay, registerType: "input" }),
        field: "ports[0].devices[0].registerType",
      },
    ],
    taken: { native: "board/pump", command: { type: "set", attributes: { isOn: true } } },
    slow: { native: "board/dead", command: { type: "set", attributes: { isOn: true } } },
    vanish: () => slave.down(),
    restore: () => slave.up(),
    dispose: () => slave.down(),
  };
}

adapterContract("Modbus", makeWorld, { answers: { type: "GET_MODBUS_PAIRINGS" } });
