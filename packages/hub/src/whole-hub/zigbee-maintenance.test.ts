import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Device, Group, Why } from "@ledge/model";
import type { Ieee } from "@ledge/testkit/zigbee";
import {
  devices,
  GreenPowerSwitch,
  otaImage,
  pairAll,
  ProxyLamp,
  serveStick,
  type ServedStick,
  SimulatedAir,
  Stick,
} from "@ledge/testkit/zigbee";
import { eventually, HubProcess, temporaryFolder } from "../testdata/hub-process.ts";
import { zigbeeProfile } from "../testdata/zigbee-hub.ts";

const groupsCluster = 0x0004;
const installCode = "83fed3407a939723a5c639b26916d505c3b5";
const lamp = devices.unknownLamp("0x000b57fffe000001");
const other = devices.unknownLamp("0x000b57fffe000002");
const remote = devices.unknownRemote("0x000b57fffe000003");
const far = devices.unknownLamp("0x000b57fffe000004");
const coded = devices.unknownLamp("0x000b57fffe000005");
const siren = devices.siren("0x000b57fffe000007");
const product = { manufacturer: "Nobody", model: "Proxy1" };
const proxy = new ProxyLamp({ ieee: "0x000b57fffe000008", manufacturerCode: 0x1037, product });
/** EnOcean's PTM 215Z, by its source id. */
const wall = new GreenPowerSwitch(0x0171_2345, randomBytes(16));
const sensor = devices.upgradableContact("0x000b57fffe000009");
const loose = devices.unknownLamp("0x000b57fffe000006");

const air = new SimulatedAir();
const folder = temporaryFolder();
let served: ServedStick<Stick>;
let hub: HubProcess;
let sirenId = "";
let sensorId = "";
let key = "";

const call = <T>(method: string, path: string, body?: unknown): Promise<T> =>
  hub.done<T>(method, path, key, body);

/** Sends a protocol command and returns its answer. */
const ask = <T>(type: string, fields: object = {}): Promise<T> =>
  call("POST", "/hub/protocolconfig", [{ type, ...fields }]);

/** Sends a protocol command that the hub must refuse, and returns status and message. */
async function refused(type: string, fields: object): Promise<string> {
  const { status, json } = await hub.call("POST", "/hub/protocolconfig", key, [{ type, ...fields }]);
  return `${status} ${(json as { message: string }).message}`;
}

before(async () => {
  served = await serveStick(new Stick({ air }));
  hub = await HubProcess.start(folder.path, "--profile", zigbeeProfile(folder.path, served));
  key = await hub.key();
  siren.warning.set({ maxDuration: 2 });
  const ids = await pairAll(call, air, [lamp, other, remote, siren, proxy, sensor]);
  sirenId = ids.get(siren.ieee) ?? "";
  sensorId = ids.get(sensor.ieee) ?? "";
});

after(async () => {
  await served.close();
  await hub.stop();
  folder.remove();
});

interface Bindings {
  readonly isRead: boolean;
  readonly isSetUp: boolean;
  readonly bindings: readonly { endpoint: number; cluster: string; to: unknown; byHand: boolean }[];
  readonly reporting: readonly { cluster: string; attribute: string; maxSeconds: number; byHand: boolean }[];
}

const bindingsOf = ({ ieee }: { ieee: Ieee }): Promise<Bindings> =>
  ask("ZIGBEE_GET_BINDINGS", { device: ieee });

function setUp(device: { ieee: Ieee }): Promise<Bindings> {
  return eventually(`the set-up of ${device.ieee}`, async () => {
    const found = await bindingsOf(device);
    return found.isSetUp ? found : undefined;
  });
}

test("lists the bindings that a device has, and makes and removes them by hand", async () => {
  const { isRead, bindings } = await setUp(lamp);
  assert.ok(isRead);
  assert.ok(bindings.some(({ cluster, to, byHand }) => cluster === "genOnOff" && to === "hub" && !byHand));
  const binding = { device: lamp.ieee, endpoint: 1, cluster: "genOnOff", to: { group: 9 } };
  assert.deepEqual(await ask("ZIGBEE_BIND", binding), { state: "DONE" });
  assert.ok(air.node(lamp.ieee).bindings.some(({ to }) => "group" in to && to.group === 9));
  const made = (await bindingsOf(lamp)).bindings.find(({ byHand }) => byHand);
  assert.deepEqual(made?.to, { group: 9 });
  assert.deepEqual(await ask("ZIGBEE_UNBIND", binding), { state: "DONE" });
  assert.ok((await bindingsOf(lamp)).bindings.every(({ to }) => to === "hub"));
});

test("a binding of a sleeping remote is made when it wakes", async () => {
  const to = { device: lamp.ieee, endpoint: 1 };
  await setUp(remote);
  air.sleep(remote.ieee);
  const binding = { device: remote.ieee, endpoint: 1, cluster: "genOnOff", to };
  assert.deepEqual(await ask("ZIGBEE_BIND", binding), { state: "WAITING" });
  await eventually("the binding", async () => {
    remote.press("on");
    return (
      air.node(remote.ieee).bindings.some(({ to: end }) => "ieee" in end && end.ieee === lamp.ieee) ||
      undefined
    );
  });
});

test("sets and removes reporting by hand", async () => {
  const at = { device: lamp.ieee, endpoint: 1, cluster: "genOnOff", attribute: "onOff" };
  const reporting = { ...at, minSeconds: 5, maxSeconds: 120, change: 0 };
  assert.deepEqual(await ask("ZIGBEE_SET_REPORTING", reporting), { state: "DONE" });
  const found = (await bindingsOf(lamp)).reporting.find(({ attribute }) => attribute === "onOff");
  assert.deepEqual([found?.maxSeconds, found?.byHand], [120, true]);
  assert.deepEqual(await ask("ZIGBEE_REMOVE_REPORTING", at), { state: "DONE" });
  assert.ok((await bindingsOf(lamp)).reporting.every(({ attribute }) => attribute !== "onOff"));
});

test("refuses bindings and reporting of what is not there", async () => {
  const good = { device: lamp.ieee, endpoint: 1, cluster: "genOnOff", to: "hub" };
  assert.match(await refused("ZIGBEE_BIND", { ...good, device: "0x1" }), /^422 .*not in the network/);
  assert.match(await refused("ZIGBEE_BIND", { ...good, endpoint: 7 }), /no endpoint 7/);
  assert.match(await refused("ZIGBEE_BIND", { ...good, cluster: "hvacFanCtrl" }), /no hvacFanCtrl/);
  assert.match(await refused("ZIGBEE_BIND", { ...good, cluster: "nonsense" }), /^422 /);
  assert.match(await refused("ZIGBEE_BIND", { ...good, to: { group: 70_000 } }), /^422 /);
  assert.match(
    await refused("ZIGBEE_BIND", { ...good, to: { device: "0x2", endpoint: 1 } }),
    /not in the network/,
  );
  assert.match(await refused("ZIGBEE_BIND", { device: lamp.ieee }), /^422 /);
  const report = { device: lamp.ieee, endpoint: 1, cluster: "genOnOff", attribute: "onOff", change: 0 };
  const backwards = { ...report, minSeconds: 10, maxSeconds: 5 };
  assert.match(await refused("ZIGBEE_SET_REPORTING", backwards), /minSeconds/);
  const unknown = { ...report, attribute: "colour", minSeconds: 1, maxSeconds: 5 };
  assert.match(await refused("ZIGBEE_SET_REPORTING", unknown), /no colour/);
});

test("groups on the air are listed and mended", async () => {
  const members = (await call<Record<string, Device>>("GET", "/devices")) satisfies object;
  const lamps = Object.values(members).filter(({ type }) => type === "LIGHT");
  await call("PUT", "/groups", [{ type: "CMD_GROUP", name: "Lamps", members: lamps.map(({ id }) => id) }]);
  const address = await eventually("the group on the air", async () => {
    const [group] = Object.values(await call<Record<string, Group>>("GET", "/groups"));
    const { group_address: found = 0 } = group ?? {};
    return [lamp, other].every((each) => each.groupsOf(1).has(found)) ? found : undefined;
  });
  const membership = lamp.endpoints[0]?.cluster(groupsCluster, "server");
  assert.ok(membership && "forget" in membership);
  membership.forget();
  joinGroup(other, 77);
  const audits =
    await ask<readonly { device: string; missing: { address: number }[]; foreign: number[] }[]>(
      "ZIGBEE_GET_GROUPS",
    );
  const of = ({ ieee }: { ieee: Ieee }) => audits.find(({ device }) => device === ieee);
  assert.deepEqual(
    of(lamp)?.missing.map((each) => each.address),
    [address],
  );
  assert.deepEqual(of(other)?.foreign, [77]);
  await ask("ZIGBEE_MEND_GROUPS");
  await eventually(
    "the mended groups",
    async () => (lamp.groupsOf(1).has(address) && !other.groupsOf(1).has(77)) || undefined,
  );
  assert.ok(other.groupsOf(1).has(address));
});

/** Puts a lamp into a group behind the hub's back. */
function joinGroup(device: typeof lamp, group: number): void {
  const payload = Uint8Array.of(0x11, 7, 0x00, group & 0xff, group >> 8, 0);
  const head = { endpoint: 1, peerEndpoint: 1, profile: 0x0104, group: null, isBroadcast: false };
  device.received({ ...head, cluster: groupsCluster, payload });
}

/** Scans until something is so. A scan that nobody asks for ends after ten seconds. */
async function scanUntil(what: string, is: () => boolean): Promise<void> {
  await eventually(what, async () => {
    await call("GET", "/hub/scan?ts=0");
    return is() || undefined;
  });
}

test("devices join through one router only when a user says so", async () => {
  assert.match(await refused("ZIGBEE_JOIN_THROUGH", { device: remote.ieee }), /is no router/);
  assert.equal(await ask("ZIGBEE_JOIN_THROUGH", { device: lamp.ieee }), true);
  air.add(loose);
  air.add(far, { parent: lamp.ieee });
  await scanUntil("the open router", () => air.join(far.ieee));
  assert.equal(served.stick.isOpen, false);
  assert.equal(air.join(loose.ieee), false);
  assert.equal(await ask("ZIGBEE_JOIN_THROUGH", { device: null }), true);
  await scanUntil("the open coordinator", () => served.stick.isOpen);
  await call("GET", "/hub/stopscan");
});

test("a device with an install code joins once the hub has the code", async () => {
  air.add(coded, { installCode });
  await scanUntil("the open network", () => served.stick.isOpen);
  assert.equal(air.join(coded.ieee), false);
  const digits = coded.ieee.slice(2);
  assert.match(
    await refused("ZIGBEE_ADD_INSTALL_CODE", { code: `${digits}|00${installCode.slice(2)}` }),
    /CRC/,
  );
  assert.match(await refused("ZIGBEE_ADD_INSTALL_CODE", { code: "hello" }), /no known format/);
  assert.deepEqual(await ask("ZIGBEE_ADD_INSTALL_CODE", { code: `Z:${digits}$I:${installCode}` }), {
    device: coded.ieee,
  });
  assert.ok(air.join(coded.ieee));
  await call("GET", "/hub/stopscan");
});

test("lists the routers that are missing in the coordinator's tables", async () => {
  assert.deepEqual(await ask("ZIGBEE_CHECK_COORDINATOR"), { missingRouters: [] });
  // A remote is no router.
  for (const { ieee } of [lamp, remote]) served.stick.forget(ieee);
  assert.deepEqual(await ask("ZIGBEE_CHECK_COORDINATOR"), { missingRouters: [lamp.ieee] });
});

const deviceOf = (id: string | undefined, is: (state: Device["state"]) => boolean): Promise<Device> =>
  eventually(`the state of ${id}`, async () => {
    const found = (await call<Record<string, Device>>("GET", "/devices"))[id ?? ""];
    return found && is(found.state) ? found : undefined;
  });

test("a Green Power switch is paired in a scan, and its press fires a rule", async () => {
  interface Find {
    readonly id: string;
    readonly pairingStatus: string;
    readonly status: Device | null;
  }
  const bell = await eventually("the switch", async () => {
    const { devices: finds } = await call<{ devices: readonly Find[] }>("GET", "/hub/scan?ts=0");
    if (proxy.proxy.isCommissioning && !proxy.proxy.paired.has(wall.sourceId)) wall.commission(proxy);
    return finds.find(({ status }) => status?.type === "REMOTE_CONTROL" && status.name.includes("PTM"));
  });
  await call("PUT", "/hub/scan", { type: "SET_SCAN_RESULT", id: bell.id, ignored: false });
  await call("GET", "/hub/stopscan");
  await deviceOf(bell.id, ({ reachable }) => reachable === true);
  const config = { type: "CONFIG", id: null, name: "Bell", configType: "DOOR_CHIME", extras: {} };
  const ends = { inputs: { bell: [bell.id] }, outputs: { speaker: [sirenId] } };
  const body = { rules: [{ ...config, ...ends }], onConfiguration: {} };
  const [{ id }] = await call<[{ id: string }]>("PUT", "/rules", body);
  await call("PUT", "/rules/command", [{ type: "RULE_ON_COMMAND", id }]);
  assert.ok(!siren.isSounding);
  await eventually("the chime", async () => {
    // A press right after the scan only restores what is known.
    wall.press(proxy, 0x10);
    return siren.isSounding || undefined;
  });
  // The siren sounds before the hub has recorded that it does. A chime that has ended leads to no press.
  await eventually("the switch in why", async () => {
    wall.press(proxy, 0x10);
    const { links } = await call<Why>("GET", `/why?id=${sirenId}&attribute=sirenOn`);
    return links.some(({ object }) => object?.id === bell.id) || undefined;
  });
  // The rule would silence the siren in the midst of the next test.
  await call("DELETE", `/rules?ruleId=${id}`);
});

test("a siren is shown as sounding for as long as it can sound", async () => {
  const id = sirenId;
  await deviceOf(id, ({ sirenOn }) => sirenOn === false);
  const state = { type: "STATE_ALARM", sirenOn: true };
  await call("PUT", "/devices/command", [{ type: "CMD_DEVICE", id, state }]);
  await deviceOf(id, ({ sirenOn }) => sirenOn === true);
  await deviceOf(id, ({ sirenOn }) => sirenOn === false);
  await eventually("its silence", async () => !siren.isSounding || undefined);
});

interface Info {
  readonly status: string;
  readonly fwVersion: string | null;
  readonly newFwVersion: string | null;
  readonly message: string | null;
}

const upgradeCommand = (type: string): Promise<{ status: number; json: unknown }> =>
  hub.call("PUT", "/devices/command", key, [{ type, id: sensorId }]);
const upgrade = (status: string): Promise<Info> =>
  eventually(`${status} of the sensor's firmware`, async () => {
    const info = (await upgradeCommand("CMD_GET_UPGRADE_INFO")).json as Info;
    // Before its adapter has taken it, a request has no message.
    const isTaken = status !== "REQUESTED" || info.message !== null;
    return info.status === status && isTaken ? info : undefined;
  });

/** Makes the sensor sleep so that it hears nothing, or wakes it. */
function sleepDeeply(isAsleep: boolean): void {
  air.interference = isAsleep ? ({ to }) => (to === sensor.ieee ? 0xf0 : undefined) : null;
  if (isAsleep) air.sleep(sensor.ieee);
}

test("the firmware of a sleeping sensor waits for it over a kill of the hub, and can be given up", async () => {
  const images = join(folder.path, "adapters", "zigbee", "images");
  mkdirSync(images, { recursive: true });
  const kind = { manufacturerCode: 0x1037, imageType: 0x0205, version: 2 };
  writeFileSync(join(images, "sensor.ota"), otaImage(kind, new Uint8Array(200)));
  const ota = sensor.ota ?? assert.fail("it takes firmware");
  ota.onUpgraded = () => air.announce(sensor.ieee);
  ota.query();
  assert.equal((await upgrade("AVAILABLE")).newFwVersion, "0x00000002");
  assert.equal((await upgradeCommand("CMD_CANCEL_UPGRADE")).status, 422);
  sleepDeeply(true);
  await upgradeCommand("CMD_START_UPGRADE");
  assert.match((await upgrade("REQUESTED")).message ?? "", /sleeps/);
  assert.equal((await upgradeCommand("CMD_START_UPGRADE")).status, 422);
  assert.deepEqual(await upgradeCommand("CMD_CANCEL_UPGRADE"), { status: 200, json: true });
  await upgrade("AVAILABLE");
  await upgradeCommand("CMD_START_UPGRADE");
  await upgrade("REQUESTED");
  await hub.kill();
  hub = await HubProcess.start(folder.path, "--profile", join(folder.path, "bare.json"));
  await upgrade("REQUESTED");
  await eventually("the network", async () => {
    const { connected } = await call<{ connected: boolean }>("GET", "/hub/zigbeestatus");
    return connected || undefined;
  });
  assert.equal(ota.version, 1);
  sleepDeeply(false);
  ota.fail({ stallsAt: 100 });
  ota.query();
  await upgrade("INSTALLING");
  assert.equal((await upgradeCommand("CMD_CANCEL_UPGRADE")).status, 422);
  ota.resume();
  assert.equal((await upgrade("UP_TO_DATE")).fwVersion, "0x00000002");
  assert.equal(ota.version, 2);
});

test("users set how long devices may be silent", async () => {
  const limitOf = async ({ ieee }: { ieee: Ieee }): Promise<number | null | undefined> => {
    const { devices: all } = await ask<{ devices: readonly { device: string; silenceMs: number | null }[] }>(
      "ZIGBEE_GET_AVAILABILITY",
    );
    return all.find(({ device }) => device === ieee)?.silenceMs;
  };
  const set = (of: string, minutes: number | null): Promise<unknown> =>
    ask("ZIGBEE_SET_AVAILABILITY", { of, minutes });
  const usual = await limitOf(other);
  await set("active", 30);
  await set("LIGHT", 20);
  await set(lamp.ieee, 5);
  assert.deepEqual([await limitOf(lamp), await limitOf(other)], [300_000, 1_200_000]);
  await set("LIGHT", null);
  assert.equal(await limitOf(other), 1_800_000);
  await set("active", null);
  await set(lamp.ieee, null);
  assert.deepEqual([await limitOf(lamp), await limitOf(other)], [usual, usual]);
  assert.match(await refused("ZIGBEE_SET_AVAILABILITY", { of: "lamps", minutes: 5 }), /^422 .*neither/);
  assert.match(await refused("ZIGBEE_SET_AVAILABILITY", { of: "active", minutes: 0 }), /^422 /);
});

test("touchlink finds, identifies and resets a lamp nearby", async () => {
  await ask("ZIGBEE_TOUCHLINK_SCAN");
  const found = await eventually("the scan", async () => {
    const scan = await ask<{ state: string; devices: readonly { ieee: Ieee; channel: number }[] }>(
      "ZIGBEE_GET_TOUCHLINK_SCAN",
    );
    return scan.state === "RUNNING" ? undefined : scan;
  });
  assert.equal(found.state, "DONE");
  assert.ok(found.devices.length > 0, "a lamp in reach");
  const [target] = found.devices;
  assert.equal(await ask("ZIGBEE_TOUCHLINK_IDENTIFY", target), true);
  assert.equal(await ask("ZIGBEE_TOUCHLINK_RESET", target), true);
  assert.equal(air.nwkOf(target?.ieee ?? lamp.ieee), undefined);
  assert.match(await refused("ZIGBEE_TOUCHLINK_RESET", { ieee: "x", channel: 11 }), /^422 /);
});
