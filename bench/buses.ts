// What an adapter of a building's bus takes: the bundled hub without any, then with each, idle and with devices.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { BacnetDevice, type BacnetObject, objectType } from "@ledge/testkit/bacnet";
import { MbusBus, type SimulatedMeter } from "@ledge/testkit/mbus";
import type { Figure } from "./figure.ts";
import { bundled, HubFolder, type HubProcess, type Program } from "./hub-process.ts";

const devices = 60;
const settleMs = 5000;
/** A line adapter wants to know of its lines. */
const idleSettings: Readonly<Record<string, object>> = { modbus: { ports: [] } };
const features = ["BACNET", "BACNET_CLIENT", "MODBUS"];

/** Settings of an adapter, and what stands at the other end of its bus. */
interface Bus {
  readonly adapters: object;
  /** Pairs what the settings do not name. */
  readonly pair?: (hub: HubProcess, key: string) => Promise<void>;
  readonly stop: () => void | Promise<void>;
}

export async function busFigures(): Promise<readonly Figure[]> {
  const bundles = mkdtempSync(join(tmpdir(), "ledge-bench-"));
  try {
    const program = await bundled(bundles);
    const off = await measured(program, { adapters: {}, stop: () => {} }, 0);
    const figures = [told("buses memory, all off, hub", off.hub, "PSS of the bundled hub's process")];
    for (const [name, start] of Object.entries(buses)) {
      const idle = await measured(
        program,
        { adapters: { [name]: idleSettings[name] ?? {} }, stop: () => {} },
        0,
      );
      const busy = await measured(program, await start(), devices);
      figures.push(
        told(`buses memory, ${name}, idle`, idle.adapter, "PSS of the adapter's process without a device"),
        told(`buses memory, ${name}, ${devices} devices`, busy.adapter, "PSS of the adapter's process"),
        told(
          `buses memory, ${name}, ${devices} devices, hub`,
          busy.hub,
          "PSS of the hub's process beside it",
        ),
      );
    }
    return figures;
  } finally {
    rmSync(bundles, { recursive: true, force: true });
  }
}

function told(name: string, value: number, what: string): Figure {
  const how = `${what}, bundled, ${settleMs / 1000} s after its last device`;
  return { name, value, unit: "MB", limit: null, gated: false, how };
}

async function measured(
  program: Program,
  bus: Bus,
  count: number,
): Promise<{ readonly hub: number; readonly adapter: number }> {
  const folder = new HubFolder(bus.adapters, program, features);
  try {
    const hub = await folder.start();
    const key = await hub.key();
    await bus.pair?.(hub, key);
    await hub.devices(count, key);
    await sleep(settleMs);
    const found = { hub: hub.pss(), adapter: hub.adaptersPss() };
    await hub.stop();
    return found;
  } finally {
    await bus.stop();
    folder.remove();
  }
}

const buses: Readonly<Record<string, () => Promise<Bus>>> = {
  modbus: modbusBus,
  mbus: mbusBus,
  bacnet: bacnetBus,
};

async function modbusBus(): Promise<Bus> {
  const program = fileURLToPath(new URL("./modbus-slave.child.ts", import.meta.url));
  const slave = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "inherit"] });
  const [port] = (await once(slave.stdout, "data")) as [Buffer];
  const transport = { type: "tcp", host: "127.0.0.1", port: Number(port.toString()) };
  const meters = Array.from({ length: devices }, (_, index) => ({
    id: `meter${index}`,
    address: index + 1,
    name: `Meter ${index}`,
    deviceType: "REGISTERS",
    class: "POWER_SOCKET",
    points: [{ attribute: "activePower", table: "holding", register: 0, type: "u16" }],
  }));
  return {
    adapters: { modbus: { ports: [{ name: "line", transport, devices: meters }] } },
    stop: () => void slave.stdin.end(),
  };
}

async function mbusBus(): Promise<Bus> {
  const meters = Array.from({ length: devices }, (_, index): SimulatedMeter => ({
    address: index + 1,
    id: String(10_000_000 + index),
    manufacturer: "KAM",
    version: 8,
    medium: 4,
    telegrams: ["04 06 D2 04 00 00 02 2D 05 00 02 3B 7B 00 02 59 5A 19"],
  }));
  const bus = new MbusBus(meters);
  const server = createServer((socket) => {
    const line = bus.connect((bytes) => void socket.write(bytes));
    socket.on("data", (chunk) => line.receive(chunk));
    socket.on("error", () => {});
    socket.on("close", () => line.close());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const transport = { type: "tcp", host: "127.0.0.1", port: (server.address() as AddressInfo).port };
  const named = meters.map(({ id, address }) => ({
    id: `meter${address}`,
    name: `Meter ${address}`,
    serial: id,
  }));
  return {
    adapters: { mbus: { ports: [{ name: "cellar", transport, meters: named }] } },
    stop: () => void server.close(),
  };
}

async function bacnetBus(): Promise<Bus> {
  const objects = Array.from({ length: devices }, (_, index): BacnetObject => ({
    type: objectType.analogInput,
    instance: index,
    name: `Room ${index}`,
    value: { real: 20 },
    units: 62,
  }));
  const device = new BacnetDevice(1001, objects);
  await device.up();
  return {
    adapters: { bacnet: { host: "127.0.0.1", port: 0, broadcast: device.address } },
    pair: async (hub, key) => {
      for (let found = 0; found < devices; await sleep(200)) {
        await hub.call("POST", "/bacnet/scan", key, { type: "SCAN_BACNET_DEVICE" }).catch(() => {});
        found = Object.keys((await hub.call("GET", "/bacnet/devices", key)) as object).length;
      }
      for (const { instance } of objects)
        await hub.call("POST", "/bacnet/pair", key, {
          type: "PAIR_BACNET_DEVICE",
          deviceId: 1001,
          objectType: "analogInput",
          objectId: instance,
          capability: "TEMPERATURE",
        });
    },
    stop: () => device.down(),
  };
}
