import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Device, Group, Why } from "@ledge/model";
import { devices, serveStick, SimulatedAir, Stick, type ServedStick } from "@ledge/testkit/zigbee";
import { eventually, ledge, temporaryFolder, TestHome } from "../testdata/hub-process.ts";
import { finds, networkUp, zigbeeProfile } from "../testdata/zigbee-hub.ts";

const air = new SimulatedAir();
const lamp = devices.colorLamp("0x000b57fffe000001");
const other = devices.lamp("0x000b57fffe000002");
const motion = devices.motion("0x000b57fffe000003");
const remote = devices.remote("0x000b57fffe000004");
const spare = devices.colorLamp("0x000b57fffe000007");
const door = devices.lock("0x000b57fffe000005");
const blind = devices.cover("0x000b57fffe000006");

const folder = temporaryFolder();
let served: ServedStick<Stick>;
before(async () => {
  served = await serveStick(new Stick({ air }));
  for (const each of [lamp, other, motion, remote, door, blind, spare]) air.add(each);
  zigbeeProfile(folder.path, served);
});
const home = new TestHome("--profile", `${folder.path}/bare.json`);
after(async () => {
  await served.close();
  folder.remove();
});

const ids = new Map<string, string>();

/** Pairs a device like a client: scans until it is found, keeps it, ends the scan. @returns its pairing states */
async function pair(ieee: typeof lamp.ieee): Promise<readonly string[]> {
  const seen: string[] = [];
  const known = new Set([...(await home.all<Device>("/devices"))].map(({ id }) => id));
  const find = await eventually(`${ieee} complete`, async () => {
    if (air.nwkOf(ieee) === undefined) air.join(ieee);
    const found = (await finds(home)).find(({ id }) => !known.has(id));
    if (found !== undefined && seen.at(-1) !== found.pairingStatus) seen.push(found.pairingStatus);
    return found?.pairingStatus === "COMPLETE" ? found : undefined;
  });
  await home.call("PUT", "/hub/scan", { type: "SET_SCAN_RESULT", id: find.id, ignored: false });
  assert.deepEqual(await home.call("GET", "/hub/stopscan"), { status: 200, json: true });
  ids.set(ieee, find.id);
  await device(ieee, ({ reachable }) => reachable === true);
  return seen;
}

function device(
  ieee: typeof lamp.ieee,
  is: (state: Readonly<Record<string, unknown>>) => boolean,
): Promise<Device> {
  return eventually(`the state of ${ieee}`, async () =>
    (await home.all<Device>("/devices")).find(({ id, state }) => id === ids.get(ieee) && is(state)),
  );
}

const isThere = async (ieee: string): Promise<boolean> =>
  (await home.all<Device>("/devices")).some(({ id }) => id === ids.get(ieee));
const idOf = (ieee: string): string => ids.get(ieee) ?? assert.fail(`${ieee} is not paired`);
const command = async (...list: object[]): Promise<void> =>
  assert.equal((await home.call("PUT", "/devices/command", list)).status, 200);
const switched = (ieee: string, isOn: boolean): Promise<void> =>
  command({ type: isOn ? "CMD_DEVICE_ON" : "CMD_DEVICE_OFF", id: idOf(ieee) });

test("pairs lamps, a motion sensor, a remote, a lock and a blind, one after the other", async () => {
  await networkUp(home);
  for (const { ieee } of [lamp, other, motion, remote, door, blind]) {
    const seen = await pair(ieee);
    assert.deepEqual(seen.slice(-1), ["COMPLETE"]);
    assert.ok(
      seen.every((status) => ["CONNECTING", "CONNECTED", "COMPLETE"].includes(status)),
      String(seen),
    );
  }
  // The scan is over in the hub before its adapter has closed the network.
  await eventually("a closed network", async () => !served.stick.isOpen || undefined);
});

test("a lamp follows a command and reports its new state", async () => {
  const state = { type: "STATE_LIGHT", isOn: true, brightness: 0.5 };
  await command({ type: "CMD_DEVICE", id: idOf(lamp.ieee), state });
  await device(lamp.ieee, ({ isOn, brightness }) => isOn === true && brightness === 0.5);
  assert.ok(lamp.isOn);
  await switched(lamp.ieee, false);
  await device(lamp.ieee, ({ isOn }) => isOn === false);
  assert.ok(!lamp.isOn);
});

const wish = (ieee: string, type: string, state: object): Promise<void> =>
  command({ type: "CMD_DEVICE", id: idOf(ieee), state: { type, ...state } });

test("a lock unlocks and locks", async () => {
  for (const locked of [false, true, false]) {
    await wish(door.ieee, "STATE_MULTI_SENSOR", { locked });
    await device(door.ieee, (state) => state["locked"] === locked);
    assert.equal(door.isLocked, locked);
  }
});

test("a refusal by the lock is an alert, and why shows its status, until it takes a command again", async () => {
  const id = idOf(door.ieee);
  const { name } = await device(door.ieee, () => true);
  const alert = `${name} did not do what it was told`;
  assert.ok(!(await home.alerts()).includes(alert));
  door.lock.jam();
  await wish(door.ieee, "STATE_MULTI_SENSOR", { locked: true });
  await eventually("the alert", async () => (await home.alerts()).includes(alert) || undefined);
  const { json } = await home.call("GET", `/why?id=${id}&attribute=locked`);
  const { attempts } = json as Why;
  const { outcome, message } = attempts[0]?.outcome ?? assert.fail("no attempt");
  assert.deepEqual([outcome, message], ["failed", "the device answered FAILURE"]);
  door.lock.jam(false);
  await wish(door.ieee, "STATE_MULTI_SENSOR", { locked: true });
  await eventually("no alert", async () => !(await home.alerts()).includes(alert) || undefined);
});

test("a blind stops on its way", async () => {
  await wish(blind.ieee, "STATE_BLINDS", { position: 0 });
  await eventually("its motor", async () => blind.isMoving || undefined);
  await wish(blind.ieee, "STATE_BLINDS", { stop: true });
  await eventually("its stop", async () => !blind.isMoving || undefined);
  await device(blind.ieee, ({ position }) => position === 1 - blind.lift / 100);
  assert.ok(blind.lift < 100);
});

test("motion is reported", async () => {
  motion.alarm(true);
  await device(motion.ieee, (state) => state["motion"] === true);
  motion.alarm(false);
  await device(motion.ieee, (state) => state["motion"] === false);
});

test("a group is turned on by one frame", async () => {
  const members = [idOf(lamp.ieee), idOf(other.ieee)];
  const create = [{ type: "CMD_GROUP", id: null, name: "Both", members }];
  const [{ id }] = (await home.call("PUT", "/groups", create)).json as [Group];
  await eventually("their group on the air", async () =>
    [lamp, other].every((each) => each.groupsOf(11).size + each.groupsOf(1).size > 0) ? true : undefined,
  );
  // The adapter hears of the last one a moment after it is in the group. This asks both.
  const mend = [{ type: "ZIGBEE_MEND_GROUPS" }];
  assert.equal((await home.call("POST", "/hub/protocolconfig", mend)).status, 200);
  air.log.clear();
  await home.call("PUT", "/groups/command", [{ type: "CMD_GROUP_ON", id }]);
  await device(lamp.ieee, ({ isOn }) => isOn === true);
  await device(other.ieee, ({ isOn }) => isOn === true);
  assert.equal(air.log.count({ kind: "group", from: null, cluster: 6 }), 1);
  assert.equal(air.log.of({ kind: "unicast", from: null, cluster: 6 }).length, 0);
});

test("a scene sets the lamps", async () => {
  const presets = {
    a: preset(idOf(lamp.ieee), { isOn: false }),
    b: preset(idOf(other.ieee), { isOn: true }),
  };
  const [{ id }] = (await home.call("PUT", "/scenes", [{ type: "CMD_SCENE", name: "Evening", presets }]))
    .json as [{ id: string }];
  await home.call("PUT", "/scenes/command", [{ type: "CMD_SCENE_ON", id }]);
  await device(lamp.ieee, ({ isOn }) => isOn === false);
  assert.ok(other.isOn);
});

test("a rule lets the remote switch the lamp", async () => {
  const config = {
    type: "CONFIG",
    id: null,
    name: "Remote",
    configType: "REMOTE_CONTROL",
    inputs: { remote: [idOf(remote.ieee)] },
    outputs: { lights: [idOf(lamp.ieee)] },
    extras: {},
  };
  const body = { rules: [config], onConfiguration: {} };
  const { status, json } = await home.call("PUT", "/rules", body);
  assert.equal(status, 200, JSON.stringify(json));
  const [{ id }] = json as [{ id: string }];
  await home.call("PUT", "/rules/command", [{ type: "RULE_ON_COMMAND", id }]);
  assert.ok(!lamp.isOn);
  remote.press("toggle");
  await device(lamp.ieee, ({ isOn }) => isOn === true);
  await home.call("DELETE", `/rules?ruleId=${id}`);
});

test("unplugging the stick makes its devices unreachable until it is plugged in again", async () => {
  await served.unplug();
  await device(lamp.ieee, ({ reachable }) => reachable === false);
  await served.plug();
  await device(lamp.ieee, ({ reachable }) => reachable === true);
  await switched(lamp.ieee, false);
  await device(lamp.ieee, ({ isOn }) => isOn === false);
});

test("a hub that lost power still knows its devices and switches them", async () => {
  await home.hub.kill();
  await home.start();
  assert.equal(await isThere(lamp.ieee), true, "it is known before the radio is up");
  // Until then a command may fail, and is sent again.
  await eventually("the lamp, on", async () => {
    await switched(lamp.ieee, true);
    return lamp.isOn ? true : undefined;
  });
  await device(lamp.ieee, ({ isOn }) => isOn === true);
});

test("another stick takes over the network", async () => {
  const { network } = served.stick;
  await served.unplug();
  await device(lamp.ieee, ({ reachable }) => reachable === false);
  await served.plug(new Stick({ air, ieee: "0x00124b0000000002", seed: 2 }));
  await device(lamp.ieee, ({ reachable }) => reachable === true);
  assert.deepEqual(served.stick.network, network);
  await switched(lamp.ieee, false);
  await device(lamp.ieee, ({ isOn }) => isOn === false);
  motion.alarm(true);
  await device(motion.ieee, (state) => state["motion"] === true);
});

test("a device whose hardware is replaced keeps its id, group, scene and history", async () => {
  await pair(spare.ieee);
  const [id, by] = [idOf(lamp.ieee), idOf(spare.ieee)];
  const refused = await home.call("PUT", "/devices/command", [
    { type: "CMD_REPLACE_DEVICE", id, by: idOf(motion.ieee) },
  ]);
  assert.equal(refused.status, 422, JSON.stringify(refused.json));
  await command({ type: "CMD_REPLACE_DEVICE", id, by });
  ids.set(spare.ieee, id);
  ids.delete(lamp.ieee);
  await eventually(
    "the old lamp, of no network",
    async () => air.nwkOf(lamp.ieee) === undefined || undefined,
  );
  assert.equal(
    (await home.all<Device>("/devices")).some((each) => each.id === by),
    false,
  );
  await switched(spare.ieee, true);
  await device(spare.ieee, ({ isOn }) => isOn === true);
  assert.ok(spare.isOn);
  await eventually("the new lamp in the group", async () => spare.groupsOf(11).size > 0 || undefined);
  const { stdout } = await ledge("events", "tail", "--once", "--after", "0", "--data", home.folder);
  assert.match(stdout, / DeviceReplaced /);
  const from = `/devices/history?deviceId=${id}&attribute=isOn`;
  const history = (await home.call("GET", from)).json as { points: readonly unknown[] };
  assert.ok(history.points.length > 2, "the history of both lamps");
  await home.hub.kill();
  await home.start();
  // The log says that the lamp is reachable before the adapter runs.
  await networkUp(home);
  await device(spare.ieee, ({ reachable }) => reachable === true);
});

interface Logged {
  readonly timestamp: number;
  readonly event: { readonly type: string };
}

test("history and why read on over the exchange of its hardware", async () => {
  const id = idOf(spare.ieee);
  const { stdout } = await ledge("events", "tail", "--once", "--after", "0", "--json", "--data", home.folder);
  const lines = stdout.trim().split("\n");
  const events = lines.map((line) => JSON.parse(line) as Logged);
  const { timestamp: at } =
    events.find(({ event }) => event.type === "DeviceReplaced") ?? assert.fail("no exchange");
  const { points } = (await home.call("GET", `/devices/history?deviceId=${id}&attribute=isOn`)).json as {
    points: readonly { readonly from: number }[];
  };
  assert.ok(points.some(({ from }) => from < at) && points.some(({ from }) => from > at));
  const why = async (more = ""): Promise<Why> =>
    (await home.call("GET", `/why?id=${id}&attribute=isOn${more}`)).json as Why;
  const now = await why();
  assert.deepEqual([now.object.id, now.end], [id, "root"]);
  assert.ok(
    now.links.every((link) => link.at > at && link.object?.id === id),
    JSON.stringify(now.links),
  );
  assert.ok(now.links.some(({ outcome }) => outcome?.outcome === "confirmed"));
  const then = await why(`&at=${at - 1}`);
  assert.deepEqual([then.object.id, then.end], [id, "root"]);
  assert.ok(then.links.length > 1 && then.links.every((link) => link.at < at), JSON.stringify(then));
  assert.ok(then.links.some(({ outcome }) => outcome?.outcome === "confirmed"));
});

test("a removed device leaves the network", async () => {
  assert.equal((await home.call("DELETE", "/devices", [idOf(spare.ieee)])).json, true);
  await eventually("the lamp, of no network", async () =>
    air.nwkOf(spare.ieee) === undefined ? true : undefined,
  );
  assert.equal(await isThere(spare.ieee), false);
});

function preset(id: string, state: object): object {
  return { type: "PRESET", targetIds: [id], state: { type: "STATE_LIGHT", ...state } };
}
