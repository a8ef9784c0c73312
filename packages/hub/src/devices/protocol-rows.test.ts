import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { after, before, test } from "node:test";
import type { Device } from "@ledge/model";
import {
  type Answer,
  bareProfile,
  eventually,
  HubProcess,
  temporaryFolder,
} from "../testdata/hub-process.ts";

const folder = temporaryFolder();
const bareFolder = temporaryFolder();
let sim: HubProcess;
let bare: HubProcess;
const keys = new Map<HubProcess, string>();

before(async () => {
  sim = await HubProcess.start(folder.path);
  bare = await HubProcess.start(
    bareFolder.path,
    "--profile",
    bareProfile(bareFolder.path, { localTargets: true }),
  );
  for (const hub of [sim, bare]) keys.set(hub, await hub.key());
});

after(async () => {
  await Promise.all([sim.stop(), bare.stop()]);
  folder.remove();
  bareFolder.remove();
});

const call = (hub: HubProcess, method: string, path: string, body?: unknown): Promise<Answer> =>
  hub.call(method, path, keys.get(hub) ?? "", body);
const done = { status: 200, json: true };

/** Calls again until the adapter has started and the call is no longer refused. */
function started(hub: HubProcess): Promise<true> {
  return eventually("the adapter", async () => {
    const { json } = await call(hub, "GET", "/hub/zigbeestatus");
    return (json as { connected: boolean }).connected ? true : undefined;
  });
}

const named = (hub: HubProcess, name: string): Promise<Device> =>
  eventually(name, async () => {
    const { json } = await call(hub, "GET", "/devices");
    return Object.values(json as Record<string, Device>).find((device) => device.name === name);
  });

const noZwave = "this hub has no Z-Wave radio";
const inclusion = { type: "ZWAVE_INCLUSION_STATUS", status: "NO_ZWAVE", nodeId: null };
const exclusion = { ...inclusion, type: "ZWAVE_EXCLUSION_STATUS" };
const unknownNode = { status: 0xff, reason: noZwave };
const seventh = { nodeId: "7" };
const setting = { nodeId: 7, parameter: 3 };

/** All commands of wire-facts 2.1, and the answers of a hub without adapters. */
const withoutAdapter: readonly (readonly [type: string, fields: object, answer: unknown])[] = [
  ["ZWAVE_START_INCLUSION", {}, inclusion],
  ["GET_ZWAVE_INCLUSION_STATUS", {}, inclusion],
  ["ZWAVE_CANCEL_INCLUSION", {}, inclusion],
  ["ZWAVE_START_EXCLUSION", {}, exclusion],
  ["GET_ZWAVE_EXCLUSION_STATUS", {}, exclusion],
  ["ZWAVE_CANCEL_EXCLUSION", {}, exclusion],
  ["ZWAVE_HEAL", {}, inclusion],
  ["ZWAVE_GET_NODES", {}, []],
  ["ZWAVE_CHECK_FAILED", seventh, { type: "ZWAVE_CHECK_FAILED", nodeId: 7, isFailed: false, ...unknownNode }],
  ["ZWAVE_CHECK_FAILED", {}, { type: "ZWAVE_CHECK_FAILED", nodeId: null, isFailed: false, ...unknownNode }],
  ["ZWAVE_REMOVE_FAILED", seventh, { type: "ZWAVE_REMOVE_FAILED", nodeId: 7, ...unknownNode }],
  [
    "ZWAVE_UI_GET_CONFIGURATION",
    { ...seventh, parameter: "3" },
    { type: "ZWAVE_UI_GET_CONFIGURATION", ...setting, size: 0, value: null, ...unknownNode },
  ],
  [
    "ZWAVE_UI_SET_CONFIGURATION",
    { ...setting, size: 2, default: false, value: 5 },
    { type: "ZWAVE_UI_SET_CONFIGURATION", ...setting, size: 2, value: null, ...unknownNode },
  ],
  ["GET_MODBUS_PAIRINGS", {}, []],
  [
    "PAIR_MODBUS",
    { address: 2, deviceType: "RELAY", name: "x" },
    { type: "PAIR_MODBUS", message: "this hub has no Modbus adapter" },
  ],
  ["GET_MODBUS_TCP_MAPPINGS", {}, []],
  [
    "SET_MODBUS_TCP_MAPPINGS",
    { mappings: [] },
    { type: "SET_MODBUS_TCP_MAPPINGS", message: "this hub has no Modbus TCP server" },
  ],
];

for (const [type, fields, answer] of withoutAdapter) {
  test(`a hub without adapters answers ${type} ${JSON.stringify(fields)} with its empty form`, async () => {
    for (const body of [[{ type, ...fields }], { type, ...fields }])
      assert.deepEqual(await call(bare, "POST", "/hub/protocolconfig", body), { status: 200, json: answer });
  });
}

test("without an adapter, rows that read answer empty and rows that act answer 404", async () => {
  for (const type of ["ZWAVE_FLY", "PAIR_ANYTHING", "zwave_get_nodes", "constructor", "__proto__"])
    assert.equal((await call(bare, "POST", "/hub/protocolconfig", [{ type }])).status, 422, type);
  for (const [path, empty] of [
    ["/hub/zigbeescan", []],
    ["/bacnet/localdevicetypes", []],
    ["/bacnet/devices", {}],
  ] as const)
    assert.deepEqual(await call(bare, "GET", path), { status: 200, json: empty }, path);
  const map = (await call(bare, "GET", "/hub/zigbeemap")).json as { links: unknown; nodes: unknown };
  assert.deepEqual([map.links, map.nodes], [[], []]);
  const questions = [{ type: "CMD_SEARCH" }, { type: "CMD_GET_FNIP_CONFIGS" }];
  for (const question of questions)
    assert.deepEqual(await call(bare, "PUT", "/devices/command", [question]), { status: 200, json: [] });
  for (const [method, path, body] of [
    ["POST", "/hub/zigbeechannel?channel=11"],
    ["POST", "/hub/zigbeepower?power=3"],
    ["POST", "/hub/pairbridge"],
    ["POST", "/hub/pairaircon?hwId=x"],
    ["POST", "/bacnet/scan", {}],
    ["POST", "/bacnet/pair", { deviceId: 1, objectType: "analogInput", objectId: 1, capability: "X" }],
  ] as const) {
    const { status, json } = await call(bare, method, path, body);
    assert.equal(status, 404, path);
    assert.match((json as { message: string }).message, /^this hub /, path);
  }
  const { json } = await call(bare, "GET", "/hub/zigbeestatus");
  const { connected, has_network: hasNetwork, stats } = json as Record<string, unknown>;
  assert.deepEqual([connected, hasNetwork], [false, false]);
  assert.equal(Object.keys(stats as object).length, 18);
  assert.deepEqual((await call(bare, "GET", "/hub/433devices")).json, []);
  assert.equal((await call(bare, "POST", "/hub/pair433?device433=x")).status, 404);
  assert.deepEqual((await call(bare, "GET", "/hub/serialports")).json, []);
});

test("a hub that is asked to pair an air conditioner by its hardware id says how units are paired", async () => {
  for (const hub of [sim, bare]) {
    const { status, json } = await call(hub, "POST", "/hub/pairaircon?hwId=office");
    assert.equal(status, 404);
    assert.match(
      (json as { message: string }).message,
      /Modbus unit by PAIR_MODBUS .* topics of an MQTT unit/,
    );
    assert.equal((await call(hub, "POST", "/hub/pairaircon")).status, 422);
  }
});

test("a request holds one type, and only repeatable types repeat", async () => {
  const send = async (body: unknown): Promise<number> =>
    (await call(sim, "POST", "/hub/protocolconfig", body)).status;
  await started(sim);
  assert.equal(await send([]), 422);
  assert.equal(await send([{ type: "ZWAVE_HEAL" }, { type: "ZWAVE_GET_NODES" }]), 422);
  assert.equal(await send([{ type: "ZWAVE_HEAL" }, { type: "ZWAVE_HEAL" }]), 422);
  assert.equal(await send([{ nodeId: 1 }]), 422);
  assert.equal(await send([{ type: "SIM_PRESS_BUTTON", native: "nobody" }]), 422);
});

test("the Zigbee settings are checked against their bounds and survive a restart", async () => {
  await started(sim);
  for (const path of [
    "/hub/zigbeechannel?channel=10",
    "/hub/zigbeechannel?channel=27",
    "/hub/zigbeechannel?channel=x",
    "/hub/zigbeechannel",
    "/hub/zigbeepower?power=2",
    "/hub/zigbeepower?power=9",
  ])
    assert.equal((await call(sim, "POST", path)).status, 422, path);
  const settings = { type: "ZIGBEE_NETWORK_SETTINGS", channel: 20, power: 8, ignore_reachability: true };
  assert.equal((await call(sim, "POST", "/hub/zigbeesettings", { ...settings, channel: 9 })).status, 422);
  assert.deepEqual(await call(sim, "POST", "/hub/zigbeesettings", settings), done);
  assert.deepEqual(await call(sim, "POST", "/hub/zigbeechannel?channel=26"), done);
  assert.deepEqual(await call(sim, "POST", "/hub/zigbeepower?power=3"), done);
  const key = keys.get(sim) ?? "";
  await sim.stop();
  sim = await HubProcess.start(folder.path);
  keys.set(sim, key);
  await started(sim);
  const { json } = await call(sim, "GET", "/hub/zigbeestatus");
  const { channel, power, ignore_reachability: ignores } = json as Record<string, unknown>;
  assert.deepEqual([channel, power, ignores], [26, 3, true]);
  assert.equal(((await call(sim, "GET", "/hub/zigbeescan")).json as object[]).length, 16);
});

test("the Zigbee map names the hub's devices", async () => {
  await started(sim);
  const lamp = await named(sim, "Living room ceiling");
  const { json } = await call(sim, "GET", "/hub/zigbeemap");
  const { type, complete, nodes, links } = json as {
    type: string;
    complete: boolean;
    nodes: { ieee: string; name: string | null; deviceIds: string[] }[];
    links: { from: string; to: string }[];
  };
  assert.deepEqual([type, complete], ["ZIGBEE_NETWORK_MAP", true]);
  assert.equal(nodes[0]?.name, null);
  const node = nodes.find(({ name }) => name === "Living room ceiling");
  assert.deepEqual(node?.deviceIds, [lamp.id]);
  assert.ok(links.some(({ to }) => to === node?.ieee));
});

test("a 433 MHz device is paired by its kind", async () => {
  await started(sim);
  const [kind] = (await call(sim, "GET", "/hub/433devices")).json as { id: string; type: string }[];
  assert.equal(kind?.type, "433_PAIR_INFO");
  assert.equal((await call(sim, "POST", "/hub/pair433?device433=nothing")).status, 404);
  assert.deepEqual(await call(sim, "POST", `/hub/pair433?device433=${kind?.id}`), done);
  const { id } = await named(sim, "433 MHz plug");
  await call(sim, "PUT", "/devices/command", [{ type: "CMD_DEVICE_ON", id }]);
  await eventually("the plug, on", async () =>
    (await named(sim, "433 MHz plug")).state["isOn"] === true ? true : undefined,
  );
});

test("BACnet: settings and defaults are stored, and a device is found and paired", async () => {
  await started(sim);
  const { json: fresh } = await call(sim, "GET", "/bacnet/settings");
  const { port, broadcast, bacnetEnabled } = fresh as Record<string, unknown>;
  assert.deepEqual([port, broadcast, bacnetEnabled], [47_808, true, false]);
  const own = { type: "BACNET_SETTINGS", bacnetEnabled: true, deviceId: 7, deviceName: "Cabin", port: 1025 };
  assert.equal((await call(sim, "POST", "/bacnet/settings", { ...own, port: 1024 })).status, 422);
  assert.deepEqual(await call(sim, "POST", "/bacnet/settings", own), done);
  assert.deepEqual((await call(sim, "GET", "/bacnet/settings")).json, { ...own, broadcast: true });
  assert.equal((await call(sim, "POST", "/bacnet/device", { id: "x" })).status, 422);
  assert.deepEqual(await call(sim, "POST", "/bacnet/defaultsettings"), done);
  assert.deepEqual((await call(sim, "GET", "/bacnet/settings")).json, {
    ...(fresh as object),
    bacnetEnabled: true,
  });
  assert.equal(Object.keys((await call(sim, "GET", "/bacnet/objecttypes")).json as object).length, 9);
  assert.deepEqual((await call(sim, "GET", "/bacnet/devices")).json, {});
  assert.deepEqual(await call(sim, "POST", "/bacnet/scan", { type: "SCAN_BACNET_DEVICE" }), done);
  const hosts = async (): Promise<Record<string, unknown>[]> =>
    Object.values(
      (await call(sim, "GET", "/bacnet/devices")).json as Record<string, Record<string, unknown>>,
    );
  const [host] = await hosts();
  assert.ok(host);
  assert.equal(host["alreadyPaired"], false);
  const { deviceId, objectType, objectId, possibleDevices } = host;
  const [capability] = possibleDevices as string[];
  const pair = { type: "PAIR_BACNET_DEVICE", deviceId, objectType, objectId, capability };
  assert.equal((await call(sim, "POST", "/bacnet/pair", { ...pair, objectId: 99 })).status, 422);
  assert.deepEqual(await call(sim, "POST", "/bacnet/pair", pair), done);
  await eventually("its temperature", async () =>
    typeof (await named(sim, "Supply air")).state["temperature"] === "number" ? true : undefined,
  );
  assert.equal((await hosts())[0]?.["alreadyPaired"], true);
});

test("looks for a camera at an address, and only at addresses of the local network", async (t) => {
  const server = createServer((socket) => socket.resume().end("HTTP/1.1 404 None\r\n\r\n")).listen(
    0,
    "127.0.0.1",
  );
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const ask = (ip: string): Promise<Answer> =>
    call(bare, "POST", "/hub/pairIp", { type: "CAMERA_AT_IP", ip, username: "u", password: "p" });
  const found = await ask(`127.0.0.1:${port}`);
  assert.equal(found.status, 200);
  assert.deepEqual(found.json, {
    type: "CAMERA_HOST_AT_IP_STATUS",
    code: 10,
    message: "The device answers, but it is not supported.",
    host: null,
  });
  server.close();
  await once(server, "close");
  assert.equal(((await ask(`127.0.0.1:${port}`)).json as { code: number }).code, 13);
  for (const ip of [
    "8.8.8.8",
    "example.org",
    "localhost",
    "172.32.0.1",
    "::ffff:8.8.8.8",
    "10.0.0.1:99999",
    "",
  ])
    assert.equal((await ask(ip)).status, 422, ip);
});
