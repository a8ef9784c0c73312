import assert from "node:assert/strict";
import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { socketConsole } from "@ledge/host/cli/client";
import { type Device, limits } from "@ledge/model";
import type { ServedStick } from "@ledge/testkit/zigbee";
import { devices, pairAll, serveStick, SimulatedAir, Stick } from "@ledge/testkit/zigbee";
import {
  type Answer,
  eventually,
  type Finished,
  HubProcess,
  ledge,
  temporaryFolder,
} from "../testdata/hub-process.ts";
import { zigbeeProfile } from "../testdata/zigbee-hub.ts";

const air = new SimulatedAir();
const lamp = devices.colorLamp("0x000b57fffe000001");
const motion = devices.motion("0x000b57fffe000003");
const home = [lamp, motion];

const temporary = temporaryFolder();
const file = join(temporary.path, "coordinator.json");
let served: ServedStick<Stick>;
let hub: HubProcess;
let key = "";

const call = <T>(method: string, path: string, body?: unknown): Promise<T> =>
  hub.done<T>(method, path, key, body);

/** Starts a hub on a data folder of its own. */
async function start(name: string): Promise<void> {
  const profile = zigbeeProfile(temporary.path, served);
  hub = await HubProcess.start(join(temporary.path, name), "--profile", profile, "--log", "debug");
  key = await hub.key();
}

before(async () => {
  served = await serveStick(new Stick({ air }));
  await start("former");
  await pairAll(call, air, home);
});

after(async () => {
  await served.close();
  await hub.stop();
  temporary.remove();
});

const zigbee = (...args: string[]): Promise<Finished> => ledge("zigbee", ...args, "--data", hub.folder);
/** Sends a backup to the console, as the command does. */
const restoring = (body: object): Promise<Answer> =>
  socketConsole(hub.folder).call("POST", "/cc/1.14/console/zigbeerestore", {
    replace: true,
    dryRun: false,
    ...body,
  });
const status = (): Promise<{ connected: boolean; problem: string | null }> =>
  call("GET", "/hub/zigbeestatus");
const isUp = (): Promise<unknown> =>
  eventually("the network", async () => ((await status()).connected ? true : undefined));

/** The parts of a backup that the tests look at. */
interface Backup {
  readonly pan_id: string;
  readonly extended_pan_id: string;
  readonly network_key: { readonly key: string };
  readonly metadata: Readonly<Record<string, unknown>>;
}
const written = (): Backup => JSON.parse(readFileSync(file, "utf8")) as Backup;

test("writes the coordinator's state to a file that only its owner can read", async () => {
  const { code, stdout, stderr } = await zigbee("backup", file);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /2 devices, as of 2/);
  assert.match(stdout, /contains the keys/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const { network } = served.stick;
  const { pan_id, extended_pan_id, network_key } = written();
  assert.deepEqual(
    [Number.parseInt(pan_id, 16), extended_pan_id, network_key.key],
    [network?.panId, network?.extendedPanId, network?.key],
  );
  assert.ok(!stdout.includes(network_key.key));
});

test("replaces a file only with --force, and a link or a folder never", async () => {
  assert.match((await zigbee("backup", file)).stderr, /exists already/);
  writeFileSync(`${file}.new`, "");
  chmodSync(`${file}.new`, 0o666);
  assert.equal((await zigbee("backup", file, "--force")).code, 0);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const link = join(temporary.path, "link");
  symlinkSync(file, link);
  assert.match((await zigbee("backup", link, "--force")).stderr, /not a regular file/);
  assert.equal((await zigbee("backup", join(temporary.path, "nowhere", "x"))).code, 74);
  for (const args of [["backup"], ["restore", "a", "b"]])
    assert.equal((await zigbee(...args)).code, 2, args.join(" "));
});

test("keeps the key of the network out of the process log and the log of events", async () => {
  const { stdout } = await ledge("events", "tail", "--once", "--after", "0", "--json", "--data", hub.folder);
  assert.match(stdout, /"AdapterAsked".*GET_ZIGBEE_BACKUP/);
  const { code, stdout: printed, stderr } = await hub.stop();
  assert.equal(code, 0);
  const secret = written().network_key.key;
  for (const text of [stdout, printed, stderr]) assert.ok(!text.toLowerCase().includes(secret));
});

test("needs a running hub", async () => {
  const { code, stderr } = await zigbee("backup", file, "--force");
  assert.deepEqual([code, /no Zigbee adapter is running/.test(stderr)], [3, true], stderr);
});

test("a hub with another network refuses the backup unless it is told to replace its own", async () => {
  await served.unplug();
  await served.plug(new Stick({ air, ieee: "0x00124b0000000002", seed: 2 }));
  await start("data");
  await isUp();
  const present = served.stick.network;
  assert.notEqual(present?.extendedPanId, written().extended_pan_id);
  const { code, stderr } = await zigbee("restore", file);
  assert.equal(code, 3);
  assert.match(stderr, new RegExp(`replace: .*${written().extended_pan_id}.*${present?.extendedPanId}`));
  const dry = await zigbee("restore", file, "--replace", "--dry-run");
  assert.match(dry.stdout, /nothing was changed/);
  assert.deepEqual(served.stick.network, present);
});

test("refuses files that are no backups, and changes nothing", async () => {
  const present = served.stick.network;
  const good = written();
  const { network_key, ...keyless } = good;
  const rows: readonly (readonly [content: string | object, says: RegExp])[] = [
    ["", /is no JSON/],
    ["{", /is no JSON/],
    ["null", /no coordinator backup/],
    ["[]", /no coordinator backup/],
    [{}, /no coordinator backup/],
    [{ adapterType: "zStack", data: {} }, /no coordinator backup/],
    [{ ...good, metadata: { ...good.metadata, format: "zigpy/other" } }, /metadata\.format must be zigpy/],
    [{ ...good, metadata: { ...good.metadata, version: 2 } }, /metadata\.version must be 1/],
    [keyless, /network_key is missing/],
    [{ ...good, network_key: { ...network_key, key: undefined } }, /network_key\.key is missing/],
    [{ ...good, network_key: { ...network_key, key: "00" } }, /network_key\.key/],
    [{ ...good, pan_id: "ffff" }, /no PAN id/],
    [{ ...good, channel: 27 }, /channel/],
    [{ ...good, devices: [{}] }, /devices/],
    [{ ...good, stack_specific: { zstack: { tclk_seed: 7 } } }, /tclk_seed is no key/],
    [{ ...good, stack_specific: { ezsp: {} } }, /of the driver ember, and the hub's is zstack/],
    [{ ...good, more: "x".repeat(limits.importChars) }, /more than 900000/],
  ];
  for (const [content, says] of rows) {
    const backup = typeof content === "string" ? content : JSON.stringify(content);
    const { status: code, json } = await restoring({ backup });
    assert.equal(code, 422, backup.slice(0, 80));
    assert.match(JSON.stringify(json), says);
    assert.ok(!JSON.stringify(json).includes(network_key.key));
  }
  for (const body of [{ backup: 1 }, { backup: undefined }, { replace: "yes" }, { dryRun: null }])
    assert.equal((await restoring({ backup: JSON.stringify(good), ...body })).status, 422);
  assert.match((await zigbee("restore", temporary.path)).stderr, /is no file/);
  const wrong = join(temporary.path, "wrong.json");
  for (const content of [Uint8Array.of(0xff, 0xfe), "x".repeat(limits.importChars + 1)]) {
    writeFileSync(wrong, content);
    assert.equal((await zigbee("restore", wrong)).code, 2);
  }
  assert.deepEqual(served.stick.network, present);
});

/** Rewrites the backup as zigpy writes one: it tells another source and time, and no version of the stack. */
function asOfZigpy(): void {
  const backup = written();
  const internal = { creation_time: new Date().toISOString() };
  const metadata = { ...backup.metadata, source: "zigpy-znp@0.14.1", internal };
  writeFileSync(file, JSON.stringify({ ...backup, metadata }));
}

test("a new hub takes the network over with a new stick, and no device joins anew", async () => {
  const addresses = home.map(({ ieee }) => air.nwkOf(ieee));
  asOfZigpy();
  const { code, stdout, stderr } = await zigbee("restore", file, "--replace");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /The stick carries the network/);
  const { extended_pan_id, network_key } = written();
  assert.deepEqual(
    [served.stick.network?.extendedPanId, served.stick.network?.key],
    [extended_pan_id, network_key.key],
  );
  assert.equal(served.stick.ieee, "0x00124b0000000001", "the address that devices report to");
  air.log.clear();
  await takeOver();
  assert.deepEqual(
    home.map(({ ieee }) => air.nwkOf(ieee)),
    addresses,
  );
  for (const { ieee } of home)
    assert.equal(air.log.count({ from: ieee, cluster: 0x0013 }), 0, `${ieee} has not joined again`);
});

/** Keeps all devices in a scan. The sleeping one is found when it wakes. */
async function takeOver(): Promise<void> {
  const kept = new Set<string>();
  let moved = false;
  await eventually("both devices", async () => {
    motion.alarm((moved = !moved));
    const { devices: finds } = await call<{
      devices: readonly { readonly id: string; readonly pairingStatus: string }[];
    }>("GET", "/hub/scan?ts=0");
    for (const { id, pairingStatus } of finds) {
      if (pairingStatus !== "COMPLETE" || kept.has(id)) continue;
      await call("PUT", "/hub/scan", { type: "SET_SCAN_RESULT", id, ignored: false });
      kept.add(id);
    }
    return kept.size === home.length || undefined;
  });
  await call("GET", "/hub/stopscan");
}

const deviceOf = (type: string, is: (state: Device["state"]) => boolean): Promise<Device> =>
  eventually(`the state of the ${type}`, async () =>
    Object.values(await call<Record<string, Device>>("GET", "/devices")).find(
      (device) => device.type === type && is(device.state),
    ),
  );

test("the devices follow commands and report", async () => {
  const { id } = await deviceOf("LIGHT", ({ reachable }) => reachable === true);
  await call("PUT", "/devices/command", [{ type: "CMD_DEVICE_ON", id }]);
  await deviceOf("LIGHT", ({ isOn }) => isOn === true);
  assert.ok(lamp.isOn);
  motion.alarm(true);
  await deviceOf("MOTION", (state) => state["motion"] === true);
});

test("a backup of the present network is refused while the hub has a newer one, whatever its date", async () => {
  const { metadata, ...rest } = written();
  const internal = { ...(metadata["internal"] as object), date: new Date(Date.now() + 60_000) };
  const ahead = join(temporary.path, "ahead.json");
  writeFileSync(ahead, JSON.stringify({ ...rest, metadata: { ...metadata, internal } }));
  for (const older of [file, ahead]) {
    const { code, stderr } = await zigbee("restore", older);
    assert.deepEqual([code, /the same network, and a newer backup/.test(stderr)], [3, true], stderr);
  }
});

test("the newest backup of the same network is restored, and outlives a power failure", async () => {
  const next = join(temporary.path, "next.json");
  assert.equal((await zigbee("backup", next)).code, 0);
  const { code, stderr } = await zigbee("restore", next);
  assert.equal(code, 0, stderr);
  await hub.kill();
  hub = await HubProcess.start(hub.folder, "--profile", join(temporary.path, "bare.json"));
  await isUp();
  const { id } = await deviceOf("LIGHT", ({ reachable }) => reachable === true);
  await call("PUT", "/devices/command", [{ type: "CMD_DEVICE_OFF", id }]);
  await deviceOf("LIGHT", ({ isOn }) => isOn === false);
});
