import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Device } from "@ledge/model";
import { freePort } from "@ledge/testkit";
import {
  type Answer,
  bareProfile,
  eventually,
  HubProcess,
  temporaryFolder,
} from "../testdata/hub-process.ts";

const program = fileURLToPath(new URL("../../../adapters/modbus/src/testdata/slave.py", import.meta.url));

/** Things to close at the end of the test. */
function begun(t: TestContext, child: ChildProcess): ChildProcess {
  const exited = once(child, "exit");
  t.after(async () => {
    child.kill("SIGTERM");
    await exited;
  });
  return child;
}

interface Slave {
  readonly where: string;
  readonly written: string[];
  /** Sends an instruction. Resolves when the slave has taken it. */
  readonly tell: (line: string) => Promise<void>;
  readonly kill: () => Promise<void>;
}

/** A slave of pymodbus (see slave.py): its TCP port or path, and the writes of clients. */
async function startSlave(t: TestContext, ...args: readonly string[]): Promise<Slave> {
  const child = begun(
    t,
    spawn("/usr/bin/python3", [program, ...args], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  const written: string[] = [];
  const told: (() => void)[] = [];
  const ready = Promise.withResolvers<string>();
  const exited = once(child, "exit");
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
    const [word, ...rest] = line.split(" ");
    if (word === "ready") ready.resolve(rest[0] ?? "");
    if (word === "done") told.shift()?.();
    if (word === "wrote") written.push(rest.join(" "));
  });
  child.once("exit", () => ready.reject(new Error("the slave has ended")));
  return {
    where: await ready.promise,
    written,
    tell: (line) =>
      new Promise((resolve) => {
        told.push(resolve);
        child.stdin?.write(`${line}\n`);
      }),
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function overTcp(t: TestContext): Promise<{ transport: object; written: string[] }> {
  const { where, written } = await startSlave(t, "tcp", "0");
  return { transport: { type: "tcp", host: "127.0.0.1", port: Number(where) }, written };
}

async function overSerial(t: TestContext, folder: string): Promise<{ transport: object; written: string[] }> {
  const [near, far] = [join(folder, "near"), join(folder, "far")];
  begun(
    t,
    spawn("socat", [`pty,raw,echo=0,link=${near}`, `pty,raw,echo=0,link=${far}`], { stdio: "ignore" }),
  );
  await eventually("the cable", async () => (existsSync(near) && existsSync(far) ? true : undefined));
  const { written } = await startSlave(t, "rtu", far);
  return { transport: { type: "rtu", path: near, baudRate: 9600 }, written };
}

type Line = (t: TestContext, folder: string) => Promise<{ transport: object; written: string[] }>;

/** A hub with a running Modbus adapter and a line without devices. */
async function plant(
  t: TestContext,
  line: Line,
): Promise<{ hub: HubProcess; key: string; written: string[]; restart: () => Promise<HubProcess> }> {
  const folder = temporaryFolder();
  t.after(() => folder.remove());
  const { transport, written } = await line(t, folder.path);
  const ports = [{ name: "plant", transport, timeoutMs: 2000, devices: [] }];
  const profile = bareProfile(folder.path, { name: "plant", adapters: { modbus: { ports } } });
  const restart = async (): Promise<HubProcess> => {
    const started = await HubProcess.start(join(folder.path, "data"), "--profile", profile);
    t.after(() => started.stop());
    return started;
  };
  const hub = await restart();
  const key = await hub.key();
  return { hub, key, written, restart };
}

const relay = {
  type: "PAIR_MODBUS",
  address: 2,
  deviceType: "RELAY",
  name: "Well pump",
  readDeviceIdSupported: false,
  registerRequired: true,
  register: 1,
  registerType: 3,
  normallyOff: true,
};

for (const [where, line] of [
  ["over TCP", overTcp],
  ["on a serial line", overSerial],
] as const) {
  test(`a device paired over HTTP ${where} is polled and switched, also after a kill`, async (t) => {
    const { hub: first, key, written, restart } = await plant(t, line);
    let hub = first;
    const pair = (...commands: object[]): Promise<Answer> =>
      hub.call("POST", "/hub/protocolconfig", key, commands);
    const pump = (): Promise<Device> =>
      eventually("the pump", async () => {
        const { json } = await hub.call("GET", "/devices", key);
        return Object.values(json as Record<string, Device>).find(({ name }) => name === "Well pump");
      });
    const isOn = (wanted: boolean): Promise<true> =>
      eventually(`the pump reads ${wanted}`, async () =>
        (await pump()).state["isOn"] === wanted ? true : undefined,
      );
    const wrong = await pair({ ...relay, register: 70_000 });
    assert.equal(wrong.status, 422);
    const { message, errors } = wrong.json as { message: string; errors: { field: string }[] };
    assert.match(message, /^register: /);
    assert.equal(errors[0]?.field, "register");
    const half = await pair(relay, { ...relay, address: 9, register: 2 });
    assert.match((half.json as { message: string }).message, /^\[1\]\.address: 9 does not answer/);
    await hub.call("GET", "/hub/scan", key);
    const second = { ...relay, name: "Lamp post", register: 2 };
    assert.deepEqual(await pair(relay, second), { status: 200, json: true });
    const { id } = await pump();
    const { json: shown } = await hub.call("GET", "/hub/scan", key);
    const finds = (shown as { devices: { id: string; ignored: boolean; pairingStatus: string }[] }).devices;
    const find = finds.find((each) => each.id === id);
    assert.deepEqual([find?.ignored, find?.pairingStatus], [false, "COMPLETE"]);
    const other = finds.find((each) => each.id !== id);
    await hub.call("PUT", "/hub/scan", key, { id: other?.id, ignored: true });
    await hub.call("GET", "/hub/stopscan", key);
    const { json: left } = await hub.call("GET", "/devices", key);
    assert.deepEqual(Object.keys(left as object), [id], "what the client did not want after all is gone");
    await isOn(false);
    await hub.call("PUT", "/devices/command", key, [{ type: "CMD_DEVICE_ON", id }]);
    await isOn(true);
    assert.deepEqual(written, ["2 holding 1 1"]);
    await hub.kill();
    hub = await restart();
    // The device was reachable before the kill, but its adapter may not run yet: then the command fails and is
    // sent again.
    await eventually("the pump, off", async () => {
      await hub.call("PUT", "/devices/command", key, [{ type: "CMD_DEVICE_OFF", id }]);
      return (await pump()).state["isOn"] === false ? true : undefined;
    });
    assert.equal((await pump()).state["reachable"], true);
    assert.deepEqual(written.at(-1), "2 holding 1 0");
  });
}

test("a device of a user's model shows what its peer does: killed, restarted, slow, lying", async (t) => {
  const folder = temporaryFolder();
  t.after(() => folder.remove());
  const port = await freePort();
  let slave = await startSlave(t, "tcp", String(port));
  const transport = { type: "tcp", host: "127.0.0.1", port };
  const ports = [{ name: "plant", transport, timeoutMs: 500, devices: [] }];
  const profile = bareProfile(folder.path, { name: "plant", adapters: { modbus: { ports } } });
  const data = join(folder.path, "data");
  const hub = await HubProcess.start(data, "--profile", profile);
  t.after(() => hub.stop());
  const key = await hub.key();
  const tell = (type: string, more: object = {}): Promise<unknown> =>
    hub.done("POST", "/hub/protocolconfig", key, [{ type, ...more }]);
  const point = { attribute: "humidity", table: "holding", register: 3, type: "u16", poll: "fast" };
  const mode = { attribute: "extras.mode", table: "holding", register: 5, type: "u16", poll: "fast" };
  const options = { "0": "off", "1": "auto" };
  const points = [point, { ...mode, writable: true, options }];
  const model = { format: 1, id: "damper", manufacturer: "Acme", name: "Damper" };
  const file = join(data, "modbus.models", "damper.json");
  writeFileSync(file, JSON.stringify({ ...model, devices: [{ part: "blade", class: "BOAT", points }] }));
  await eventually("the problem", async () => {
    const { problems } = (await tell("GET_MODBUS_MODELS")) as { problems: { file: string; field: string }[] };
    return problems.some((each) => each.file === "damper.json" && each.field === "devices[0].class")
      ? true
      : undefined;
  });
  const sensor = { part: "blade", class: "MULTI_SENSOR", points };
  writeFileSync(file, JSON.stringify({ ...model, devices: [sensor] }));
  const pairing = await eventually("the model", async () => {
    const pairings = (await tell("GET_MODBUS_PAIRINGS")) as { modelId?: string }[];
    return pairings.find(({ modelId }) => modelId === "damper");
  });
  await slave.tell("set holding 3 40 2");
  assert.equal(await tell("PAIR_MODBUS", { ...pairing, address: 2, name: "Flue" }), true);
  const shows = (humidity: number, reachable: boolean): Promise<Device> =>
    hub.device(
      "Flue",
      key,
      ({ state }) => state["humidity"] === humidity && state["reachable"] === reachable,
    );
  const { id } = await shows(40, true);
  const state = { extras: { mode: "auto" } };
  await hub.done("PUT", "/devices/command", key, [{ type: "CMD_DEVICE", id, state }]);
  const modeOf = (device: Device): unknown =>
    (device.state["extras"] as { mode: { value: unknown } }).mode.value;
  // The adapter reads back what it has written, so the lie comes after that.
  await hub.device("Flue", key, (device) => modeOf(device) === "auto");
  assert.ok(slave.written.includes("2 holding 5 1"));
  // 900 percent is no humidity, and 7 is no mode: the last true values stay.
  await slave.tell("set holding 3 900 2");
  await slave.tell("set holding 5 7 2");
  const requests = async (): Promise<number> =>
    ((await tell("GET_MODBUS_STATISTICS")) as { requests: number }[])[0]?.requests ?? 0;
  const asked = await requests();
  await eventually("two polls of the lies", async () => ((await requests()) > asked + 1 ? true : undefined));
  await slave.tell("set holding 3 41 2");
  assert.equal(modeOf(await shows(41, true)), "auto");
  await slave.tell("sleep 2");
  await shows(41, false);
  await slave.tell("sleep 0");
  await shows(41, true);
  await slave.kill();
  await shows(41, false);
  slave = await startSlave(t, "tcp", String(port));
  await slave.tell("set holding 3 42 2");
  await shows(42, true);
  const [line] = (await tell("GET_MODBUS_STATISTICS")) as { connected: boolean; timeouts: number }[];
  assert.ok(line?.connected && line.timeouts > 0);
});

test("autoconfiguration pairs missing devices, stops where none answers, and can be undone", async (t) => {
  const { hub, key } = await plant(t, overTcp);
  const configure = (body: object, query = ""): Promise<Answer> =>
    hub.call("PUT", `/hub/autoconfig${query}`, key, { name: "Plant", ...body });
  const devices = async (): Promise<Device[]> =>
    Object.values((await hub.call("GET", "/devices", key)).json as Record<string, Device>);
  const at = (address: number, register: number): object => ({
    type: "MODBUS_DEVICE",
    address,
    register,
    register_type: 3,
    device_type: "RELAY",
  });
  const plan = {
    modbusTcpBase: 1,
    protocols: [relay],
    devices: { lamp: { desc: at(2, 1), name: "Lamp post", room: "Yard" } },
    scenes: { dark: { name: "Dark", presets: [{ targetIds: ["lamp"], state: { isOn: true } }] } },
  };
  const ghost = { ghost: { desc: at(9, 1), name: "Ghost" } };
  const stopped = await configure({ ...plan, devices: { ...plan.devices, ...ghost } });
  assert.equal(stopped.status, 504);
  const { message, notDone } = stopped.json as { message: string; notDone: string[] };
  assert.match(message, /^stopped at device Ghost: address: 9 does not answer/);
  assert.deepEqual(notDone, ["device Ghost", "scene Dark"]);
  assert.deepEqual((await devices()).map(({ name }) => name).toSorted(), ["Lamp post", "Well pump"]);
  assert.deepEqual(await configure(plan), { status: 200, json: true });
  const { json } = await configure(plan, "?dryRun=true");
  assert.deepEqual((json as { differences: object[] }).differences, []);
  const lamp = (await devices()).find(({ name }) => name === "Lamp post");
  const scenes = Object.values((await hub.call("GET", "/scenes", key)).json as Record<string, object>);
  const dark = scenes.find((scene) => (scene as { name: string }).name === "Dark") as {
    presets: Record<string, { targetIds: string[] }>;
  };
  assert.deepEqual(dark.presets["1"]?.targetIds, [lamp?.id]);
  for (let left = 2; left > 0; left -= 1)
    assert.deepEqual(await hub.call("PUT", "/hub/autoconfig/undo", key), { status: 200, json: true });
  assert.deepEqual(await devices(), []);
});
