import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { limits, type Device, type Group } from "@ledge/model";
import type { Ieee } from "@ledge/testkit/zigbee";
import { devices, pairAll, serveStick, SimulatedAir, Stick, type ServedStick } from "@ledge/testkit/zigbee";
import { eventually, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";
import { zigbeeProfile } from "../testdata/zigbee-hub.ts";

const air = new SimulatedAir();
const lamp = devices.colorLamp("0x000b57fffe000001");
const other = devices.lamp("0x000b57fffe000002");
const motion = devices.motion("0x000b57fffe000003");
const wall = devices.wallSwitch("0x000b57fffe000004");
const home = [lamp, other, motion, wall];
const groupAddress = 7;

const temporary = temporaryFolder();
const folder = join(temporary.path, "zigbee2mqtt");
let served: ServedStick<Stick>;
let hub: HubProcess;
let key = "";

const call = <T>(method: string, path: string, body?: unknown): Promise<T> =>
  hub.done<T>(method, path, key, body);

/** Starts a hub on a data folder of its own. */
async function start(name: string): Promise<void> {
  const profile = zigbeeProfile(temporary.path, served);
  hub = await HubProcess.start(join(temporary.path, name), "--profile", profile);
  key = await hub.key();
}

/** Writes a data folder of Zigbee2MQTT around the files that zigbee-herdsman wrote for the hub. */
function writeFolder(library: string): void {
  mkdirSync(folder);
  const backup = readFileSync(join(library, "coordinator-backup.json"), "utf8");
  const { pan_id, extended_pan_id, channel, network_key } = JSON.parse(backup) as {
    pan_id: string;
    extended_pan_id: string;
    channel: number;
    network_key: { key: string };
  };
  const list = (hex: string): string =>
    [...Buffer.from(hex, "hex")].map((byte) => `    - ${byte}\n`).join("");
  const configuration = `version: 5
serial: {port: tcp://127.0.0.1:1, adapter: zstack}
advanced:
  network_key: '!secret network_key'
  pan_id: ${Number.parseInt(pan_id, 16)}
  ext_pan_id:
${list(extended_pan_id)}  channel: ${channel}
devices: devices.yaml
groups:
  '${groupAddress}':
    friendly_name: Living room
`;
  const names = { [lamp.ieee]: "Kitchen/ceiling", [other.ieee]: "Näyttö", [wall.ieee]: "Wall" };
  const table = Object.entries(names).map(([ieee, name]) => `'${ieee}':\n  friendly_name: ${name}\n`);
  const database = readFileSync(join(library, "database.db"), "utf8").trimEnd();
  const members = [lamp, other].map(({ ieee }) => ({ deviceIeeeAddr: ieee, endpointID: 11 }));
  const group = { id: 900, type: "Group", groupID: groupAddress, members, meta: {} };
  const files = {
    "configuration.yaml": configuration,
    "secret.yaml": `network_key:\n${list(network_key.key).replaceAll("    -", "  -")}`,
    "devices.yaml": table.join(""),
    "database.db": `${database}\n${JSON.stringify(group)}`,
    "coordinator_backup.json": backup,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

before(async () => {
  served = await serveStick(new Stick({ air }));
  await start("former");
  await pairAll(call, air, [lamp, other, motion]);
  await pairAll(call, air, [wall]);
  await hub.stop();
  writeFolder(join(temporary.path, "former", "adapters", "zigbee"));
  await start("data");
});

after(async () => {
  await served.close();
  await hub.stop();
  temporary.remove();
});

const importing = (...more: string[]): ReturnType<typeof ledge> =>
  ledge("import", "zigbee2mqtt", folder, "--data", hub.folder, ...more);
const all = async <T>(path: string): Promise<T[]> =>
  Object.values(await call<Record<string, T>>("GET", path));

async function deviceNamed(name: string, is: (state: Device["state"]) => boolean): Promise<Device> {
  return eventually(`the state of ${name}`, async () =>
    (await all<Device>("/devices")).find((device) => device.name === name && is(device.state)),
  );
}

test("a stick with the network of Zigbee2MQTT is left alone until its folder is imported", async () => {
  const { problem } = await eventually("the refusal of the stick", async () => {
    const status = await call<{ problem: string | null }>("GET", "/hub/zigbeestatus");
    return status.problem?.includes("holds another network") ? status : undefined;
  });
  assert.match(String(problem), /lost when a new one is formed/);
});

test("a dry run lists devices and groups, and changes nothing", async () => {
  const { code, stdout, stderr } = await importing("--dry-run");
  assert.equal(code, 0, stderr);
  for (const text of [
    "Kitchen/ceiling",
    "Näyttö",
    "Wall 2",
    "group Living room: 2 members",
    "nothing was changed",
  ])
    assert.ok(stdout.includes(text), `${text} in ${stdout}`);
  assert.deepEqual(await all("/devices"), []);
  assert.equal((await call<{ has_network: boolean }>("GET", "/hub/zigbeestatus")).has_network, false);
});

test("refuses folders that are damaged, hostile or of two networks, and changes nothing", async () => {
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  const files = Object.fromEntries(
    ["configuration.yaml", "secret.yaml", "devices.yaml", "database.db", "coordinator_backup.json"].map(
      (name) => [name, read(name)],
    ),
  );
  const refusals: readonly (readonly [change: Record<string, string | undefined>, says: RegExp])[] = [
    [{ "database.db": undefined }, /database\.db/],
    [{ "database.db": "{}" }, /database\.db line 1/],
    [{ "database.db": `${files["database.db"]}\nnot json` }, /is no JSON/],
    [{ "configuration.yaml": "a: &a [1]\nb: *a\n" }, /alias/],
    [{ "configuration.yaml": `a: ${"[".repeat(100)}` }, /nested/],
    [{ "configuration.yaml": "advanced: {network_key: GENERATE}" }, /has not formed a network/],
    [{ "secret.yaml": "network_key: [1, 2]" }, /network_key/],
    [{ "secret.yaml": `network_key: [${"9, ".repeat(15)}9]` }, /has another network_key/],
    [{ "devices.yaml": undefined }, /devices\.yaml/],
    [{ "coordinator_backup.json": "[]" }, /coordinator_backup\.json/],
    [{ "database.db": "x".repeat(limits.importChars) }, /longer than/],
  ];
  for (const [change, says] of refusals) {
    const body = { type: "ZIGBEE2MQTT_FOLDER", dryRun: false, files: { ...files, ...change } };
    const { status, json } = await hub.call("POST", "/hub/zigbeeimport", key, body);
    assert.equal(status, 422, JSON.stringify(json));
    assert.match(JSON.stringify(json), says);
  }
  assert.deepEqual(await all("/devices"), []);
  const { code } = await ledge("import", "zigbee2mqtt", temporary.path, "--data", hub.folder);
  assert.equal(code, 2, "a folder without the files");
  const links = join(temporary.path, "links");
  mkdirSync(links);
  symlinkSync(join(folder, "database.db"), join(links, "configuration.yaml"));
  assert.match((await ledge("import", "zigbee2mqtt", links, "--data", hub.folder)).stderr, /is no file/);
});

test("an import keeps network, names and groups, and no device joins anew", async () => {
  const { network } = served.stick;
  const addresses = home.map(({ ieee }) => air.nwkOf(ieee));
  const { code, stdout, stderr } = await importing();
  assert.equal(code, 0, stderr + stdout);
  assert.deepEqual(served.stick.network, network);
  assert.deepEqual(
    home.map(({ ieee }) => air.nwkOf(ieee)),
    addresses,
  );
  const names = (await all<Device>("/devices")).map(({ name }) => name).toSorted();
  assert.equal(names.length, 5);
  for (const name of ["Kitchen/ceiling", "Näyttö", "Wall", "Wall 2"]) assert.ok(names.includes(name), name);
  const [group] = await all<Group>("/groups");
  assert.deepEqual(
    [group?.name, group?.group_address, group?.members.length],
    ["Living room", groupAddress, 2],
  );
});

test("imported devices report, and follow commands to them and to their group", async () => {
  const { id } = await deviceNamed("Kitchen/ceiling", ({ reachable }) => reachable === true);
  await call("PUT", "/devices/command", [{ type: "CMD_DEVICE_ON", id }]);
  await deviceNamed("Kitchen/ceiling", ({ isOn }) => isOn === true);
  assert.ok(lamp.isOn);
  const [group] = await all<Group>("/groups");
  await call("PUT", "/groups/command", [{ type: "CMD_GROUP_ON", id: group?.id }]);
  await deviceNamed("Näyttö", ({ isOn }) => isOn === true);
  motion.alarm(true);
  await eventually(
    "motion",
    async () => (await all<Device>("/devices")).some(({ state }) => state["motion"] === true) || undefined,
  );
});

test("a second import adds nothing", async () => {
  const { length } = await all<Device>("/devices");
  assert.equal((await importing()).code, 0);
  assert.equal((await all<Device>("/devices")).length, length);
  assert.equal((await all<Group>("/groups")).length, 1);
});

test("a new stick gets the imported network from the backup of the folder", async () => {
  await hub.stop();
  await served.unplug();
  await start("fresh");
  const moved: Ieee = "0x00124b00000000aa";
  await served.plug(new Stick({ air, ieee: moved, seed: 5 }));
  await eventually(
    "a network",
    async () => (await call<{ connected: boolean }>("GET", "/hub/zigbeestatus")).connected || undefined,
  );
  const { code, stderr } = await importing();
  assert.equal(code, 0, stderr);
  const { id } = await deviceNamed("Näyttö", ({ reachable }) => reachable === true);
  await call("PUT", "/devices/command", [{ type: "CMD_DEVICE_OFF", id }]);
  await deviceNamed("Näyttö", ({ isOn }) => isOn === false);
});

test("a hub with devices in a network of its own refuses another network", async () => {
  const backup = JSON.parse(readFileSync(join(folder, "coordinator_backup.json"), "utf8")) as {
    network_key: { key: string };
  };
  const zeros = "00".repeat(16);
  writeFileSync(
    join(folder, "coordinator_backup.json"),
    JSON.stringify({ ...backup, network_key: { ...backup.network_key, key: zeros } }),
  );
  writeFileSync(join(folder, "secret.yaml"), `network_key: [${Array.from(zeros.slice(0, 16)).join(", ")}]\n`);
  const { code, stderr } = await importing();
  assert.equal(code, 3);
  assert.match(stderr, /network of its own/);
});
