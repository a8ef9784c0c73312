import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { after, before, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort } from "@ledge/testkit";
import { type Device, limits } from "@ledge/model";
import { bareProfile, eventually, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";

const program = fileURLToPath(new URL("../testdata/modbus_client.py", import.meta.url));
const folder = temporaryFolder();
const data = join(folder.path, "data");
let hub: HubProcess;
let key: string;
let profile: string;
let port: number;

before(async () => {
  port = await freePort();
  const more = { features: ["MODBUS_TCP_SERVER"], adapters: { sim: { seed: 1 } } };
  profile = bareProfile(folder.path, more);
  hub = await HubProcess.start(data, "--profile", profile);
  key = await hub.key();
  await hub.homeAnnounced(key);
});
after(async () => {
  await hub.stop();
  folder.remove();
});

/** A client of pymodbus: answers one line after the other. */
async function client(t: TestContext): Promise<(line: string) => Promise<string>> {
  const child = spawn("/usr/bin/python3", [program, "127.0.0.1", String(port)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  t.after(async () => {
    child.stdin.end();
    await exited;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (line) => {
    child.stdin.write(`${line}\n`);
    return (await lines.next()).value as string;
  };
}

const tell = (command: object): Promise<unknown> => hub.done("POST", "/hub/protocolconfig", key, [command]);
const enable = (more: object = {}): Promise<unknown> =>
  tell({ type: "SET_MODBUS_TCP_SERVER", enabled: true, port, allow: ["127.0.0.1"], ...more });
const isOn = (name: string, wanted: boolean): Promise<Device> =>
  hub.device(name, key, ({ state }) => state["isOn"] === wanted);

async function mapped(): Promise<{ lamp: Device; sensor: Device }> {
  const devices = Object.values(await hub.done<Record<string, Device>>("GET", "/devices", key));
  const has = (device: Device, capability: string): boolean =>
    device.capabilities.values.includes(capability);
  const lamp = devices.find((device) => device.type === "LIGHT" && has(device, "BRIGHTNESS"));
  const sensor = devices.find((device) => device.type === "MULTI_SENSOR" && has(device, "TEMPERATURE"));
  assert.ok(lamp && sensor);
  const mappings = [
    { deviceId: lamp.id, attribute: "isOn", registerType: 1, register: 0 },
    { deviceId: lamp.id, attribute: "reachable", registerType: 2, register: 0 },
    {
      deviceId: lamp.id,
      attribute: "brightness",
      registerType: 3,
      register: 10,
      dataType: "u16",
      scale: 0.01,
    },
    {
      deviceId: sensor.id,
      attribute: "temperature",
      registerType: 4,
      register: 20,
      dataType: "s16",
      scale: 0.1,
    },
  ];
  assert.equal(await tell({ type: "SET_MODBUS_TCP_MAPPINGS", mappings }), true);
  return { lamp, sensor };
}

test("a client of another maker reads the home and switches it, and the audit says who", async (t) => {
  assert.deepEqual(await tell({ type: "GET_MODBUS_TCP_MAPPINGS" }), []);
  const { lamp, sensor } = await mapped();
  assert.equal(await enable(), true);
  const ask = await client(t);
  assert.equal(await ask("read coil 0 1"), String(Number(lamp.state["isOn"])));
  assert.equal(await ask("read discrete 0 1 200"), "1", "any unit is answered");
  await eventually("the temperature of the sensor", async () => {
    const { state } = await hub.device(sensor.name, key);
    const shown = await ask("read input 20 1");
    return Number(shown) === Math.round(Number(state["temperature"]) * 10) ? true : undefined;
  });
  assert.equal(await ask("write coil 0 1"), "ok");
  await isOn(lamp.name, true);
  assert.equal(await ask("write coil 0 0"), "ok");
  await isOn(lamp.name, false);
  assert.equal(await ask("write holding 10 40"), "ok");
  await hub.device(lamp.name, key, ({ state }) => state["brightness"] === 0.4);
  assert.equal(await ask("read holding 10 1"), "40");
  assert.equal(await ask("read coil 1 1"), "exception 2");
  assert.equal(await ask("write coil 0 1,1"), "exception 2");
  assert.equal(await ask("write holding 10 101"), "exception 3");
  assert.match(await ask("identify"), /^0=Ledge 1=LEDGE 2=\d/);
  // A busy hub may take too long to read its log.
  const audit = await eventually("an audit", async () => {
    const { code, stdout, stderr } = await ledge("audit", "--data", data);
    if (code !== 0) assert.match(stderr, /again|took too long/);
    return code === 0 ? stdout : undefined;
  });
  assert.match(audit, / bus The Modbus client 127\.0\.0\.1/);
});

test("settings take effect at once, and hold over a kill", async (t) => {
  await mapped();
  assert.equal(await enable(), true);
  const ask = await client(t);
  assert.equal(await ask("read discrete 0 1"), "1");
  assert.partialDeepStrictEqual(await tell({ type: "GET_MODBUS_TCP_SERVER" }), {
    listening: port,
    clients: 1,
  });
  assert.equal(await enable({ allow: ["10.9.9.9"] }), true);
  assert.equal(await ask("read discrete 0 1"), "lost");
  assert.equal(await enable(), true);
  const again = await client(t);
  assert.equal(await again("read discrete 0 1"), "1");
  await hub.kill();
  hub = await HubProcess.start(data, "--profile", profile);
  await eventually("the server", async () => {
    const shown = (await tell({ type: "GET_MODBUS_TCP_SERVER" })) as { listening: number | null };
    return shown.listening === port ? true : undefined;
  });
  const third = await client(t);
  assert.equal(await third("read discrete 0 1"), "1");
  assert.equal(await tell({ type: "SET_MODBUS_TCP_SERVER", enabled: false }), true);
  assert.equal(await third("read discrete 0 1"), "lost");
});

test("fifty clients are served at once, and the next is cut off until one has gone", async () => {
  await mapped();
  assert.equal(await enable(), true);
  const counted = (): Promise<unknown> => tell({ type: "GET_MODBUS_TCP_SERVER" });
  const open = async (): Promise<Socket> => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    await once(socket, "connect");
    return socket;
  };
  /** Reads the first discrete input; undefined when the hub ends the connection instead. */
  const read = async (socket: Socket): Promise<number | undefined> => {
    socket.write(Buffer.from("000100000006010200000001", "hex"));
    const ends = Promise.race([once(socket, "data"), once(socket, "close")]);
    // The end may come as a reset.
    const [answer] = (await ends.catch(() => [])) as [unknown?];
    return Buffer.isBuffer(answer) ? answer[9] : undefined;
  };
  const sockets = await Promise.all(Array.from({ length: limits.modbusClients }, open));
  assert.deepEqual(new Set(await Promise.all(sockets.map(read))), new Set([1]));
  assert.partialDeepStrictEqual(await counted(), { clients: 50, refused: 0 });
  assert.equal(await read(await open()), undefined);
  assert.partialDeepStrictEqual(await counted(), { clients: 50, refused: 1 });
  sockets[0]?.destroy();
  await eventually("a place", async () =>
    ((await counted()) as { clients: number }).clients === 49 ? true : undefined,
  );
  const next = await open();
  assert.equal(await read(next), 1);
  for (const socket of [...sockets, next]) socket.destroy();
});

test("wrong mappings and settings are refused with their field, and a taken port is told", async () => {
  const refused = async (command: object): Promise<unknown> => {
    const { status, json } = await hub.call("POST", "/hub/protocolconfig", key, [command]);
    return [status, (json as { errors?: { field: string }[] }).errors?.[0]?.field];
  };
  const mapping = { deviceId: "x", attribute: "isOn", registerType: 1, register: 0 };
  assert.deepEqual(await refused({ type: "SET_MODBUS_TCP_MAPPINGS" }), [422, "mappings"]);
  assert.deepEqual(
    await refused({ type: "SET_MODBUS_TCP_MAPPINGS", mappings: [{ ...mapping, register: 65_536 }] }),
    [422, "mappings.0.register"],
  );
  assert.deepEqual(await refused({ type: "SET_MODBUS_TCP_MAPPINGS", mappings: [mapping] }), [
    404,
    "mappings.0.deviceId",
  ]);
  assert.deepEqual(await refused({ type: "SET_MODBUS_TCP_SERVER", allow: ["10.0.0.999"] }), [422, "allow.0"]);
  const [, taken = ""] = /:(\d+)$/.exec(hub.address) ?? [];
  const told = await enable({ port: Number(taken) });
  assert.match((told as { message: string }).message, /^cannot listen: .*EADDRINUSE/);
  assert.partialDeepStrictEqual(await tell({ type: "GET_MODBUS_TCP_SERVER" }), {
    enabled: true,
    listening: null,
  });
});
