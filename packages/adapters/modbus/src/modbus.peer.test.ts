import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { describe, test } from "node:test";
import type { Cable, PeerSlave } from "./testdata/peer.ts";
import { startCable, startPeer } from "./testdata/peer.ts";
import type { Rig } from "./testdata/rig.ts";
import { codeOf, passing, pump, startRig } from "./testdata/rig.ts";

const relay = { ...pump, id: "relay", name: "Relay", pollMs: 50 };
const signal = { ...relay, id: "signal", deviceType: "SIGNAL", register: 17, registerType: "discrete" };
const meter = (id: string, address: number, register: number): object => ({
  id,
  address,
  name: id,
  deviceType: "REGISTERS",
  class: "POWER_SOCKET",
  pollMs: 50,
  points: [{ attribute: "activePower", table: "holding", register, type: "u16" }],
});

interface World extends Rig {
  readonly slave: PeerSlave;
  /** Restarts the slave at the same place. */
  readonly revive: () => Promise<PeerSlave>;
}

test("reports why the slave cannot serve", async (t) => {
  const first = await startPeer("tcp", "0");
  t.after(() => first.kill());
  await assert.rejects(startPeer("tcp", first.where), /the slave has ended: .*address already in use/);
  await assert.rejects(startPeer("rtu", "/nowhere/at/all"), /the slave has ended: .*\/nowhere\/at\/all/);
});

test("the slave reports an unknown instruction and ends", async () => {
  const slave = await startPeer("tcp", "0");
  await assert.rejects(slave.tell("dance"), /the slave has ended: .*dance/);
});

type Start = (t: TestContext, devices: readonly object[], options?: object) => Promise<World>;

/** The timeout leaves room for a machine that stalls for a moment. */
const usual = { timeoutMs: 1000, unreachableAfter: 2 };

async function overTcp(t: TestContext, devices: readonly object[], options: object = {}): Promise<World> {
  const slave = await startPeer("tcp", "0");
  t.after(() => slave.kill());
  const transport = { type: "tcp", host: "127.0.0.1", port: Number(slave.where) };
  const rig = await startRig({ ports: [{ ...usual, name: "line", transport, devices, ...options }] });
  t.after(() => rig.adapter.stop());
  return { ...rig, slave, revive: () => reviveAt(t, "tcp", slave.where) };
}

async function overRtu(
  t: TestContext,
  devices: readonly object[],
  options: object = {},
): Promise<World & { cable: Cable }> {
  const cable = await startCable();
  t.after(() => cable.dispose());
  const slave = await startPeer("rtu", cable.far);
  t.after(() => slave.kill());
  const transport = { type: "rtu", path: cable.near, baudRate: 9600 };
  const rig = await startRig({ ports: [{ ...usual, name: "line", transport, devices, ...options }] });
  t.after(() => rig.adapter.stop());
  return { ...rig, slave, cable, revive: () => reviveAt(t, "rtu", slave.where) };
}

async function reviveAt(t: TestContext, transport: "tcp" | "rtu", where: string): Promise<PeerSlave> {
  const slave = await startPeer(transport, where);
  t.after(() => slave.kill());
  return slave;
}

describe("a pymodbus slave over TCP", () => suite(overTcp));
describe("a pymodbus slave on a serial line", () => {
  suite(overRtu);
  serialSuite();
});

function suite(start: Start): void {
  test("reads every type of value", async (t) => {
    const climate = {
      ...meter("all", 2, 0),
      points: [
        { attribute: "temperature", table: "input", register: 100, type: "s16", scale: 0.1 },
        { attribute: "humidity", table: "input", register: 101, type: "f32" },
        { attribute: "pressure", table: "input", register: 110, type: "u32", unit: "Pa" },
        { attribute: "totalPower", table: "holding", register: 200, type: "u64", unit: "Wh" },
        { attribute: "power", table: "holding", register: 204, type: "s32", wordOrder: "little" },
        { attribute: "flow", table: "holding", register: 206, type: "f64" },
        { attribute: "rssi", table: "holding", register: 210, type: "s64" },
        { attribute: "co2Ppm", table: "holding", register: 214, type: "u16", byteOrder: "little" },
        { attribute: "open", table: "discrete", register: 18 },
        { attribute: "batteryLow", table: "holding", register: 215, type: "bool", bit: 2 },
      ],
    };
    const { slave, latest, until } = await start(t, [relay, signal, climate]);
    await slave.tell("set coil 3 1");
    await slave.tell("set discrete 17 1");
    await slave.tell("set discrete 18 1 2");
    await slave.tell("set input 100 65491,16906,0 2");
    await slave.tell("set input 110 1,35829 2");
    await slave.tell(
      "set holding 200 0,0,1,57920,65436,65535,16476,4915,13107,13107,65535,65535,65535,65456,25602,4 2",
    );
    await until(
      "the last value",
      () => latest("line/all", "batteryLow") === true && latest("line/all", "open") === true,
    );
    await until(
      "the other values",
      () => latest("line/relay", "isOn") === true && latest("line/signal", "isOn") === true,
    );
    const values = ["temperature", "humidity", "pressure", "totalPower", "power", "flow", "rssi", "co2Ppm"];
    assert.deepEqual(
      values.map((name) => latest("line/all", name)),
      [-4.5, 34.5, 101_365, 123.456, -100, 112.3, -80, 612],
    );
  });

  test("switches a relay and sees when it is switched from elsewhere", async (t) => {
    const { slave, set, latest, until } = await start(t, [relay, signal]);
    await until("a first report", () => latest("line/relay", "isOn") === false);
    await set("line/relay", { isOn: true });
    assert.deepEqual(slave.written, ["1 coil 3 1"]);
    assert.equal(latest("line/relay", "isOn"), true);
    await slave.tell("set coil 3 0");
    await until("the change from elsewhere", () => latest("line/relay", "isOn") === false);
  });

  test("writes values of several registers in the order in which it reads them", async (t) => {
    const setpoint = {
      attribute: "targetTemperature",
      table: "holding",
      register: 20,
      type: "f32",
      wordOrder: "little",
      writable: true,
    };
    const { slave, set, latest } = await start(t, [
      { ...meter("valve", 3, 0), class: "THERMOSTAT", points: [setpoint] },
    ]);
    await set("line/valve", { targetTemp: 21.3, targetTemperature: 21.3 });
    assert.deepEqual(slave.written, ["3 holding 20 26214", "3 holding 21 16810"]);
    assert.equal(latest("line/valve", "targetTemperature"), 21.3);
  });

  test("a killed slave is unreachable, and after its restart reachable with its values", async (t) => {
    const { slave, latest, until, revive } = await start(t, [relay, meter("meter", 1, 10)]);
    await slave.tell("set holding 10 111");
    await until("a value", () => latest("line/meter", "activePower") === 111);
    await slave.kill();
    await until(
      "both unreachable",
      () => latest("line/meter", "reachable") === false && latest("line/relay", "reachable") === false,
    );
    const again = await revive();
    await again.tell("set holding 10 222");
    await until(
      "both reachable",
      () => latest("line/meter", "reachable") === true && latest("line/relay", "reachable") === true,
    );
    await until("the new value", () => latest("line/meter", "activePower") === 222);
  });

  test("does not confuse the answers of a slave that is slower than the timeout", async (t) => {
    // Reads of the same form from one unit: a serial line does not show which answer belongs to which.
    const registers = [10, 20, 30, 40];
    const meters = registers.map((register) => ({ ...meter(`m${register}`, 1, register), pollMs: 300 }));
    const dimmer = { attribute: "brightness", table: "holding", register: 50, type: "u16", writable: true };
    const lamp = { ...meter("lamp", 1, 50), class: "LIGHT", points: [{ ...dimmer, scale: 0.001 }] };
    const options = { timeoutMs: 60, unreachableAfter: 50 };
    const { slave, send, set, latest, until, reports } = await start(t, [...meters, lamp], options);
    for (const register of registers) await slave.tell(`set holding ${register} ${1000 + register}`);
    const isRight = (register: number): boolean =>
      latest(`line/m${register}`, "activePower") === 1000 + register;
    await until("the values", () => registers.every(isRight));
    reports.length = 0;
    let failed = 0;
    let turn = 0;
    for (const seconds of [0.07, 0.05, 0.08]) {
      await slave.tell(`sleep ${seconds}`);
      for (let round = 0; round < 8; round++, turn++) {
        const native = `line/m${registers[turn % registers.length] ?? 0}`;
        if ((await codeOf(send(native, { type: "refresh" }))) !== undefined) failed += 1;
        if (turn % 3 === 0) await codeOf(set("line/lamp", { brightness: (100 + turn) / 1000 }));
      }
    }
    assert.ok(failed > 5, `the slave was too slow for only ${failed} reads`);
    await slave.tell("sleep 0");
    for (let round = 0; (await codeOf(set("line/lamp", { brightness: 0.9 }))) !== undefined; round++) {
      assert.ok(round < 200, "the slave is fast again, but commands fail");
      await passing(50);
    }
    // A command succeeds once the slave has accepted it. Without a timely read-back a poll reports the level.
    await until("the last level", () => latest("line/lamp", "brightness") === 0.9);
    for (const { native, attributes } of reports) {
      const power = attributes["activePower"];
      if (power !== undefined) assert.equal(power, 1000 + Number(native.slice("line/m".length)), native);
    }
    assert.ok(slave.written.every((line) => line.startsWith("1 holding 50 ")));
    const levels = slave.written.map((line) => Number(line.split(" ").at(-1)));
    const inOrder = levels.toSorted((a, b) => a - b);
    assert.deepEqual(levels, inOrder);
    const levelsShown = reports.flatMap(({ attributes }) => attributes["brightness"] ?? []);
    assert.ok(levelsShown.every((level) => level === 0 || levels.includes(Math.round(Number(level) * 1000))));
    assert.deepEqual(
      levelsShown,
      levelsShown.toSorted((a, b) => Number(a) - Number(b)),
      "a level was reported after a newer one",
    );
  });

  test("a busy slave stays reachable, a failing one does not", async (t) => {
    const { slave, set, latest, until, reports } = await start(t, [relay, meter("meter", 2, 10)]);
    await until(
      "both",
      () => latest("line/relay", "reachable") === true && latest("line/meter", "reachable") === true,
    );
    await slave.tell("exception 6");
    reports.length = 0;
    assert.equal(await codeOf(set("line/relay", { isOn: true })), "busy");
    await passing(400);
    assert.deepEqual(reports, []);
    await slave.tell("exception 4");
    await until(
      "both unreachable",
      () => latest("line/relay", "reachable") === false && latest("line/meter", "reachable") === false,
    );
    await slave.tell("exception 0");
    await until(
      "both back",
      () => latest("line/relay", "reachable") === true && latest("line/meter", "reachable") === true,
    );
    await slave.tell("exception 2 coil 3");
    assert.equal(await codeOf(set("line/relay", { isOn: true })), "refused");
    assert.deepEqual(slave.written, []);
  });

  test("a missing unit is unreachable and does not hold up the others", async (t) => {
    const { set, latest, until } = await start(t, [{ ...relay, id: "ghost", address: 9 }, relay]);
    await until(
      "a verdict on each",
      () => latest("line/ghost", "reachable") === false && latest("line/relay", "reachable") === true,
    );
    assert.equal(await codeOf(set("line/ghost", { isOn: true })), "timeout");
    assert.equal(await codeOf(set("line/relay", { isOn: true })), undefined);
  });
}

function serialSuite(): void {
  test("noise on the line corrupts no value", async (t) => {
    const { slave, cable, latest, until, reports, set } = await overRtu(t, [
      meter("a", 1, 10),
      meter("b", 2, 10),
      relay,
    ]);
    await slave.tell("set holding 10 111");
    await slave.tell("set holding 10 222 2");
    await until(
      "the values",
      () => latest("line/a", "activePower") === 111 && latest("line/b", "activePower") === 222,
    );
    reports.length = 0;
    // Starts of answers, a whole answer of a wrong length, and meaningless bytes.
    const noises = [
      "0103",
      "010302",
      "02030200",
      "0103027fff",
      "ff",
      "00".repeat(40),
      "010304000100020000",
      "0183",
      "0105000300",
    ];
    for (let round = 0; round < 60; round++) {
      cable.inject(Buffer.from(noises[round % noises.length] ?? "", "hex"));
      if (round % 10 === 0) await codeOf(set("line/relay", { isOn: round % 20 === 0 }));
      await passing(17);
    }
    for (const { native, attributes } of reports) {
      assert.ok(
        attributes["activePower"] === undefined ||
          attributes["activePower"] === (native === "line/a" ? 111 : 222),
        JSON.stringify(attributes),
      );
    }
    await slave.tell("set holding 10 333");
    await until("a value after the noise", () => latest("line/a", "activePower") === 333);
    for (let round = 0; (await codeOf(set("line/relay", { isOn: true }))) !== undefined; round++)
      assert.ok(round < 50);
    assert.equal(latest("line/relay", "isOn"), true);
  });

  test("recovers when a port is unplugged and plugged in again", async (t) => {
    const { slave, cable, latest, until, set, revive } = await overRtu(t, [relay]);
    await until("a first report", () => latest("line/relay", "reachable") === true);
    await cable.unplug();
    await until("unreachable", () => latest("line/relay", "reachable") === false);
    assert.equal(await codeOf(set("line/relay", { isOn: true })), "unreachable");
    await slave.kill();
    await cable.plug();
    const again = await revive();
    await until("reachable", () => latest("line/relay", "reachable") === true);
    await set("line/relay", { isOn: true });
    assert.deepEqual(again.written, ["1 coil 3 1"]);
  });

  test("opens a port for one process only", async (t) => {
    const { cable, latest, until } = await overRtu(t, [relay]);
    await until("a first report", () => latest("line/relay", "reachable") === true);
    const transport = { type: "rtu", path: cable.near };
    const second = await startRig({ ports: [{ ...usual, name: "second", transport, devices: [relay] }] });
    t.after(() => second.adapter.stop());
    await second.until("a verdict", () => second.latest("second/relay", "reachable") === false);
  });
}
