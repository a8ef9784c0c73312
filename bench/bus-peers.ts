// What stands at the other end of each bus that the bench of adapters measures.
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
import { SimulatedCamera } from "@ledge/testkit/onvif";
import { serveStick, SimulatedRflink } from "@ledge/testkit/rf433";
import { SimulatedRenderer } from "@ledge/testkit/upnp";
import type { HubProcess } from "./hub-process.ts";

/** How many devices each has. */
export const devices = 60;

/** Settings of an adapter, and what stands at the other end of its bus. */
export interface Bus {
  readonly adapters: object;
  /** Pairs what the settings do not name. */
  readonly pair?: (hub: HubProcess, key: string) => Promise<void>;
  readonly stop: () => void | Promise<void>;
}

/** By the protocol of the adapter. */
export const buses: Readonly<Record<string, () => Promise<Bus>>> = {
  modbus: modbusBus,
  mbus: mbusBus,
  hue: hueBus,
  bacnet: bacnetBus,
  mqtt: mqttBus,
  onvif: onvifBus,
  rf433: rf433Bus,
  upnp: upnpBus,
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

async function onvifBus(): Promise<Bus> {
  const all = Array.from({ length: devices }, (_, index) => new SimulatedCamera({ serial: String(index) }));
  for (const camera of all) await camera.listen();
  const cameras = all.map(({ port }, index) => ({
    id: `camera${index}`,
    name: `Camera ${index}`,
    host: "127.0.0.1",
    port,
  }));
  return {
    adapters: { onvif: { cameras, localTargets: true } },
    stop: async () => {
      for (const camera of all) await camera.close();
    },
  };
}

/** Sockets that a gateway commands. */
async function rf433Bus(): Promise<Bus> {
  const gateway = await serveStick(new SimulatedRflink());
  const transport = { type: "tcp", host: "127.0.0.1", port: gateway.port };
  const sockets = Array.from({ length: devices }, (_, index) => ({
    id: `socket${index}`,
    name: `Socket ${index}`,
    kind: "socket",
    protocol: "NewKaku",
    address: (0x10_0000 + index).toString(16),
    unit: "1",
  }));
  return {
    adapters: { rf433: { gateways: [{ name: "hall", transport, devices: sockets }] } },
    stop: () => gateway.close(),
  };
}

async function upnpBus(): Promise<Bus> {
  const players = Array.from(
    { length: devices },
    (_, index) => new SimulatedRenderer({ udn: `uuid:${index}` }),
  );
  for (const player of players) await player.listen();
  const renderers = players.map(({ port }, index) => ({
    id: `player${index}`,
    name: `Player ${index}`,
    host: "127.0.0.1",
    port,
    path: "/description.xml",
  }));
  return {
    adapters: { upnp: { renderers, localTargets: true } },
    stop: async () => {
      for (const player of players) await player.close();
    },
  };
}
