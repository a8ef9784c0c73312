import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { describe, test } from "node:test";
import type { PeerSlave } from "./testdata/peer.ts";
import { startCable, startPeer } from "./testdata/peer.ts";
import type { Rig } from "./testdata/rig.ts";
import { pump, startRig } from "./testdata/rig.ts";

interface World {
  readonly slave: PeerSlave;
  readonly settings: object;
}

/** A line without devices, and a slave with units 1 to 4 on it. */
async function tcpLine(t: TestContext): Promise<World> {
  const slave = await startPeer("tcp", "0");
  t.after(() => slave.kill());
  const transport = { type: "tcp", host: "127.0.0.1", port: Number(slave.where) };
  return { slave, settings: { ports: [{ name: "line", transport, timeoutMs: 1000, devices: [] }] } };
}

async function serverLine(t: TestContext): Promise<World> {
  const slave = await startPeer("rtuOverTcp", "0");
  t.after(() => slave.kill());
  const transport = { type: "rtuOverTcp", host: "127.0.0.1", port: Number(slave.where) };
  return { slave, settings: { ports: [{ name: "line", transport, timeoutMs: 1000, devices: [] }] } };
}

async function serialLine(t: TestContext): Promise<World> {
  const cable = await startCable();
  t.after(() => cable.dispose());
  const slave = await startPeer("rtu", cable.far);
  t.after(() => slave.kill());
  const transport = { type: "rtu", path: cable.near, baudRate: 9600 };
  return { slave, settings: { ports: [{ name: "line", transport, timeoutMs: 1000, devices: [] }] } };
}

async function begin(t: TestContext, settings: unknown, stored?: Map<string, unknown>): Promise<Rig> {
  const rig = await startRig(settings, stored);
  t.after(() => rig.adapter.stop());
  return rig;
}

const relay = {
  type: "PAIR_MODBUS",
  address: 2,
  deviceType: "RELAY",
  name: "x",
  readDeviceIdSupported: false,
  registerRequired: true,
  register: 1,
  registerType: 3,
  normallyOff: true,
};
const pair = ({ ask }: Rig, ...commands: object[]): Promise<unknown> =>
  ask({ type: "PAIR_MODBUS", commands });

for (const [where, line] of [
  ["over TCP", tcpLine],
  ["over TCP in frames of a serial line", serverLine],
  ["on a serial line", serialLine],
] as const) {
  describe(`pairing ${where}`, () => {
    test("polls and switches a paired device, also after a restart", async (t) => {
      const { slave, settings } = await line(t);
      const stored = new Map<string, unknown>();
      const rig = await begin(t, settings, stored);
      assert.equal(await pair(rig, relay), true);
      const [native = ""] = rig.announced;
      await rig.until("a first report", () => rig.latest(native, "isOn") === false);
      await rig.set(native, { isOn: true });
      assert.deepEqual(slave.written, ["2 holding 1 1"]);
      await slave.tell("set holding 1 0 2");
      await rig.until("the change from elsewhere", () => rig.latest(native, "isOn") === false);
      await rig.adapter.stop();
      const again = await begin(t, settings, stored);
      assert.deepEqual(again.announced, [native]);
      await again.until("a report after the restart", () => again.latest(native, "isOn") === false);
    });

    test("pairs several devices together, or none", async (t) => {
      const { settings } = await line(t);
      const rig = await begin(t, settings);
      const sensor = {
        ...relay,
        deviceType: "MULTI_SENSOR",
        register: 7,
        registerType: 4,
        normallyOff: null,
      };
      const signal = { ...relay, deviceType: "SIGNAL", register: 5, registerType: 2 };
      const ghost = { ...signal, address: 9 };
      await assert.rejects(pair(rig, relay, ghost), {
        code: "timeout",
        message: /^\[1\]\.address: 9 does not/,
      });
      assert.deepEqual(rig.announced, []);
      assert.equal(await pair(rig, relay, signal, sensor), true);
      assert.equal(new Set(rig.announced).size, 3);
      const [, , climate = ""] = rig.announced;
      await rig.until("its temperature", () => rig.latest(climate, "temperature") === 0);
    });

    test("asks a device how it names itself, and lets the client's words go first", async (t) => {
      const { settings } = await line(t);
      const stored = new Map<string, unknown>();
      const rig = await begin(t, settings, stored);
      const asked = { ...relay, readDeviceIdSupported: true };
      await pair(rig, asked, { ...asked, register: 2, manufacturer: "Pumps Ltd" });
      const told = ({ described }: Rig): unknown[] =>
        [...described.values()].map(({ manufacturer, model }) => [manufacturer, model]);
      const expected = [
        ["Ledge", "Test plant"],
        ["Pumps Ltd", "Test plant"],
      ];
      assert.deepEqual(told(rig), expected);
      await rig.adapter.stop();
      assert.deepEqual(told(await begin(t, settings, stored)), expected);
    });

    test("refuses a missing or already used register", async (t) => {
      const { slave, settings } = await line(t);
      const rig = await begin(t, settings);
      await slave.tell("exception 2 holding 1");
      await assert.rejects(pair(rig, relay), { code: "refused", message: /^register: holding 1 of 2/ });
      await slave.tell("exception 0");
      assert.equal(await pair(rig, relay), true);
      await assert.rejects(pair(rig, { ...relay, name: "y" }), {
        message: 'register: is already used by "x"',
      });
      await assert.rejects(pair(rig, { ...relay, register: 2 }, { ...relay, register: 2 }), {
        message: '[1].register: is already used by "x"',
      });
    });
  });
}

test("names the wrong field of a command without a request on the line", async (t) => {
  const { settings } = await tcpLine(t);
  const rig = await begin(t, settings);
  for (const [change, expected] of [
    [{ address: 0 }, /^address: /],
    [{ address: 248 }, /^address: /],
    [{ address: "2" }, /^address: /],
    [{ deviceType: "LAMP" }, /^deviceType: must be one of RELAY/],
    [{ name: "" }, /^name: /],
    [{ name: " " }, /^name: /],
    [{ register: -1 }, /^register: /],
    [{ register: 65_536 }, /^register: /],
    [{ register: undefined }, /^register: is missing/],
    [{ registerType: 0 }, /^registerType: must be 1 \(coil\) or 3 \(holding\)/],
    [{ registerType: 2 }, /^registerType: /],
    [{ readDeviceIdSupported: "yes" }, /^readDeviceIdSupported: /],
    [{ normallyOff: "yes" }, /^normallyOff: /],
    [{ deviceType: "MULTI_SENSOR" }, /^normallyOff: applies to RELAY and SIGNAL/],
    [{ port: "other" }, /^port: must be one of line/],
  ] as const) {
    const command = JSON.parse(JSON.stringify({ ...relay, ...change })) as object;
    await assert.rejects(pair(rig, command), { code: "settings", message: expected }, JSON.stringify(change));
  }
  await assert.rejects(pair(rig, relay, { ...relay, address: 0 }), { message: /^\[1\]\.address: / });
});

test("GET_MODBUS_PAIRINGS returns commands to fill in and send back", async (t) => {
  const { settings } = await tcpLine(t);
  const rig = await begin(t, settings);
  const pairings = (await rig.ask({ type: "GET_MODBUS_PAIRINGS" })) as object[];
  const kinds = new Set(pairings.map((pairing) => (pairing as typeof relay).deviceType));
  assert.deepEqual([...kinds], ["RELAY", "SIGNAL", "MULTI_SENSOR"]);
  // The peer has no registers of models; modelled.test.ts pairs those.
  const plain = pairings.filter((pairing) => !("modelId" in pairing));
  assert.equal(plain.length, 6);
  for (const [index, pairing] of plain.entries())
    assert.equal(await pair(rig, { ...pairing, register: index }), true, JSON.stringify(pairing));
});

test("keeps manufacturer and model of a paired device; empty ones are null", async (t) => {
  const { settings } = await tcpLine(t);
  const stored = new Map<string, unknown>();
  const rig = await begin(t, settings, stored);
  await pair(rig, { ...relay, manufacturer: "Pumps Ltd", model: "P-2" });
  await pair(rig, { ...relay, register: 2, manufacturer: "", model: null });
  const told = ({ described }: Rig): unknown[] =>
    [...described.values()].map(({ manufacturer, model }) => [manufacturer, model]);
  const expected = [
    ["Pumps Ltd", "P-2"],
    [null, null],
  ];
  assert.deepEqual(told(rig), expected);
  await rig.adapter.stop();
  assert.deepEqual(told(await begin(t, settings, stored)), expected);
  await assert.rejects(pair(rig, { ...relay, register: 3, model: "m".repeat(129) }));
});

test("GET_MODBUS_DEVICES returns each device's place", async (t) => {
  const { settings } = await tcpLine(t);
  const rig = await begin(t, settings);
  await pair(rig, relay);
  assert.deepEqual(await rig.ask({ type: "GET_MODBUS_DEVICES" }), [
    { native: rig.announced[0], port: "line", address: 2, registers: [{ registerType: 3, register: 1 }] },
  ]);
});

test("deletes a forgotten paired device, but finds one of the settings again", async (t) => {
  const { settings } = await tcpLine(t);
  const [port] = (settings as { ports: object[] }).ports;
  const stored = new Map<string, unknown>();
  const rig = await begin(t, { ports: [{ ...port, devices: [pump] }] }, stored);
  await pair(rig, relay);
  const [, paired = ""] = rig.announced;
  for (const native of ["line/pump", paired]) await rig.adapter.forget?.(native);
  await rig.adapter.pairing?.open(1000);
  assert.deepEqual(rig.found, ["line/pump"]);
  rig.reports.length = 0;
  await rig.adapter.pairing?.keep("line/pump");
  await rig.until("its report", () => rig.latest("line/pump", "isOn") === false);
  await assert.rejects(rig.adapter.pairing?.keep(paired) ?? Promise.resolve(), { code: "refused" });
  assert.equal(await pair(rig, relay), true);
  assert.notEqual(rig.announced.at(-1), paired);
});

test("changes the settings of a serial line, also after a restart", async (t) => {
  const { slave, settings } = await serialLine(t);
  const stored = new Map<string, unknown>();
  const rig = await begin(t, settings, stored);
  await pair(rig, relay);
  const portOf = async (of: Rig): Promise<{ name: string; settings: object; allowedBaurates: number[] }> => {
    const [port] = (await of.ask({ type: "GET_SERIAL_PORTS" })) as never[];
    assert.ok(port);
    return port;
  };
  const { name, settings: before, allowedBaurates } = await portOf(rig);
  assert.ok(allowedBaurates.includes(19_200));
  const set = (wanted: object): Promise<unknown> =>
    rig.ask({ type: "SET_SERIAL_PORT", name, settings: wanted });
  const quicker = { ...before, baudrate: 19_200, parity: "even" };
  for (const [change, field] of [
    [{ baudrate: 12_345 }, "baudrate"],
    [{ databits: 9 }, "databits"],
    [{ stopbits: 3 }, "stopbits"],
    [{ parity: "mark" }, "parity"],
  ] as const) {
    const message = new RegExp(`^settings\\.${field}: must be one of`);
    await assert.rejects(set({ ...before, ...change }), { code: "settings", message });
  }
  await assert.rejects(rig.ask({ type: "SET_SERIAL_PORT", name: "x", settings: before }), {
    message: /^name: /,
  });
  rig.reports.length = 0;
  assert.equal(await set(quicker), true);
  assert.deepEqual((await portOf(rig)).settings, quicker);
  const [native = ""] = rig.announced;
  await rig.until("a report on the new settings", () => rig.latest(native, "isOn") === false);
  assert.equal(slave.written.length, 0);
  await rig.adapter.stop();
  assert.deepEqual((await portOf(await begin(t, settings, stored))).settings, quicker);
});
