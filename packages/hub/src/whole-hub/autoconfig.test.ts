import assert from "node:assert/strict";
import { test } from "node:test";
import type { Device, Room, SceneState } from "@ledge/model";
import { TestHome } from "../testdata/hub-process.ts";

const home = new TestHome();

/** The parts of the home that an autoconfiguration may change. */
async function changeable(): Promise<unknown> {
  const rooms = await home.all<Room>("/rooms");
  const devices = await home.all<Device>("/devices");
  const scenes = await home.all<SceneState>("/scenes");
  const sorted = <T extends { id: string }>(all: T[]): T[] => all.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return {
    rooms: sorted(rooms).map(({ id, name, order }) => [id, name, order]),
    devices: sorted(devices).map(({ id, name, room, visible, rwx }) => [id, name, room, visible, rwx]),
    scenes: sorted(scenes).map(({ id, name, presets, isOn }) => [id, name, presets, isOn]),
  };
}

test("sets up a home that survives a kill, and an undo restores it", async () => {
  await home.hub.homeAnnounced(home.key);
  const lamp = await home.device("Living room ceiling");
  await home.call("PUT", "/rooms", [{ type: "CMD_ROOM", name: "Old room" }]);
  const [old] = await home.all<Room>("/rooms");
  await home.call("PUT", "/devices", [{ type: "CMD_DEVICE_META", id: lamp.id, room: [old?.id] }]);
  await home.call("PUT", "/groups", [
    { type: "CMD_GROUP", name: "Lights", members: [lamp.id], room: [old?.id] },
  ]);
  const found = await changeable();
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
  const { json: tried } = await home.call("PUT", "/hub/autoconfig?dryRun=true", plan);
  const { differences } = tried as { differences: { object: string; change: string; name: string }[] };
  assert.deepEqual(differences.map(({ object, change, name }) => `${change} ${object} ${name}`).toSorted(), [
    "change device Lamp 7",
    "change group Lights",
    "change scene Away",
    "change scene Home",
    "create room Kitchen",
    "remove room Old room",
  ]);
  assert.deepEqual(await changeable(), found);
  assert.deepEqual(await home.call("PUT", "/hub/autoconfig", plan), { status: 200, json: true });
  const [kitchen, ...others] = await home.all<Room>("/rooms");
  assert.deepEqual([kitchen?.name, others], ["Kitchen", []]);
  const { json: again } = await home.call("PUT", "/hub/autoconfig?dryRun=true", plan);
  assert.deepEqual((again as { differences: object[] }).differences, []);
  await home.hub.kill();
  await home.start();
  const kept = (await home.all<Device>("/devices")).find(({ id }) => id === lamp.id);
  assert.deepEqual([kept?.name, kept?.room, kept?.rwx], ["Lamp 7", [kitchen?.id], 365]);
  assert.deepEqual(await home.call("PUT", "/hub/autoconfig/undo"), { status: 200, json: true });
  assert.deepEqual(await changeable(), found);
  const [group] = await home.all<{ room: string[] }>("/groups");
  assert.deepEqual(group?.room, [old?.id]);
});
