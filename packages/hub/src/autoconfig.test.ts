import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Device, Room, SceneState } from "@ledge/model";
import { eventually, HubProcess, temporaryFolder } from "./testdata/hub-process.ts";

const folder = temporaryFolder();
let hub: HubProcess;
let key: string;

const call = (method: string, path: string, body?: unknown): Promise<{ status: number; json: unknown }> =>
  hub.call(method, path, key, body);
const list = async <T>(path: string): Promise<T[]> =>
  Object.values((await call("GET", path)).json as Record<string, T>);

/** What an autoconfiguration may change of the home. */
async function home(): Promise<unknown> {
  const rooms = await list<Room>("/rooms");
  const devices = await list<Device>("/devices");
  const scenes = await list<SceneState>("/scenes");
  const sorted = <T extends { id: string }>(all: T[]): T[] => all.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return {
    rooms: sorted(rooms).map(({ id, name, order }) => [id, name, order]),
    devices: sorted(devices).map(({ id, name, room, visible, rwx }) => [id, name, room, visible, rwx]),
    scenes: sorted(scenes).map(({ id, name, presets, isOn }) => [id, name, presets, isOn]),
  };
}

before(async () => {
  hub = await HubProcess.start(folder.path);
  key = await hub.key();
});

after(async () => {
  await hub.stop();
  folder.remove();
});

test("a home is set up, and is what it was after a kill and an undo", async () => {
  const lamp = await eventually("the simulated home", async () =>
    (await list<Device>("/devices")).find(({ name }) => name === "Living room ceiling"),
  );
  await call("PUT", "/rooms", [{ type: "CMD_ROOM", name: "Old room" }]);
  const [old] = await list<Room>("/rooms");
  await call("PUT", "/devices", [{ type: "CMD_DEVICE_META", id: lamp.id, room: [old?.id] }]);
  await call("PUT", "/groups", [{ type: "CMD_GROUP", name: "Lights", members: [lamp.id], room: [old?.id] }]);
  const found = await home();
  const plan = {
    type: "DC_AUTO_CONFIG",
    name: "Plan",
    rooms: { type: "DC_ROOM_CONFIG", names: ["$KITCHEN"], clear: true },
    devices: { [lamp.id]: { name: "Lamp ${N}", room: "$KITCHEN", locked: true } },
    scenes: {
      away: { factoryScene: "AWAY", presets: [{ targetIds: [lamp.id], state: { isOn: false } }], isOn: true },
    },
    variables: { N: "7" },
  };
  const { json: tried } = await call("PUT", "/hub/autoconfig?dryRun=true", plan);
  const { differences } = tried as { differences: { object: string; change: string; name: string }[] };
  assert.deepEqual(differences.map(({ object, change, name }) => `${change} ${object} ${name}`).toSorted(), [
    "change device Lamp 7",
    "change group Lights",
    "change scene Away",
    "change scene Home",
    "create room Kitchen",
    "remove room Old room",
  ]);
  assert.deepEqual(await home(), found);
  assert.deepEqual(await call("PUT", "/hub/autoconfig", plan), { status: 200, json: true });
  const [kitchen, ...others] = await list<Room>("/rooms");
  assert.deepEqual([kitchen?.name, others], ["Kitchen", []]);
  const { json: again } = await call("PUT", "/hub/autoconfig?dryRun=true", plan);
  assert.deepEqual((again as { differences: object[] }).differences, []);
  await hub.kill();
  hub = await HubProcess.start(folder.path);
  const kept = (await list<Device>("/devices")).find(({ id }) => id === lamp.id);
  assert.deepEqual([kept?.name, kept?.room, kept?.rwx], ["Lamp 7", [kitchen?.id], 365]);
  assert.deepEqual(await call("PUT", "/hub/autoconfig/undo"), { status: 200, json: true });
  assert.deepEqual(await home(), found);
  const [group] = await list<{ room: string[] }>("/groups");
  assert.deepEqual(group?.room, [old?.id]);
});
