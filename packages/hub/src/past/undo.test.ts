import assert from "node:assert/strict";
import { test } from "node:test";
import type { Device } from "@ledge/model";
import { TestHome } from "../testdata/hub-process.ts";

const home = new TestHome();

type Json = Record<string, unknown>;

async function done(method: string, path: string, body?: unknown): Promise<unknown> {
  const { status, json } = await home.call(method, path, body);
  assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(json)}`);
  return json;
}

const now = async (): Promise<number> =>
  ((await done("GET", "/hub/poll?ts=0")) as { timestamp: number }).timestamp;

async function undo(kind: string, id: string, to?: number): Promise<boolean> {
  return ((await done("POST", "/undo", { kind, id, to })) as { changed: boolean }).changed;
}

/** An object without its timestamp. */
async function shown(path: string, id: string): Promise<Json | undefined> {
  const object = ((await done("GET", path)) as Record<string, Json>)[id];
  if (object === undefined) return undefined;
  const { timestamp: _, ...fields } = object;
  return fields;
}

async function idOf(path: string, name: string): Promise<string> {
  const all = (await done("GET", path)) as Record<string, { name?: string; config?: { name: string } }>;
  const found = Object.entries(all).find(([, one]) => (one.name ?? one.config?.name) === name);
  return found?.[0] ?? assert.fail(`no ${name} in ${path}`);
}

test("undoes an edit, redoes it by a second undo, and records each undo as an event", async () => {
  await home.hub.homeAnnounced(home.key);
  await done("PUT", "/rooms", [{ type: "CMD_ROOM", name: "Den" }]);
  const id = await idOf("/rooms", "Den");
  await done("PUT", "/rooms", [{ type: "CMD_ROOM", id, name: "Lounge" }]);
  assert.equal(await undo("room", id), true);
  assert.equal((await shown("/rooms", id))?.["name"], "Den");
  assert.equal(await undo("room", id), true);
  assert.equal((await shown("/rooms", id))?.["name"], "Lounge");
  const then = await now();
  await done("PUT", "/rooms", [{ type: "CMD_ROOM", id, name: "Study", order: 3 }]);
  await done("PUT", "/rooms", [{ type: "CMD_ROOM", id, name: "Cave" }]);
  assert.equal(await undo("room", id, then), true);
  assert.equal(await undo("room", id, then), false, "it is like that");
  assert.equal((await shown("/rooms", id))?.["name"], "Lounge");
});

test("undo brings back a removed room under its id with its devices, and undoes its creation", async () => {
  await done("PUT", "/rooms", [{ type: "CMD_ROOM", name: "Parlour" }]);
  const room = await idOf("/rooms", "Parlour");
  const members = [await home.device("Living room ceiling"), await home.device("Kitchen ceiling")];
  await done(
    "PUT",
    "/devices",
    members.map(({ id }) => ({ type: "CMD_DEVICE_META", id, room: [room] })),
  );
  const inRoom = async (): Promise<string[]> =>
    Object.values((await done("GET", "/devices")) as Record<string, Device>)
      .filter((device) => device.room.includes(room))
      .map(({ id }) => id)
      .toSorted();
  const [devices, before] = [await inRoom(), await shown("/rooms", room)];
  assert.equal(devices.length, 2);
  await done("DELETE", `/rooms?roomId=${room}`);
  assert.deepEqual(await inRoom(), []);
  assert.equal(await undo("room", room), true);
  assert.deepEqual([await inRoom(), await shown("/rooms", room)], [devices, before]);
  await done("PUT", "/rooms", [{ type: "CMD_ROOM", name: "Mistake" }]);
  const made = await idOf("/rooms", "Mistake");
  assert.equal(await undo("room", made), true);
  assert.equal(await shown("/rooms", made), undefined);
  assert.equal(await undo("room", made), true);
  assert.equal((await shown("/rooms", made))?.["name"], "Mistake");
});

test("undo restores changed and removed zones, groups and scenes", async () => {
  const lamp = await home.device("Living room ceiling");
  const other = await home.device("Kitchen ceiling");
  await done("PUT", "/zones", [{ type: "CMD_ZONE", name: "Upstairs" }]);
  const zone = await idOf("/zones", "Upstairs");
  await done("PUT", "/devices", [{ type: "CMD_DEVICE_META", id: lamp.id, zones: [zone] }]);
  await done("PUT", "/groups", [
    { type: "CMD_GROUP", name: "Ceilings", members: [lamp.id], room: lamp.room },
  ]);
  const group = await idOf("/groups", "Ceilings");
  const presets = { [lamp.id]: { type: "PRESET", targetIds: [lamp.id], state: { isOn: true } } };
  const scene = { type: "CMD_SCENE", name: "Reading", presets };
  const refused = await home.call("PUT", "/scenes", [scene]);
  assert.equal(refused.status, 200, JSON.stringify(refused.json));
  const sceneId = await idOf("/scenes", "Reading");
  for (const [kind, path, id, edit, removal] of [
    ["zone", "/zones", zone, { type: "CMD_ZONE", id: zone, name: "Attic" }, `/zones?zoneId=${zone}`],
    [
      "group",
      "/groups",
      group,
      { type: "CMD_GROUP", id: group, members: [other.id] },
      `/groups?groupId=${group}`,
    ],
    [
      "scene",
      "/scenes",
      sceneId,
      { type: "CMD_SCENE", id: sceneId, presets: {} },
      `/scenes?sceneId=${sceneId}`,
    ],
  ] as const) {
    const { group_address: _, state: __, ...before } = (await shown(path, id)) ?? {};
    const same = async (): Promise<void> => {
      const { group_address: ___, state: ____, ...after } = (await shown(path, id)) ?? {};
      assert.deepEqual(after, before, kind);
    };
    await done("PUT", path, [edit]);
    assert.equal(await undo(kind, id), true);
    await same();
    await done("DELETE", removal);
    assert.equal(await shown(path, id), undefined);
    assert.equal(await undo(kind, id), true);
    await same();
  }
  assert.deepEqual((await home.device("Living room ceiling")).zones, [zone]);
});

test("undo restores the settings of a device and of the hub", async () => {
  const { id } = await home.device("Kitchen ceiling");
  const before = await home.device("Kitchen ceiling");
  const meta = { type: "CMD_DEVICE_META", id, name: "Cooker", room: [], visible: false, locked: true };
  await done("PUT", "/devices", [meta]);
  assert.equal(await undo("device", id), true);
  const after = await home.device("Kitchen ceiling");
  for (const field of ["name", "room", "visible", "rwx"] as const)
    assert.deepEqual(after[field], before[field]);
  const hub = await home.hub.hubId();
  await done("PUT", "/hub/location", { latitude: 60.2, longitude: 24.9 });
  await done("PUT", "/hub/name?name=Cottage&housetype=leisure");
  await done("PUT", "/hub/tz?timezone=Europe%2FHelsinki");
  assert.equal(await undo("hub", hub), true);
  assert.notEqual(await done("GET", "/hub/tz"), "Europe/Helsinki");
  assert.equal(((await done("GET", "/hub/location")) as { latitude: number }).latitude, 60.2);
});

test("undo restores a rule, and turns it on if a person had turned it on", async () => {
  const { id: lamp } = await home.device("Living room ceiling");
  const config = {
    name: "Off",
    configType: "AUTO_OFF",
    inputs: {},
    outputs: { devices: [lamp] },
    extras: { delay: [{ type: "DURATION", value: 60 }] },
  };
  const made = await done("PUT", "/rules", { rules: [config] });
  const [{ id }] = made as [{ id: string }];
  await done("PUT", "/rules/command", [{ type: "RULE_ON_COMMAND", id }]);
  const before = await shown("/rules", id);
  await done("PUT", "/rules", { rules: [{ ...config, id, name: "Dark" }] });
  assert.equal(await undo("rule", id), true);
  assert.deepEqual(await shown("/rules", id), before);
  await done("DELETE", `/rules?ruleId=${id}`);
  assert.equal(await undo("rule", id), true);
  assert.deepEqual(await shown("/rules", id), before);
});

test("refuses an undo that does not fit, with the reason, and changes nothing", async () => {
  const { id } = await home.device("Kitchen ceiling");
  for (const [body, status, message] of [
    [{ kind: "room", id: "nowhere" }, 404, /no room nowhere/],
    [{ kind: "user", id: "x" }, 422, /kind/],
    [{ id: "x" }, 422, /kind is missing/],
    [{ kind: "room" }, 422, /id/],
    [{ kind: "room", id: 7 }, 422, /id/],
    [{ kind: "room", id: "x", to: "then" }, 422, /to/],
    [{ kind: "room", id: "x", to: Number.MAX_SAFE_INTEGER }, 422, /to lies ahead/],
    [{ kind: "configuration", id }, 404, /no configuration/],
    [[], 422, /./],
  ] as const) {
    const answer = await home.call("POST", "/undo", body);
    assert.equal(answer.status, status, JSON.stringify([body, answer.json]));
    assert.match((answer.json as { message: string }).message, message);
  }
  await done("PUT", "/groups", [{ type: "CMD_GROUP", name: "Pair", members: [id] }]);
  const group = await idOf("/groups", "Pair");
  await done("DELETE", "/devices", [id]);
  const gone = await home.call("POST", "/undo", { kind: "group", id: group });
  assert.equal(gone.status, 422);
  assert.match((gone.json as { message: string }).message, new RegExp(`no device ${id}`));
  const device = await home.call("POST", "/undo", { kind: "device", id });
  assert.deepEqual(
    [device.status, (device.json as { message: string }).message],
    [422, `device ${id} is gone: pair it again`],
  );
});
