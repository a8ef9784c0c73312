import assert from "node:assert/strict";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { LoggedEvent } from "@ledge/model";
import { features, limits } from "@ledge/model";
import { AdapterError } from "@ledge/port";
import type { TestKernel } from "@ledge/testkit";
import { openTestKernel } from "@ledge/testkit";
import { createLogger } from "@ledge/host/logger";
import { Notes } from "../notes/notes.ts";
import { reactions } from "../reactions/index.ts";
import { Devices } from "./devices.ts";
import type { DeviceProtocol } from "./protocol.ts";

/** A radio that records every request. */
class Recorder implements DeviceProtocol {
  status: DeviceProtocol["status"] = {
    state: "running",
    failures: 0,
    reports: 0,
    reason: null,
    failure: null,
  };
  settled = true;
  taken = 0;
  readonly sent: { readonly id: string; readonly native: string; readonly command: object }[] = [];
  /** The casts so far: group and members. */
  readonly casts: string[] = [];
  cast(group: string, sendings: Parameters<DeviceProtocol["cast"]>[1]): void {
    this.casts.push(`${group} ${sendings.map(({ native }) => native).join()}`);
    this.sent.push(...sendings);
  }
  readonly forgotten: string[] = [];
  send(sending: Parameters<DeviceProtocol["send"]>[0]): void {
    this.sent.push(sending);
  }
  forget(native: string): void {
    this.forgotten.push(native);
  }
  readonly followed: string[] = [];
  follow({ type }: LoggedEvent): void {
    this.followed.push(type);
  }
  offers = { pairing: false, groupcast: ["air"], protocolCommands: ["PAIR_THING"], requests: ["GET_THING"] };
  offersKnown = Promise.resolve();
  answer: () => Promise<unknown> = () => Promise.resolve(1);
  request(): Promise<unknown> {
    return this.answer();
  }
  resume(): void {}
  takeUp(): void {
    this.taken++;
  }
  stop(): Promise<void> {
    return Promise.resolve();
  }
}

function hostOf({ kernel, clock }: TestKernel): ConstructorParameters<typeof Devices>[0] {
  const logger = createLogger("silent");
  const notes = new Notes(kernel, clock, logger);
  return { kernel, clock, logger, notes, folder: "/nowhere", memoryMb: 64, random: () => 0.5 };
}

function start(hub: TestKernel, adapters: object = { sim: {} }): { devices: Devices; radio: Recorder } {
  const radio = new Recorder();
  const devices = new Devices(hostOf(hub), () => radio);
  devices.start(adapters as Record<string, unknown>);
  return { devices, radio };
}

const add = (type: string, capabilities: readonly string[]): { type: string; [field: string]: unknown } => ({
  type: "ADD_DEVICE",
  name: "Thing",
  class: type,
  capabilities,
  manufacturer: null,
  model: null,
  extras: {},
  protocol: "sim",
  native: "thing",
  radio: "air",
});

const lamp = add("LIGHT", ["DEVICE", "ON_OFF"]);
const siren = add("ALARM_DEVICE", ["DEVICE", "ON_OFF", "GENERATE_ALERT"]);
const types = ({ kernel }: TestKernel): string[] =>
  [...kernel.log.read()].flatMap(({ events }) => events.map(({ type }) => type));

test("sends a repeatable command while its commit is written, and an impulse after it", async () => {
  const hub = openTestKernel();
  const { radio } = start(hub);
  const lampId = await hub.accept(lamp);
  const sirenId = await hub.accept({ ...siren, native: "siren" });
  const lit = hub.submit({ type: "CMD_DEVICE_ON", id: lampId });
  assert.deepEqual(
    radio.sent.map(({ native }) => native),
    ["thing"],
  );
  await lit;
  const loud = hub.submit({ type: "CMD_DEVICE_ON", id: sirenId });
  assert.equal(radio.sent.length, 1);
  await loud;
  assert.deepEqual(
    radio.sent.map(({ native }) => native),
    ["thing", "siren"],
  );
});

test("sends a command to a device that is added in the same commit after that commit", async () => {
  const hub = openTestKernel();
  const { radio } = start(hub);
  let id = "";
  hub.kernel.subscribe({
    decided: (_timestamp, _firstIndex, [event]) => {
      id ||= event?.id ?? "";
    },
  });
  const added = hub.submit(lamp);
  const lit = hub.submit({ type: "CMD_DEVICE_ON", id });
  assert.equal(radio.sent.length, 0);
  await Promise.all([added, lit]);
  assert.deepEqual(
    radio.sent.map(({ native }) => native),
    ["thing"],
  );
  assert.ok(!types(hub).includes("CommandFailed"));
});

test("casts a command to a group, also through the relay and while nothing can be recorded", async () => {
  const hub = openTestKernel();
  const { devices, radio } = start(hub);
  const members = [await hub.accept(lamp), await hub.accept({ ...lamp, native: "other" })];
  const id = await hub.accept({ type: "CMD_GROUP", name: "All", members });
  await hub.accept({ type: "ADDRESS_GROUP", id });
  const on = { type: "CMD_GROUP_ON", id };
  const cast = `${id} thing,other`;
  await hub.submit(on);
  assert.deepEqual(radio.casts, [cast]);
  const relayed = hub.submit(on, { origin: "user:u", relayed: true });
  assert.equal(radio.casts.length, 1);
  await relayed;
  hub.kernel.suspend("the disk is full");
  devices.switchUnrecorded({ commands: [on], origin: "user:u" });
  assert.deepEqual(radio.casts, [cast, cast, cast]);
});

test("sends a command from the relay after its commit", async () => {
  const hub = openTestKernel();
  const { radio } = start(hub);
  const id = await hub.accept(lamp);
  const lit = hub.submit({ type: "CMD_DEVICE_ON", id }, { origin: "user:u", relayed: true });
  assert.equal(radio.sent.length, 0);
  await lit;
  assert.equal(radio.sent.length, 1);
});

test("refreshes a device after a command to it could not be recorded", async () => {
  const hub = openTestKernel();
  const { radio } = start(hub);
  const id = await hub.accept(lamp);
  hub.log.failNext("full");
  await assert.rejects(hub.submit({ type: "CMD_DEVICE_ON", id }), { code: "read-only" });
  assert.deepEqual(
    radio.sent.map(({ command }) => command),
    [{ type: "set", attributes: { isOn: true } }, { type: "refresh" }],
  );
});

test("fails a command at once when its adapter does not run, and logs the failure", async () => {
  const hub = openTestKernel();
  start(hub, {});
  const id = await hub.accept(lamp);
  await hub.submit({ type: "CMD_DEVICE_ON", id });
  await hub.clock.pass(1);
  assert.deepEqual(types(hub).slice(-2), ["CommandIssued", "CommandFailed"]);
  assert.equal(hub.kernel.size("command"), 0);
});

test("marks devices as unreachable when none of their adapters is on", async () => {
  const before = openTestKernel({ reactions });
  const id = await before.accept(lamp);
  await before.submit({ type: "REPORT_DEVICE", id, attributes: { reachable: true }, at: 1 });
  const hub = before.restart();
  start(hub, {});
  await hub.clock.pass(1);
  assert.equal(hub.kernel.get("device", id)?.state["reachable"], false);
});

test("after a restart, sends a young command again and expires old ones and impulses", async () => {
  for (const [thing, waitMs, expected] of [
    [lamp, 0, "sent"],
    [lamp, limits.commandTimeoutMs + 1000, "CommandExpired"],
    [siren, 0, "CommandExpired"],
  ] as const) {
    const before = openTestKernel();
    const id = await before.accept(thing);
    await before.submit({ type: "CMD_DEVICE_ON", id });
    await before.clock.pass(waitMs);
    const hub = before.restart();
    const { radio } = start(hub);
    await hub.clock.pass(1);
    assert.equal(radio.sent.length, expected === "sent" ? 1 : 0);
    assert.equal(types(hub).at(-1), expected === "sent" ? "CommandIssued" : expected);
  }
});

test("switches devices while nothing can be recorded, and records nothing of it", async () => {
  const hub = openTestKernel();
  const { devices, radio } = start(hub);
  const id = await hub.accept(lamp);
  const on = { commands: [{ type: "CMD_DEVICE_ON", id }], origin: "user:u" } as const;
  hub.kernel.suspend("the disk is full");
  assert.equal(devices.switchUnrecorded(on)?.accepted, true);
  assert.deepEqual(
    radio.sent.map(({ command }) => command),
    [{ type: "set", attributes: { isOn: true } }],
  );
  assert.deepEqual([types(hub).includes("CommandIssued"), hub.kernel.size("command")], [false, 0]);

  const named = { type: "CMD_DEVICE_META", id, name: "x" };
  assert.equal(devices.switchUnrecorded({ ...on, commands: [...on.commands, named] }), undefined);
  const unknown = { type: "CMD_DEVICE_ON", id: "nowhere" };
  assert.equal(devices.switchUnrecorded({ ...on, commands: [unknown] })?.accepted, false);
  radio.status = { state: "restarting", failures: 1, reports: 0, reason: "gone", failure: null };
  assert.equal(devices.switchUnrecorded(on), undefined);
  assert.equal(radio.sent.length, 1);
  radio.status = { state: "starting", failures: 1, reports: 0, reason: null, failure: null };
  assert.equal(devices.switchUnrecorded(on)?.accepted, true);
  assert.equal(radio.sent.length, 2);
  hub.kernel.resume();
  assert.equal(radio.taken, 1);
});

test("the outcome of a command after a restart still names its origin and its cause", async () => {
  for (const [thing, end, adapters] of [
    [lamp, "CommandFailed", {}],
    [siren, "CommandExpired", { sim: {} }],
  ] as const) {
    const before = openTestKernel();
    const id = await before.accept(thing);
    // Two commands in one commit, and one with its own cause.
    const how = { origin: "user:u", cause: "request:r", root: "request:q", depth: 2 } as const;
    await Promise.all([
      before.submit({ type: "CMD_ROOM", name: "Hall" }),
      before.submit({ type: "CMD_DEVICE_ON", id }, how),
    ]);
    const issued = [...before.log.read()].at(-1);
    const index = issued?.events.findIndex(({ type }) => type === "CommandIssued") ?? -1;
    assert.ok(issued !== undefined && index > 0);
    const hub = before.restart();
    start(hub, adapters);
    await hub.clock.pass(1);
    const ended = [...hub.kernel.log.read()].at(-1)?.events.at(-1);
    assert.equal(ended?.type, end);
    const { origin, cause, root, depth } = ended;
    assert.deepEqual(
      { origin, cause, root, depth },
      { origin: "user:u", cause: `${issued.timestamp}-${index}`, root: "request:q", depth: 3 },
    );
  }
});

/** Adapters that record the settings they start with, and end on request. */
class Bench {
  readonly started: [name: string, settings: unknown][] = [];
  readonly stopped: string[] = [];
  ended: Promise<void> = Promise.resolve();
  readonly radios = new Map<string, Recorder>();
  readonly devices: Devices;

  constructor(hub: TestKernel, adapters: Record<string, unknown>) {
    this.devices = new Devices(hostOf(hub), (name, settings) => {
      this.started.push([name, settings]);
      const radio = new Recorder();
      radio.stop = async () => {
        this.stopped.push(name);
        await this.ended;
      };
      this.radios.set(name, radio);
      return radio;
    });
    this.devices.start(adapters);
  }

  get reasons(): unknown {
    return Object.fromEntries(
      Object.entries(this.devices.statuses()).map(([name, { state, reason }]) => [name, reason ?? state]),
    );
  }
}

test("restarts an adapter with new settings after it has ended, one restart at a time", async () => {
  const hub = openTestKernel();
  const bench = new Bench(hub, { sim: { a: 1 }, other: {} });
  const ended = Promise.withResolvers<void>();
  bench.ended = ended.promise;
  const restarts = [bench.devices.restart("sim", { a: 2 }), bench.devices.restart("sim", { a: 3 })];
  await hub.clock.pass(1);
  assert.deepEqual([bench.started.length, bench.stopped], [2, ["sim"]]);
  ended.resolve();
  await Promise.all(restarts);
  assert.deepEqual(bench.started.slice(2), [
    ["sim", { a: 2 }],
    ["sim", { a: 3 }],
  ]);
  await bench.devices.stop();
  await bench.devices.restart("sim", { a: 4 });
  assert.equal(bench.started.length, 4);
});

test("restarts an adapter whose stop fails, and still stops the other adapters", async () => {
  const hub = openTestKernel();
  const port = { radio: { path: "/dev/ttyUSB0" } };
  const bench = new Bench(hub, { sim: port, other: {} });
  bench.ended = Promise.reject(new Error("it hangs"));
  bench.ended.catch(() => {});
  await bench.devices.restart("sim", port);
  assert.deepEqual(bench.started.at(-1), ["sim", port]);
  assert.deepEqual(bench.reasons, { sim: "running", other: "running" });
  await bench.devices.stop();
  assert.deepEqual(bench.stopped, ["sim", "other", "sim"]);
});

test("sends commands that were waiting for an adapter after its restart", async () => {
  const hub = openTestKernel();
  const bench = new Bench(hub, { sim: {} });
  const id = await hub.accept(lamp);
  await hub.submit({ type: "CMD_DEVICE_ON", id });
  await hub.clock.pass(10);
  await bench.devices.restart("sim", {});
  assert.equal(bench.radios.get("sim")?.sent.length, 1);
});

test("refuses a port that another adapter uses under any of its names, and says which one", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "ledge-ports-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [node, stable] = [join(folder, "ttyUSB0"), join(folder, "by-id")];
  writeFileSync(node, "");
  symlinkSync(node, stable);
  const modbus = { ports: [{ name: "line", transport: { type: "rtu", path: node } }] };
  const hub = openTestKernel();
  const id = await hub.accept({ type: "CREATE_HUB", name: "Home", timezone: "UTC" });
  await hub.accept({ type: "SET_FEATURES", id, features: [features.MODBUS, features.ZWAVE] });
  const bench = new Bench(hub, { modbus, zigbee: { radio: { path: stable } }, zwave: {} });
  const inUse = `${stable} is in use by modbus`;
  assert.deepEqual(bench.reasons, { modbus: "running", zwave: "running", zigbee: inUse });
  await hub.clock.pass(1);
  assert.deepEqual(
    [hub.kernel.get("adapter", "zigbee")?.reason, types(hub).at(-1)],
    [inUse, "AdapterRested"],
  );
  assert.equal(bench.devices.resume("zigbee"), true);
  assert.equal(bench.started.length, 2, "it is in use still");
  await bench.devices.restart("modbus", {});
  assert.equal(bench.devices.resume("zigbee"), true);
  assert.deepEqual(bench.reasons, { modbus: "running", zwave: "running", zigbee: "running" });
  await bench.devices.restart("zwave", { radio: { path: node } });
  assert.deepEqual((bench.reasons as Record<string, string>)["zwave"], `${node} is in use by zigbee`);
});

test("tells the adapter to forget a removed device", async () => {
  const hub = openTestKernel();
  const { radio } = start(hub);
  const id = await hub.accept(lamp);
  await hub.accept({ type: "REMOVE_DEVICE", id });
  assert.deepEqual(radio.forgotten, ["thing"]);
});

test("timers that recheck their condition wait for the radios, up to a limit", async () => {
  const wait = async (settleAfterMs: number): Promise<number> => {
    const before = openTestKernel();
    await before.accept({ type: "SET_TIMER", id: "t", durationMs: 1000, late: "recheck" });
    await before.clock.pass(0);
    const hub = before.restart();
    hub.clock.advance(5000);
    const radio = new Recorder();
    radio.settled = false;
    const { kernel, clock } = hub;
    new Devices(hostOf(hub), () => radio).start({ sim: {} });
    const began = clock.monotonic();
    const fired = (): LoggedEvent | undefined =>
      [...kernel.log.read()].flatMap(({ events }) => events).find(({ type }) => type === "TimerFired");
    while (fired() === undefined) {
      if (clock.monotonic() - began >= settleAfterMs) radio.settled = true;
      await clock.pass(500);
    }
    return clock.monotonic() - began;
  };
  const settled = await wait(3000);
  assert.ok(settled >= 3000 && settled < 6000, String(settled));
  const never = await wait(Infinity);
  assert.ok(never >= limits.settleMs && never < limits.settleMs + 3000, String(never));
});

test("knows the offers when all adapters have started, or after a while", async () => {
  const hub = openTestKernel();
  const { devices, radio } = start(hub);
  assert.deepEqual(await devices.offering("GET_THING"), ["sim"]);
  const { promise, resolve } = Promise.withResolvers<void>();
  radio.offersKnown = promise;
  let known = 0;
  const wait = (): Promise<void> => devices.offering("GET_THING").then(() => void known++);
  const first = wait();
  await hub.clock.pass(limits.offersKnownMs - 1);
  assert.equal(known, 0);
  await hub.clock.pass(1);
  await first;
  const second = wait();
  resolve();
  await second;
  assert.equal(known, 2);
});

test("sends a request to the adapter that offers it, and returns its error as an answer", async () => {
  const hub = openTestKernel();
  const { devices, radio } = start(hub);
  const ask = (type: string, among: "protocolCommands" | "requests", protocol?: string): Promise<unknown> =>
    devices.request({ type }, { among, ...(protocol && { protocol }) });
  assert.deepEqual(await ask("PAIR_THING", "protocolCommands"), { answered: true, value: 1 });
  assert.deepEqual(await ask("GET_THING", "requests", "sim"), { answered: true, value: 1 });
  assert.equal(await ask("GET_THING", "protocolCommands"), undefined);
  assert.equal(await ask("GET_THING", "requests", "modbus"), undefined);
  assert.deepEqual(
    [await devices.offering("GET_THING"), await devices.offering("PAIR_THING")],
    [["sim"], []],
  );
  assert.deepEqual(await devices.offering("PAIR_THING", "protocolCommands"), ["sim"]);
  const message = "no answer in time";
  radio.answer = () => Promise.reject(new AdapterError("timeout", message));
  assert.deepEqual(await ask("GET_THING", "requests"), { answered: false, code: "timeout", message });
});

test("says of a protocol command that nobody takes yet that an adapter is still starting", async () => {
  const hub = openTestKernel();
  const { devices, radio } = start(hub);
  const ask = (among: "protocolCommands" | "requests"): Promise<unknown> =>
    devices.request({ type: "PAIR_THING" }, { among });
  const { offers } = radio;
  radio.offers = { pairing: false, groupcast: [], protocolCommands: [], requests: [] };
  assert.equal(await ask("protocolCommands"), undefined);
  radio.status = { ...radio.status, state: "starting" };
  const message = "an adapter is still starting (sim): try again";
  assert.deepEqual(await ask("protocolCommands"), { answered: false, code: "unreachable", message });
  assert.equal(await ask("requests"), undefined);
  Object.assign(radio, { offers, status: { ...radio.status, state: "running" } });
  assert.deepEqual(await ask("protocolCommands"), { answered: true, value: 1 });
});

test("an adapter that goes with a feature starts and stops with it", async () => {
  const hub = openTestKernel();
  const id = await hub.accept({ type: "CREATE_HUB", name: "Home", timezone: "UTC" });
  const opened: string[] = [];
  const ended: string[] = [];
  const settings: unknown[] = [];
  const devices = new Devices(hostOf(hub), (name, its) => {
    opened.push(name);
    settings.push(its);
    return Object.assign(new Recorder(), { stop: async () => void ended.push(name) });
  });
  devices.start({ sim: {}, mqtt: { broker: {} } });
  assert.deepEqual([opened, Object.keys(devices.statuses())], [["sim"], ["sim"]]);
  const set = async (...codes: number[]): Promise<void> => {
    await hub.accept({ type: "SET_FEATURES", id, features: codes });
    await devices.restarted();
  };
  await set(features.MQTT);
  await set(features.MQTT, features.MBUS);
  assert.deepEqual(
    [opened, Object.keys(devices.statuses())],
    [
      ["sim", "mqtt"],
      ["sim", "mqtt"],
    ],
  );
  await set(features.MBUS);
  assert.deepEqual([ended, Object.keys(devices.statuses())], [["mqtt"], ["sim"]]);
  const switched = async (isOn: boolean): Promise<void> => {
    await hub.accept({ type: "SWITCH_FEATURE", id, feature: "MQTT", isOn });
    await devices.restarted();
  };
  await set(features.MQTT);
  await hub.accept({ type: "NOTE_ADAPTER", id: "mqtt", state: "failed", reason: "crash" });
  await switched(false);
  assert.deepEqual([ended, Object.keys(devices.statuses())], [["mqtt", "mqtt"], ["sim"]]);
  await devices.restart("mqtt", { broker: { url: "mqtt://other" } });
  assert.deepEqual(opened, ["sim", "mqtt", "mqtt"]);
  await switched(true);
  assert.deepEqual(opened, ["sim", "mqtt", "mqtt", "mqtt"]);
  assert.deepEqual(settings.at(-1), { broker: { url: "mqtt://other" } });
  await devices.stop();
});
