import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { AdapterErrorCode, Report } from "@ledge/port";
import type { Rig } from "./testdata/rig.ts";
import { codeOf, passing, pump, startRig } from "./testdata/rig.ts";
import type { Slave } from "./testdata/slave.ts";
import { startSlave } from "./testdata/slave.ts";

const relay = { ...pump, id: "relay", name: "Relay", pollMs: 20 };
const inverted = { ...relay, id: "inverted", register: 7, registerType: "holding", normallyOff: false };
const signal = { ...relay, id: "signal", deviceType: "SIGNAL", register: 11, registerType: "discrete" };
const climate = {
  id: "climate",
  address: 2,
  name: "Climate",
  deviceType: "REGISTERS",
  class: "THERMOSTAT",
  pollMs: 20,
  points: [
    { attribute: "temperature", table: "input", register: 100, type: "s16", scale: 0.1 },
    {
      attribute: "targetTemperature",
      table: "holding",
      register: 200,
      type: "f32",
      wordOrder: "little",
      writable: true,
    },
    { attribute: "heatingDemand", table: "input", register: 102, type: "u16", unit: "%" },
    { attribute: "mode", table: "holding", register: 210, type: "u16", writable: true },
  ],
};

async function rig(
  t: TestContext,
  devices: readonly object[],
  options: object = {},
): Promise<Rig & { slave: Slave }> {
  const slave = await startSlave();
  const transport = { type: "tcp", host: "127.0.0.1", port: slave.port };
  const running = await startRig({
    ports: [{ name: "box", transport, timeoutMs: 1000, devices, ...options }],
  });
  t.after(async () => {
    await running.adapter.stop();
    await slave.down();
  });
  return { ...running, slave };
}

test("reports a serial port that is not plugged in", async (t) => {
  const transport = { type: "rtu", path: "/dev/serial/by-id/usb-gone-if00", baudRate: 9600 };
  const running = await startRig({ ports: [{ name: "box", transport, devices: [relay] }] });
  t.after(() => running.adapter.stop());
  const [port] = (await running.ask({ type: "GET_SERIAL_PORTS" })) as { description: string }[];
  assert.equal(port?.description, "/dev/serial/by-id/usb-gone-if00, not plugged in");
});

test("reads each value from its table and register", async (t) => {
  const { slave, latest, until } = await rig(t, [relay, inverted, signal, climate]);
  slave.unit(1).coils[3] = 1;
  slave.unit(1).discretes[11] = 1;
  slave.unit(2).input[100] = 0xffd3;
  slave.unit(2).input[102] = 75;
  slave.unit(2).holding[200] = 0x6666;
  slave.unit(2).holding[201] = 0x41aa;
  slave.unit(2).holding[210] = 2;
  await until("the last value", () => latest("box/climate", "mode") === 2);
  await until(
    "the other values",
    () => latest("box/signal", "isOn") === true && latest("box/relay", "isOn") === true,
  );
  assert.equal(latest("box/inverted", "isOn"), true, "on while its register is 0");
  assert.equal(latest("box/climate", "temperature"), -4.5);
  assert.equal(latest("box/climate", "targetTemperature"), 21.3);
  assert.equal(latest("box/climate", "heatingDemand"), 0.75);
});

test("writes a command's registers and reports what it reads back", async (t) => {
  const { slave, set, reports, until } = await rig(t, [relay, inverted, climate], {
    devices: [relay, inverted, climate],
  });
  await until("first reports", () => reports.length >= 3);
  reports.length = 0;
  await set("box/relay", { isOn: true });
  assert.equal(slave.unit(1).coils[3], 1);
  await set("box/inverted", { isOn: true });
  assert.equal(slave.unit(1).holding[7], 0);
  await set("box/inverted", { isOn: false });
  assert.equal(slave.unit(1).holding[7], 1);
  await set("box/climate", { targetTemp: 21.3, targetTemperature: 21.3, mode: 3 });
  assert.deepEqual([...slave.unit(2).holding.subarray(200, 202)], [0x6666, 0x41aa]);
  assert.equal(slave.unit(2).holding[210], 3);
  // Polls between the commands repeat unchanged values.
  const saidOf = (device: string): string[] =>
    reports
      .filter(({ native }) => native === device)
      .map(({ attributes }) => JSON.stringify(attributes))
      .filter((said, at, all) => said !== all[at - 1]);
  assert.deepEqual(saidOf("box/relay").slice(-1), ['{"isOn":true}']);
  assert.deepEqual(saidOf("box/inverted").slice(-2), ['{"isOn":true}', '{"isOn":false}']);
  const writes = slave.requests
    .filter(({ code }) => code > 4)
    .map(({ code, register }) => `${code} ${register}`);
  assert.deepEqual(writes, ["5 3", "6 7", "6 7", "16 200", "6 210"]);
});

test("confirms a command that changes nothing", async (t) => {
  const { set, reports, until } = await rig(t, [{ ...relay, pollMs: 10_000 }]);
  await until("a first report", () => reports.length === 1);
  await set("box/relay", { isOn: false });
  assert.deepEqual(reports[1]?.attributes, { isOn: false });
});

test("reports the true state of a device that acknowledges but does not obey", async (t) => {
  const { slave, set, reports } = await rig(t, [{ ...relay, pollMs: 10_000 }]);
  slave.behaviour.ignoresWrites = true;
  await set("box/relay", { isOn: true });
  assert.deepEqual(reports.at(-1)?.attributes["isOn"], false);
});

test("reports the written value of a register that cannot be read", async (t) => {
  const { slave, set, reports } = await rig(t, [{ ...relay, pollMs: 10_000 }]);
  slave.behaviour.refuse = ({ code }) => (code === 1 ? 2 : 0);
  await set("box/relay", { isOn: true });
  assert.equal(slave.unit(1).coils[3], 1);
  assert.equal(reports.at(-1)?.attributes["isOn"], true);
});

test("falls back to the function for several registers when a device refuses the single one", async (t) => {
  const { slave, set } = await rig(t, [relay, inverted]);
  slave.behaviour.refuse = ({ code }) => (code === 5 || code === 6 ? 1 : 0);
  await set("box/relay", { isOn: true });
  await set("box/inverted", { isOn: false });
  assert.equal(slave.unit(1).coils[3], 1);
  assert.equal(slave.unit(1).holding[7], 1);
});

const refusals: readonly [exception: number, code: AdapterErrorCode][] = [
  [1, "unsupported"],
  [2, "refused"],
  [3, "refused"],
  [4, "unreachable"],
  [5, "busy"],
  [6, "busy"],
  [10, "unreachable"],
  [11, "unreachable"],
];

for (const [exception, code] of refusals) {
  test(`exception ${exception} on a write fails the command as ${code}`, async (t) => {
    const { slave, set } = await rig(t, [relay]);
    slave.behaviour.refuse = ({ code: asked }) => (asked > 4 ? exception : 0);
    assert.equal(await codeOf(set("box/relay", { isOn: true })), code);
    assert.equal(slave.unit(1).coils[3], 0);
  });
}

test("refuses unsupported commands before it writes anything", async (t) => {
  const { slave, set, send } = await rig(t, [relay, signal, climate]);
  assert.equal(await codeOf(set("box/signal", { isOn: true })), "unsupported");
  assert.equal(await codeOf(set("box/relay", { brightness: 1 })), "unsupported");
  assert.equal(await codeOf(set("box/relay", {})), "unsupported");
  assert.equal(await codeOf(set("box/climate", { mode: 3, temperature: 20 })), "unsupported");
  assert.equal(await codeOf(set("box/climate", { mode: 3, targetTemperature: 1000 })), "refused");
  assert.equal(await codeOf(set("box/climate", { mode: Number.NaN })), "refused");
  for (const type of ["identify", "snapshot"] as const)
    assert.equal(await codeOf(send("box/relay", { type })), "unsupported");
  assert.equal(await codeOf(send("box/nothing", { type: "refresh" })), "refused");
  assert.deepEqual(
    slave.requests.filter(({ code }) => code > 4),
    [],
  );
});

test("fails a command as timeout without an answer and as unreachable without a line", async (t) => {
  const { slave, set } = await rig(t, [{ ...relay, pollMs: 10_000 }]);
  slave.behaviour.delay = () => Infinity;
  assert.equal(await codeOf(set("box/relay", { isOn: true })), "timeout");
  slave.behaviour.hangsUp = true;
  assert.equal(await codeOf(set("box/relay", { isOn: true })), "unreachable");
  await slave.down();
  assert.equal(await codeOf(set("box/relay", { isOn: true })), "unreachable");
});

test("never takes a late answer for the answer to another request", async (t) => {
  const devices = Array.from({ length: 12 }, (_, index) => ({
    id: `m${index}`,
    address: 1 + (index % 3),
    name: `M${index}`,
    deviceType: "REGISTERS",
    class: "POWER_SOCKET",
    pollMs: 20,
    points: [{ attribute: "activePower", table: "holding", register: index * 100, type: "u16" }],
  }));
  const { slave, reports, set, latest } = await rig(t, [...devices, relay], {
    timeoutMs: 40,
    unreachableAfter: 100,
  });
  for (const { address, points } of devices) {
    for (const { register } of points) slave.unit(address).holding[register] = 5000 + register;
  }
  let seed = 1;
  const delays: number[] = [];
  slave.behaviour.delay = () => {
    seed = (seed * 48_271) % 0x7fff_ffff;
    const delay = [0, 20, 0, 0, 90, 0, 0, 0, 60, 0][seed % 10] ?? 0;
    delays.push(delay);
    return delay;
  };
  const values = (): Report[] => reports.filter(({ attributes }) => "activePower" in attributes);
  const seen = (): number => new Set(values().map(({ native }) => native)).size;
  const late = (): number => delays.filter((delay) => delay > 40).length;
  for (let round = 0; round < 1000 && (seen() < 12 || late() < 20); round++) {
    await codeOf(set("box/relay", { isOn: round % 2 === 0 }));
    await passing(20);
  }
  assert.equal(seen(), 12, "every device was read");
  assert.ok(late() >= 5, `${late()} answers came late`);
  for (const { native, attributes } of values()) {
    const index = Number(native.slice("box/m".length));
    assert.equal(attributes["activePower"], 5000 + index * 100, native);
  }
  assert.equal(typeof latest("box/relay", "isOn"), "boolean");
});

test("sends one request at a time, however many commands arrive", async (t) => {
  const { slave, set } = await rig(t, [relay, inverted, climate]);
  slave.behaviour.delay = () => 5;
  await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      set(index % 2 === 0 ? "box/relay" : "box/inverted", { isOn: index % 3 === 0 }),
    ),
  );
  assert.equal(slave.mostAtOnce(), 1);
});

test("a blind accepts a command under either name of its position", async (t) => {
  const point = {
    attribute: "position",
    table: "holding",
    register: 5,
    type: "u16",
    scale: 0.001,
    writable: true,
  };
  const blind = { ...climate, id: "blind", class: "BLINDS", points: [point] };
  const { slave, set } = await rig(t, [blind]);
  await set("box/blind", { liftPct: 40 });
  assert.equal(slave.unit(2).holding[5], 400);
  await set("box/blind", { position: 0.25, liftPct: 80 });
  assert.equal(slave.unit(2).holding[5], 250, "the attribute of its own register wins");
  assert.equal(await codeOf(set("box/blind", { tiltPct: 5 })), "unsupported");
});

test("refresh reports every attribute again", async (t) => {
  const { send, reports, until } = await rig(t, [{ ...climate, pollMs: 10_000 }]);
  await until("a first report", () => reports.length === 1);
  await send("box/climate", { type: "refresh" });
  assert.deepEqual(Object.keys(reports[1]?.attributes ?? {}).toSorted(), [
    "heatingDemand",
    "mode",
    "reachable",
    "targetTemperature",
    "temperature",
  ]);
});

test("backs off from a server that accepts connections and hangs up", async (t) => {
  const { slave, reports, until } = await rig(t, [relay], { unreachableAfter: 2 });
  slave.behaviour.hangsUp = true;
  await until("an unreachable device", () => reports.at(-1)?.attributes["reachable"] === false);
  slave.requests.length = 0;
  await passing(1000);
  assert.ok(slave.requests.length <= 2, `${slave.requests.length} attempts in a second`);
});

test("restores its devices after stop and start", async (t) => {
  const { adapter, slave, reports, until, set, restart } = await rig(t, [relay]);
  await until("a first report", () => reports.length > 0);
  await adapter.stop();
  assert.equal(await codeOf(set("box/relay", { isOn: true })), "stopped");
  reports.length = 0;
  await restart();
  await set("box/relay", { isOn: true });
  assert.equal(slave.unit(1).coils[3], 1);
});

test("refuses commands to a forgotten device", async (t) => {
  const { adapter, set } = await rig(t, [relay]);
  await adapter.forget?.("box/relay");
  await adapter.forget?.("box/never-known");
  assert.equal(await codeOf(set("box/relay", { isOn: true })), "refused");
});
