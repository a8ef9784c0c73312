import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test, type TestContext } from "node:test";
import type { Rig } from "./testdata/rig.ts";
import { startRig } from "./testdata/rig.ts";
import type { Slave } from "./testdata/slave.ts";
import { startSlave } from "./testdata/slave.ts";

let slave: Slave;
const folder = mkdtempSync(join(tmpdir(), "ledge-modelled-"));

before(async () => {
  slave = await startSlave();
});
beforeEach(() => {
  slave.behaviour.refuse = () => 0;
  slave.requests.length = 0;
});
after(async () => {
  await slave.down();
  rmSync(folder, { recursive: true });
});

async function begin(t: TestContext, more: object = {}, stored = new Map<string, unknown>()): Promise<Rig> {
  const transport = { type: "tcp", host: "127.0.0.1", port: slave.port };
  const port = { name: "line", transport, timeoutMs: 1000, devices: [], ...more };
  const rig = await startRig({ ports: [port], modelsFolder: folder }, stored);
  t.after(() => rig.adapter.stop());
  return rig;
}

interface Pairing {
  readonly modelId?: string;
  readonly name: string;
  readonly registerType: number;
}
const pairingsOf = async (rig: Rig): Promise<readonly Pairing[]> =>
  (await rig.ask({ type: "GET_MODBUS_PAIRINGS" })) as Pairing[];
const pair = (rig: Rig, ...commands: object[]): Promise<unknown> =>
  rig.ask({ type: "PAIR_MODBUS", commands });
const place = (file: string, value: unknown): void =>
  writeFileSync(join(folder, file), JSON.stringify(value));

const damper = {
  format: 1,
  id: "damper",
  manufacturer: "Acme",
  name: "Damper",
  defaults: { table: "holding", type: "u16" },
  devices: [
    {
      part: "blade",
      class: "THERMOSTAT",
      points: [
        { attribute: "temperature", register: 0, type: "s16", scale: 0.1, poll: "fast" },
        { attribute: "extras.low", register: 1, bit: 0, width: 4, writable: true },
        { attribute: "extras.high", register: 1, bit: 4, width: 4, writable: true },
        {
          attribute: "extras.mode",
          table: "input",
          register: 2,
          writable: true,
          options: { "0": "off", "1": "auto" },
          write: { table: "holding", register: 3, options: { "10": "off", "11": "auto" } },
        },
      ],
    },
  ],
};

test("pairs a relay module by the fields that old clients send back, as one device for each relay", async (t) => {
  const stored = new Map<string, unknown>();
  const rig = await begin(t, {}, stored);
  const pairing = (await pairingsOf(rig)).find(({ modelId }) => modelId === "generic-relay-4");
  const { modelId: _, ...sent } = { ...pairing, address: 3, name: "Cellar", register: 16 };
  assert.equal(await pair(rig, sent), true);
  assert.deepEqual(
    [...rig.described.values()].map(({ name, class: kind }) => [name, kind]),
    [1, 2, 3, 4].map((number) => [`Cellar relay ${number}`, "POWER_SOCKET"]),
  );
  const [, second = ""] = rig.announced;
  await rig.until("its state", () => rig.latest(second, "isOn") === false);
  await rig.set(second, { isOn: true });
  assert.equal(slave.unit(3).coils[17], 1);
  await assert.rejects(pair(rig, sent), { message: /^register: is already used by "Cellar relay 1"/ });
  await rig.adapter.forget?.(second);
  await rig.adapter.stop();
  const again = await begin(t, {}, stored);
  assert.deepEqual(
    again.announced,
    rig.announced.filter((native) => native !== second),
    "a removed relay stays away, the others stay",
  );
  for (const native of again.announced) await again.adapter.forget?.(native);
  assert.deepEqual(stored.get("paired"), []);
});

test("pairs a meter although it lacks a register, and names what it misses", async (t) => {
  const rig = await begin(t);
  slave.behaviour.refuse = ({ register }) => (register === 52 ? 2 : 0);
  assert.equal(await pair(rig, { ...meter, modelId: "eastron-sdm630" }), true);
  const [native = ""] = rig.announced;
  await rig.until("a value", () => rig.latest(native, "voltageA") === 0);
  assert.deepEqual(rig.described.get(native)?.model, "SDM630 meter, three phases");
  assert.equal(rig.latest(native, "activePower"), undefined);
  slave.behaviour.refuse = () => 2;
  await assert.rejects(pair(rig, { ...meter, address: 9, modelId: "eastron-sdm120" }), {
    code: "refused",
    message: /^register: input \d+ of 9 cannot be read/,
  });
  await assert.rejects(pair(rig, { ...meter, modelId: "toaster" }), {
    message: 'modelId: "toaster" is no model of this hub',
  });
  await assert.rejects(pair(rig, { ...meter, registerType: 1234 }), {
    message: "registerType: 1234 is no model of this hub",
  });
});
const meter = { type: "PAIR_MODBUS", address: 4, deviceType: "MULTI_SENSOR", name: "Meter" };

test("takes up a model whose file comes, changes and goes while it runs", async (t) => {
  const stored = new Map<string, unknown>();
  const device = { id: "d", address: 5, name: "Flue", deviceType: "MODEL", modelId: "damper" };
  const rig = await begin(t, { devices: [device] }, stored);
  assert.deepEqual(rig.announced, []);
  place("damper.json", damper);
  slave.unit(5).holding[0] = 215;
  await rig.until("the device", () => rig.latest("line/d.blade", "temperature") === 21.5);
  const warmer = { ...damper.devices[0], points: [{ ...damper.devices[0]?.points[0], offset: 1 }] };
  place("damper.json", { ...damper, devices: [warmer, { ...warmer, part: "copy" }] });
  await rig.until("the change", () => rig.latest("line/d.blade", "temperature") === 22.5);
  await rig.until("the new part", () => rig.latest("line/d.copy", "temperature") === 22.5);
  place("damper.json", { ...damper, devices: [warmer, { ...warmer, part: 7 }] });
  const problemsOf = async (): Promise<{ file: string; field: string }[]> =>
    ((await rig.ask({ type: "GET_MODBUS_MODELS" })) as { problems: { file: string; field: string }[] })
      .problems;
  let problems = await problemsOf();
  const asked = setInterval(() => void problemsOf().then((now) => (problems = now)), 50);
  await rig.until("the problem", () => problems.length > 0);
  clearInterval(asked);
  assert.partialDeepStrictEqual(problems, [{ file: "damper.json", field: "devices[1].part" }]);
  slave.unit(5).holding[0] = 315;
  await rig.until("a value all the same", () => rig.latest("line/d.copy", "temperature") === 32.5);
});

/** An air conditioner: as the model on the page about them. */
const unit = {
  format: 1,
  id: "acme-unit",
  manufacturer: "Acme",
  name: "Air conditioner",
  defaults: { table: "holding", type: "u16" },
  devices: [
    {
      part: "unit",
      class: "THERMOSTAT",
      capabilities: ["AIRCON", "HVAC", "CONTROL_MODE", "CONTROL_TEMPERATURE", "FAN_MODE", "TEMPERATURE"],
      points: [
        { attribute: "temperature", register: 0, type: "s16", scale: 0.1, poll: "fast" },
        { attribute: "targetTemp", register: 1, type: "s16", scale: 0.1, writable: true },
        { attribute: "mode", register: 2, options: { "0": 0, "1": 2, "2": 3 }, writable: true },
        { attribute: "fanMode", register: 3, options: { "0": 0, "1": 1, "2": 2 }, writable: true },
        { attribute: "extras.pump.condensate", table: "coil", register: 0, writable: false, poll: "fast" },
        { attribute: "extras.pump.condensate.error", register: 4, options: { "0": "ok", "3": "no flow" } },
      ],
    },
  ],
};

test("a model makes an air conditioner, with pumps among its extras", async (t) => {
  place("unit.json", unit);
  const device = { id: "ac", address: 8, name: "Office", deviceType: "MODEL", modelId: "acme-unit" };
  const { holding, coils } = slave.unit(8);
  holding.set([225, 210, 2, 1, 3]);
  coils[0] = 1;
  const rig = await begin(t, { devices: [device] });
  const native = "line/ac.unit";
  const shown = {
    temperature: 22.5,
    targetTemp: 21,
    mode: 3,
    fanMode: 1,
    "extras.pump.condensate": true,
    "extras.pump.condensate.error": "no flow",
  };
  for (const [name, value] of Object.entries(shown))
    await rig.until(name, () => rig.latest(native, name) === value);
  assert.ok(rig.described.get(native)?.capabilities.includes("AIRCON"));
  const command = { type: "set", attributes: { mode: 2, targetTemp: 19.5 } } as const;
  await rig.adapter.send(native, command, new AbortController().signal);
  assert.deepEqual([...holding.subarray(1, 3)], [195, 1]);
});

test("a paired device outlives the file of its model", async (t) => {
  place("damper.json", damper);
  const stored = new Map<string, unknown>();
  const rig = await begin(t, {}, stored);
  assert.equal(await pair(rig, { ...meter, address: 6, modelId: "damper" }), true);
  await rig.adapter.stop();
  rmSync(join(folder, "damper.json"));
  const again = await begin(t, {}, stored);
  assert.deepEqual(again.announced, rig.announced);
  const [native = ""] = again.announced;
  await again.until("a value", () => again.latest(native, "temperature") !== undefined);
});

test("writes bits beside others, and a choice elsewhere than it is read", async (t) => {
  place("damper.json", damper);
  const rig = await begin(t);
  slave.unit(7).holding[1] = 0xab35;
  assert.equal(await pair(rig, { ...meter, address: 7, modelId: "damper" }), true);
  const [native = ""] = rig.announced;
  await rig.until("its values", () => rig.latest(native, "extras.mode") === "off");
  assert.deepEqual([rig.latest(native, "extras.low"), rig.latest(native, "extras.high")], [5, 3]);
  await rig.set(native, { "extras.high": 9 });
  assert.equal(slave.unit(7).holding[1], 0xab95);
  assert.equal(rig.latest(native, "extras.high"), 9);
  await assert.rejects(rig.set(native, { "extras.high": 16 }), {
    code: "refused",
    message: /16 does not fit 4 bits/,
  });
  await rig.set(native, { "extras.mode": "auto" });
  assert.equal(slave.unit(7).holding[3], 11);
  assert.equal(rig.latest(native, "extras.mode"), "off", "it shows what the device reads back");
  await assert.rejects(rig.set(native, { "extras.mode": "eco" }), { code: "refused" });
});
