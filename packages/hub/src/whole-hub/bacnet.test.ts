import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Device } from "@ledge/model";
import { freePort } from "@ledge/testkit";
import type { BacnetObject } from "@ledge/testkit/bacnet";
import { BacnetDevice, objectType } from "@ledge/testkit/bacnet";
import { bareProfile, eventually, HubProcess, temporaryFolder } from "../testdata/hub-process.ts";

const folder = temporaryFolder();
const celsius = 62;
const objects: BacnetObject[] = [
  { type: objectType.analogInput, instance: 1, name: "Supply air", value: { real: 19 }, units: celsius },
  { type: objectType.binaryInput, instance: 1, name: "Corridor", value: { enumerated: 0 } },
  {
    type: objectType.binaryOutput,
    instance: 1,
    name: "Fan",
    value: { enumerated: 0 },
    priorities: new Map(),
  },
];
const device = new BacnetDevice(1001, objects);
/** The coils that the hub has written, as a Modbus relay keeps them. */
const coils = new Map<number, boolean>();
const sockets = new Set<Socket>();
let hub: HubProcess;
let key: string;
let bacnetPort = 0;

/** A Modbus TCP server with coils alone: functions 1 and 5. */
const relay = createServer((socket) => {
  sockets.add(socket);
  socket.on("error", () => {});
  socket.on("data", (frame) => {
    const [coil, value] = [frame.readUInt16BE(8), frame.readUInt16BE(10)];
    if (frame[7] === 5) coils.set(coil, value !== 0);
    const content =
      frame[7] === 5 ? frame.subarray(7, 12) : Buffer.from([1, 1, coils.get(coil) === true ? 1 : 0]);
    const head = Buffer.from(frame.subarray(0, 7));
    head.writeUInt16BE(content.length + 1, 4);
    socket.write(Buffer.concat([head, content]));
  });
});

async function startHub(): Promise<HubProcess> {
  const pump = {
    id: "pump",
    address: 1,
    name: "Pump",
    deviceType: "RELAY",
    register: 3,
    registerType: "coil",
  };
  const transport = { type: "tcp", host: "127.0.0.1", port: (relay.address() as { port: number }).port };
  const profile = bareProfile(folder.path, {
    features: ["BACNET", "BACNET_CLIENT", "BACNET_SERVER", "MODBUS", "CUSTOM_RULES"],
    adapters: {
      modbus: { ports: [{ name: "plant", transport, devices: [{ ...pump, pollMs: 100 }] }] },
      bacnet: {
        host: "127.0.0.1",
        port: 0,
        broadcast: device.address,
        timeoutMs: 1000,
        retries: 1,
        pollMs: 100,
        checkMs: 300,
        unreachableAfter: 1,
      },
    },
  });
  return await HubProcess.start(join(folder.path, "data"), "--profile", profile);
}

before(async () => {
  await device.up();
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  hub = await startHub();
  key = await hub.key();
  bacnetPort = await freePort("udp");
});
after(async () => {
  await hub.stop();
  await device.down();
  for (const socket of sockets) socket.destroy();
  relay.close();
  folder.remove();
});

const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
  const { status, json } = await hub.call(method, path, key, body);
  assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(json)}`);
  return json;
};
const named = async (name: string): Promise<Device | undefined> =>
  Object.values((await call("GET", "/devices")) as Record<string, Device>).find((each) => each.name === name);
const shows = (name: string, attribute: string, value: unknown): Promise<Device> =>
  eventually(`${name}: ${attribute} ${String(value)}`, async () => {
    const found = await named(name);
    return found?.state[attribute] === value ? found : undefined;
  });
const pair = async (type: string, capability: string): Promise<void> => {
  const body = { type: "PAIR_BACNET_DEVICE", deviceId: 1001, objectType: type, objectId: 1, capability };
  assert.equal(await call("POST", "/bacnet/pair", body), true);
};

test("objects of a device are found, paired, followed and commanded over HTTP", async () => {
  await eventually("the adapter", async () =>
    (await hub.call("POST", "/bacnet/scan", key, { type: "SCAN_BACNET_DEVICE" })).status === 200
      ? true
      : undefined,
  );
  const hosts = await eventually("three objects", async () => {
    const found = (await call("GET", "/bacnet/devices")) as Record<string, { possibleDevices: string[] }>;
    return Object.keys(found).length === 3 ? found : undefined;
  });
  assert.ok(hosts["1001 analogInput 1"]?.possibleDevices.includes("TEMPERATURE"));
  await pair("analogInput", "TEMPERATURE");
  await pair("binaryInput", "MOTION");
  await pair("binaryOutput", "CONTROL_POWER");
  await shows("Supply air", "temperature", 19);
  device.change(objectType.analogInput, 1, { real: 20.5 });
  await shows("Supply air", "temperature", 20.5);
  const { id } = await shows("Fan", "isOn", false);
  await call("PUT", "/devices/command", [{ type: "CMD_DEVICE_ON", id }]);
  await shows("Fan", "isOn", true);
  assert.deepEqual(
    [...(device.object(objectType.binaryOutput, 1).priorities ?? [])],
    [[16, { enumerated: 1 }]],
  );
});

test("a rule turns a Modbus relay on by a BACnet input", async () => {
  const { id: source } = await shows("Corridor", "motion", false);
  const { id: target } = await shows("Pump", "isOn", false);
  const config = {
    type: "CONFIG",
    id: null,
    name: "Corridor pump",
    configType: "MOTION_LIGHT",
    inputs: { motion: [source], lux: [] },
    outputs: { lights: [target] },
    extras: {},
  };
  const [rule] = (await call("PUT", "/rules", { rules: [config], onConfiguration: {} })) as [{ id: string }];
  await call("PUT", "/rules/command", [{ type: "RULE_ON_COMMAND", id: rule.id }]);
  device.change(objectType.binaryInput, 1, { enumerated: 1 });
  await shows("Pump", "isOn", true);
  assert.equal(coils.get(3), true);
  await call("PUT", "/rules/command", [{ type: "RULE_OFF_COMMAND", id: rule.id }]);
});

test("a device that is killed, slow or lying is unreachable until it is itself again", async () => {
  await device.down();
  await shows("Supply air", "reachable", false);
  await device.up();
  await shows("Supply air", "reachable", true);
  device.behaviour.delayMs = 1500;
  await shows("Supply air", "reachable", false);
  delete device.behaviour.delayMs;
  await shows("Supply air", "reachable", true);
  device.behaviour.lie = (answer) => Buffer.concat([answer.subarray(0, -2), Buffer.from([0xff, 0xff, 0xff])]);
  await shows("Supply air", "reachable", false);
  delete device.behaviour.lie;
  await shows("Supply air", "reachable", true);
  const { json } = await hub.call("GET", "/hub/health", key);
  assert.equal((json as { adapters?: unknown }).adapters === undefined, false);
});

/** A client of the hub's own server. */
const client = new BacnetDevice(9, []);
const asked = (apdu: readonly number[]): Promise<Buffer> =>
  eventually("an answer", () => client.ask(bacnetPort, apdu));

test("the hub serves its devices, and BACnet clients command them under their own names", async () => {
  await client.up();
  const settings = {
    type: "BACNET_SETTINGS",
    deviceId: 77,
    deviceName: "House",
    port: bacnetPort,
    broadcast: false,
  };
  assert.equal(await call("POST", "/bacnet/settings", { ...settings, bacnetEnabled: true }), true);
  // ReadProperty of the device's Object_Name, then of the first binary output's Present_Value.
  const name = await asked([0, 5, 1, 12, 0x0c, 2, 0, 0, 77, 0x19, 77]);
  assert.match(name.toString("latin1"), /House/);
  const pumpOutput = 1;
  const object = [0x0c, 1, 0, 0, pumpOutput];
  const off = await asked([0, 5, 2, 15, ...object, 0x19, 85, 0x3e, 0x91, 0, 0x3f, 0x49, 8]);
  assert.deepEqual([...off], [0x20, 2, 15]);
  await shows("Pump", "isOn", false);
  assert.equal(coils.get(3), false);
  const { entries } = (await call("GET", "/audit?limit=5")) as {
    entries: { origin: string; type: string }[];
  };
  const entry = entries.find(({ type }) => type === "CommandIssued");
  assert.equal(entry?.origin, `bacnet:${client.address}`);
});

test("a device that is hidden and shown again is the same object", async () => {
  const { id } = (await named("Pump")) as Device;
  for (const [visible, kind] of [
    [false, 0x50],
    [true, 0x30],
  ] as const) {
    await call("PUT", "/devices/command", [{ type: "CMD_DEVICE_META", id, visible }]);
    await eventually(`an answer ${kind}`, async () =>
      (await asked([0, 5, 4, 12, 0x0c, 1, 0, 0, 1, 0x19, 77]))[0] === kind ? true : undefined,
    );
  }
});

test("CREATE_BACNET_DEVICE needs a scan, and makes a device of what clients write", async () => {
  const create = { type: "CREATE_BACNET_DEVICE", id: "temperature" };
  const types = (await call("GET", "/bacnet/localdevicetypes")) as { id: string }[];
  assert.ok(types.some(({ id }) => id === "temperature"));
  assert.equal((await hub.call("POST", "/bacnet/device", key, create)).status, 422);
  await call("GET", "/hub/scan");
  assert.equal(await call("POST", "/bacnet/device", create), true);
  await call("GET", "/hub/stopscan");
  const { model } = await eventually("the device", () => named("BACnet temperature 1"));
  assert.equal(model, "analogValue 1");
  const written = await asked([
    0, 5, 3, 15, 0x0c, 0, 0x80, 0, 1, 0x19, 85, 0x3e, 0x44, 0x41, 0xa8, 0, 0, 0x3f,
  ]);
  assert.deepEqual([...written], [0x20, 3, 15]);
  await shows("BACnet temperature 1", "temperature", 21);
  await client.down();
});

test("what was paired, and the server, come back after a kill", async () => {
  hub.child.kill("SIGKILL");
  await hub.ended;
  hub = await startHub();
  device.change(objectType.analogInput, 1, { real: 23 });
  await shows("Supply air", "temperature", 23);
  await shows("BACnet temperature 1", "reachable", true);
});
