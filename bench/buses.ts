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
import { SimulatedBridge } from "@ledge/testkit/hue";
import { BrokerClient, Mosquitto } from "@ledge/testkit/mqtt";
import { MbusBus, type SimulatedMeter } from "@ledge/testkit/mbus";
import type { Figure } from "./figure.ts";
import { bundled, HubFolder, type HubProcess, type Program } from "./hub-process.ts";

const devices = 60;
const settleMs = 5000;
/** A line adapter wants to know of its lines. */
const idleSettings: Readonly<Record<string, object>> = {
  modbus: { ports: [] },
  mqtt: { broker: { url: "mqtt://127.0.0.1:9" }, sources: { zigbee2mqtt: ["zigbee2mqtt"] } },
};
/** The feature that switches each adapter. */
const switches: Readonly<Record<string, string>> = {
  modbus: "MODBUS",
  mbus: "MBUS",
  bacnet: "BACNET_CLIENT",
  mqtt: "MQTT",
};
/** How often a feature goes on and off before its memory is compared. */
const turns = 5;

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
      // An adapter without a feature is there while the profile names it.
      if (switches[name] !== undefined)
        figures.push(
          told(
            `buses memory, ${name}, switched off`,
            await leftBehind(program, name),
            "PSS of hub and adapters more than before it was on",
          ),
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

/** A feature alone would start its adapter. */
function featuresOf(adapters: object): readonly string[] {
  return Object.keys(adapters).flatMap((name) => switches[name] ?? []);
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
  const folder = new HubFolder(bus.adapters, program, featuresOf(bus.adapters));
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

/**
 * Returns what is left (MB) of an adapter that was on and off again: of its process and in the hub. The first turn counts as warming up,
 * as the hub compiles what it does then.
 */
async function leftBehind(program: Program, name: string): Promise<number> {
  const adapters = { [name]: idleSettings[name] ?? {} };
  const folder = new HubFolder(adapters, program, featuresOf(adapters));
  try {
    const hub = await folder.start();
    const key = await hub.key();
    const feature = switches[name] ?? "";
    const turn = async (isOn: boolean): Promise<void> => {
      await hub.call("PUT", "/hub/featureswitches", key, [{ type: "FEATURE_SWITCH", feature, isOn }]);
      while (hub.adaptersPss() > 0 !== isOn) await sleep(50);
      if (isOn) await sleep(settleMs / turns);
    };
    const least = async (): Promise<number> => {
      let found = Infinity;
      for (let reading = 0; reading < 10; reading++) {
        await sleep(settleMs / 10);
        found = Math.min(found, hub.pss() + hub.adaptersPss());
      }
      return found;
    };
    await turn(false);
    await turn(true);
    await turn(false);
    const before = await least();
    for (let count = 1; count < turns; count++) {
      await turn(true);
      await turn(false);
    }
    const left = (await least()) - before;
    await hub.stop();
    return left;
  } finally {
    folder.remove();
  }
}

const buses: Readonly<Record<string, () => Promise<Bus>>> = {
  modbus: modbusBus,
  mbus: mbusBus,
  hue: hueBus,
  bacnet: bacnetBus,
  mqtt: mqttBus,
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

async function hueBus(): Promise<Bus> {
  const bridge = await SimulatedBridge.start(true);
  const key = "bench-key-0123456789";
  bridge.keys.add(key);
  bridge.groups.length = 0;
  // The bridge itself is a device.
  bridge.lamps.length = 0;
  for (let number = 1; number < devices; number += 1)
    bridge.lamps.push({
      id: String(number),
      name: `Lamp ${number}`,
      type: "Extended color light",
      model: "LCA001",
      on: true,
      bri: 254,
      ct: 366,
      hue: 0,
      sat: 254,
      mode: "ct",
      reachable: true,
    });
  return {
    adapters: { hue: { bridges: [{ address: bridge.origin, key }] } },
    stop: () => bridge.kill(),
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

/** Lamps of a bridge of Zigbee2MQTT on a broker. */
async function mqttBus(): Promise<Bus> {
  const folder = mkdtempSync(join(tmpdir(), "ledge-bench-"));
  const broker = await Mosquitto.start(folder);
  const client = await BrokerClient.join(broker.url);
  const state = {
    type: "binary",
    name: "state",
    property: "state",
    access: 7,
    value_on: "ON",
    value_off: "OFF",
  };
  const lamps = Array.from({ length: devices }, (_, index) => ({
    ieee_address: `0x${index}`,
    friendly_name: `lamp${index}`,
    type: "Router",
    definition: { vendor: "Acme", model: "L1", exposes: [{ type: "light", features: [state] }] },
  }));
  await client.say("zigbee2mqtt/bridge/devices", lamps, true);
  return {
    adapters: { mqtt: { broker: { url: broker.url }, sources: { zigbee2mqtt: ["zigbee2mqtt"] } } },
    stop: async () => {
      await client.leave();
      await broker.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
