import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryLog } from "@ledge/log";
import { features, limits, type LoggedEvent, roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import type { AdapterRequest, Asking, HubPorts, RequestOutcome } from "../ports.ts";
import { type Answer, openTestHub, type TestHub } from "../test-hub.ts";

interface Bench {
  readonly hub: TestHub;
  readonly asked: { request: AdapterRequest; asking: Asking }[];
  /** What the adapter answers. */
  outcome: RequestOutcome | undefined;
  send(path: string, body: unknown, key?: string): Promise<Answer>;
}

async function open(ports: Partial<HubPorts> = {}): Promise<Bench> {
  const asked: Bench["asked"] = [];
  const ask: HubPorts["ask"] = async (request, asking) => {
    asked.push({ request, asking });
    return bench.outcome;
  };
  const hub = await openTestHub(memoryLog(), new SimulatedClock(), { ports: { ask, ...ports } });
  const owner = await hub.sign();
  const bench: Bench = {
    hub,
    asked,
    outcome: undefined,
    send: (path, body, key = owner) => hub.api("local").send("POST", path, key, body),
  };
  return bench;
}

test("passes commands to the adapter unchanged, and its answer to the client", async () => {
  const bench = await open();
  bench.outcome = { answered: true, value: [{ nodeId: 5 }] };
  const command = { type: "ZWAVE_GET_NODES", nodeId: "7" };
  assert.deepEqual((await bench.send("/hub/protocolconfig", [command])).body, [{ nodeId: 5 }]);
  assert.deepEqual((await bench.send("/hub/protocolconfig", command)).body, [{ nodeId: 5 }]);
  const request = { type: "ZWAVE_GET_NODES", commands: [command] };
  assert.deepEqual(bench.asked[0], { request, asking: { among: "protocolCommands" } });
  bench.outcome = { answered: true, value: undefined };
  assert.equal((await bench.send("/hub/protocolconfig", [command])).body, null);
});

test("names the device of each Z-Wave node, and none of a node that the hub does not have", async () => {
  const bench = await open();
  const id = await bench.hub.addDevice({ protocol: "zwave", native: "c0de0001/5" });
  const removed = await bench.hub.addDevice({ protocol: "zwave", native: "c0de0001/7" });
  await bench.hub.run({ type: "REMOVE_DEVICE", id: removed });
  const nodes = [5, 6, 7].map((nodeId) => ({ nodeId, deviceId: null, native: `c0de0001/${nodeId}` }));
  bench.outcome = { answered: true, value: nodes };
  assert.deepEqual((await bench.send("/hub/protocolconfig", { type: "ZWAVE_GET_NODES" })).body, [
    { nodeId: 5, deviceId: id },
    { nodeId: 6, deviceId: null },
    { nodeId: 7, deviceId: null },
  ]);
});

test("limits the length of a command's type", async () => {
  const bench = await open();
  bench.outcome = { answered: true, value: true };
  const type = "X".repeat(limits.protocolCommandChars);
  assert.equal((await bench.send("/hub/protocolconfig", { type })).status, 200);
  assert.equal((await bench.send("/hub/protocolconfig", { type: `${type}X` })).status, 422);
});

for (const [code, status, message, problem] of [
  ["settings", 422, "[1].address: must be 1", { index: 1, field: "address", message: "must be 1" }],
  ["refused", 422, "name: is taken", { field: "name", message: "is taken" }],
  ["unsupported", 422, "nothing of the kind", undefined],
  ["timeout", 504, "address: 9 does not answer", undefined],
  ["unreachable", 503, "the modbus adapter is restarting", undefined],
  ["busy", 503, "busy", undefined],
] as const) {
  test(`answers an adapter's ${code} with ${status} and its message`, async () => {
    const bench = await open();
    bench.outcome = { answered: false, code, message };
    const answer = await bench.send("/hub/protocolconfig", [{ type: "PAIR_MODBUS" }]);
    const errors = problem === undefined ? {} : { errors: [problem] };
    assert.deepEqual([answer.status, answer.body], [status, { message, ...errors }]);
  });
}

test("records requests that make an adapter act, but not those that only read", async () => {
  const bench = await open({ offering: async (type) => (type === "ZWAVE_HEAL_NETWORK" ? [] : ["zwave"]) });
  bench.outcome = { answered: true, value: true };
  const send = (type: string): Promise<Answer> =>
    bench.send("/hub/protocolconfig", [{ type, pin: "canary", nodeId: 1 }]);
  for (const type of [
    "ZWAVE_START_INCLUSION",
    "GET_ZWAVE_INCLUSION_STATUS",
    "ZWAVE_GET_NODES",
    "ZWAVE_UI_GET_CONFIGURATION",
    "ZWAVE_CHECK_FAILED",
    "ZWAVE_HEAL_NETWORK",
    "ZWAVE_UI_SET_CONFIGURATION",
  ])
    assert.equal((await send(type)).status, 200);
  await bench.send("/hub/zigbeechannel?channel=11", undefined);
  await bench.send("/hub/pairIp", { ip: "10.0.0.9", username: "canary", password: "canary" });
  assert.equal((await bench.send("/hub/pairIp", { ip: "1.1.1.1" })).status, 422);
  const log = [...bench.hub.kernel.log.read()].flatMap(({ events }) => events);
  const records = log.filter(({ type }) => type === "AdapterAsked") as (LoggedEvent & { request: string })[];
  assert.deepEqual(
    records.map(({ request, origin }) => [request, origin]),
    ["ZWAVE_START_INCLUSION", "ZWAVE_UI_SET_CONFIGURATION", "SET_ZIGBEE", "CAMERA_AT_IP"].map((request) => [
      request,
      "user:owner",
    ]),
  );
  assert.doesNotMatch(JSON.stringify(log), /canary/);
});

test("only the owner may set up serial ports if PREMIUM is on", async () => {
  const settings = { baudrate: 9600, databits: 8, stopbits: 1, parity: "none" };
  const port = { type: "SERIAL_CONFIG", controllerType: "MODBUS_CONTROLLER", name: "line", settings };
  const bench = await open({
    offering: async () => ["modbus"],
    ask: async ({ type }) => ({ answered: true, value: type === "GET_SERIAL_PORTS" ? [port] : true }),
  });
  const { key } = await bench.hub.user(roles.USER_ADMIN);
  assert.equal((await bench.send("/hub/serialport", port, key)).body, true);
  assert.equal((await bench.send("/hub/serialport", { ...port, name: "other" }, key)).status, 422);
  const meter = { ...port, controllerType: "SERIAL_MBUS_CONTROLLER" };
  assert.equal((await bench.send("/hub/serialport", meter, key)).status, 422);
  await bench.hub.run({ type: "SET_FEATURES", id: bench.hub.hubId, features: [features.PREMIUM] });
  assert.equal((await bench.send("/hub/serialport", port, key)).status, 403);
  assert.equal((await bench.send("/hub/serialport", port)).body, true);
});

test("only the owner may choose radios if PREMIUM is on", async () => {
  const command = {
    type: "TAKE_STICK",
    id: "zigbee",
    port: "p",
    driver: "zstack",
    baudRate: null,
    rtscts: null,
  };
  const sticks = { list: async () => [], taking: async () => command };
  const bench = await open({ sticks });
  const { key } = await bench.hub.user(roles.USER_ADMIN);
  const wanted = { port: "p", protocol: "zigbee" };
  const send = async (method: string, path: string, as?: string, body?: unknown): Promise<number> =>
    (await bench.hub.api("local").send(method, path, as ?? (await bench.hub.sign()), body)).status;
  assert.equal(await send("POST", "/hub/stick", key, wanted), 200);
  await bench.hub.run({ type: "SET_FEATURES", id: bench.hub.hubId, features: [features.PREMIUM] });
  assert.equal(await send("POST", "/hub/stick", key, wanted), 403);
  assert.equal(await send("DELETE", "/hub/stick?protocol=zigbee", key), 403);
  assert.equal(await send("GET", "/hub/sticks", key), 200);
  assert.equal(await send("DELETE", "/hub/stick?protocol=zigbee"), 200);
});

test("asks a camera adapter instead of probing, and shows a host only if it found one", async () => {
  const bench = await open({ probe: async () => assert.fail("there is an adapter to ask") });
  const host = { name: "Camera" };
  const ask = async (): Promise<unknown> => {
    const { code, host: shown } = (await bench.send("/hub/pairIp", { ip: "10.0.0.9" })).body as {
      code: number;
      host: unknown;
    };
    return [code, shown];
  };
  for (const [code, shown] of [
    [0, host],
    [1, host],
    [10, null],
    [11, null],
    [14, null],
    [99, null],
  ] as const) {
    bench.outcome = { answered: true, value: { code, host } };
    assert.deepEqual(await ask(), [code, shown]);
  }
  bench.outcome = { answered: true, value: { code: 7, host } };
  assert.deepEqual(await ask(), [99, null]);
  bench.outcome = { answered: false, code: "timeout", message: "" };
  assert.deepEqual(await ask(), [12, null]);
});

/** The hub itself and its links, in every form that an address takes. */
const ownOrLink = [
  "127.0.0.1",
  "127.1.2.3:8893",
  "169.254.169.254",
  "::1",
  "[::1]:8893",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::7f00:1",
  "fe80::1",
  "[fe80::1%eth0]:80",
];

test("answers a probe with a code, and refuses addresses beyond the local network", async () => {
  const probed: string[] = [];
  for (const [found, code] of [
    ["answered", 10],
    ["timeout", 12],
    ["refused", 13],
    ["failed", 99],
  ] as const) {
    const probe: HubPorts["probe"] = async (address, port) => {
      probed.push(`${address} ${port}`);
      return found;
    };
    const bench = await open({ probe });
    for (const ip of ["192.168.1.5", "172.16.0.1:8080", "fd00::1", "[fd00::2]:81"])
      assert.equal(((await bench.send("/hub/pairIp", { ip })).body as { code: number }).code, code, ip);
    for (const ip of [
      "1.1.1.1",
      "172.15.0.1",
      "2001:db8::1",
      "0.0.0.0",
      "camera.local",
      "10.0.0.1:0",
      "::",
      ...ownOrLink,
    ])
      assert.equal((await bench.send("/hub/pairIp", { ip })).status, 422, ip);
  }
  assert.deepEqual(
    new Set(probed),
    new Set(["192.168.1.5 80", "172.16.0.1 8080", "fd00::1 80", "fd00::2 81"]),
  );
});

test("probes the hub's own addresses if the profile allows that", async () => {
  const probed: string[] = [];
  const probe: HubPorts["probe"] = async (address) => (probed.push(address), "answered");
  const bench = await open({ probe, mayAsk: () => true });
  assert.equal((await bench.send("/hub/pairIp", { ip: "127.0.0.1" })).status, 200);
  assert.deepEqual(probed, ["127.0.0.1"]);
});
