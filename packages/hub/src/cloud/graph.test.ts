// The hub API through Graph, with hub and cloud in processes of their own.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { systemClock } from "@ledge/kernel";
import { CloudHome } from "../testdata/cloud-home.ts";
import { GraphClient } from "../testdata/graph-client.ts";
import { eventually, type HubProcess, recoveredKey } from "../testdata/hub-process.ts";

const email = "ada@example.org";
let hub: HubProcess;
let hubId: string;
let ada: GraphClient;

before(async () => {
  const home = new CloudHome({ adapters: { sim: { seed: 1 } } });
  const cloud = await home.cloud();
  hub = await home.hub(cloud.url);
  await home.claim(hub, email);
  ada = await GraphClient.open(cloud.url, (await home.client(cloud, email)).token);
  const { data } = await ada.done({ type: "ListHubsQuery" });
  hubId = (data as { hubId: string }[])[0]?.hubId ?? assert.fail();
  await eventually("the tunnel", async () => {
    const { hub: found } = await ada.done({ type: "GetHubQuery", hubId });
    return (found as { connected: boolean }).connected || undefined;
  });
});
after(() => CloudHome.end());

/** Sends a message about the hub that must be carried out. @returns what the hub has answered */
async function value(type: string, fields: object = {}): Promise<unknown> {
  const { status, value: said } = await ada.done({ type, hubId, ...fields });
  assert.equal(status, 200);
  return said;
}

type Devices = Readonly<Record<string, { readonly capabilities: { readonly values: string[] } }>>;

/** Returns the id of a device with a capability. */
function firstWith(devices: Devices, capability: string): string {
  const found = Object.entries(devices).find(([, { capabilities }]) =>
    capabilities.values.includes(capability),
  );
  return found?.[0] ?? assert.fail(`no device has ${capability}`);
}

/** Returns the first id of a dictionary. */
const firstOf = (dictionary: unknown): string => Object.keys(dictionary as object)[0] ?? assert.fail();

test("every type of the hub API is carried out by the hub, and answers what its schema says", async () => {
  const began = systemClock.wall();
  const devices = await eventually("the devices", async () => {
    const found = (await value("DevicesHubQuery")) as Devices;
    return Object.keys(found).length > 20 ? found : undefined;
  });
  const lamp = firstWith(devices, "BRIGHTNESS");
  await value("SaveRoomsHubCommand", { rooms: [{ type: "CMD_ROOM", id: null, name: "Attic" }] });
  const roomId = firstOf(await value("RoomsHubQuery"));
  await value("OrderRoomsHubCommand", { rooms: [{ type: "CMD_SET_ROOM_ORDER", id: roomId, order: 3 }] });
  await value("SaveDevicesHubCommand", {
    devices: [{ type: "CMD_DEVICE_META", id: lamp, name: "Reading lamp", room: [roomId] }],
  });
  await value("ControlDevicesHubCommand", { commands: [{ type: "CMD_DEVICE_ON", id: lamp }] });
  await eventually("the lamp", async () => {
    const found = (await value("DevicesHubQuery")) as Record<string, { state: { isOn: boolean } }>;
    return found[lamp]?.state.isOn || undefined;
  });
  await value("ApplyPresetsHubCommand", {
    presets: [{ type: "PRESET", targetIds: [lamp], state: { type: "STATE_LIGHT", brightness: 0.5 } }],
  });
  const [group] = (await value("SaveGroupsHubCommand", {
    groups: [{ type: "CMD_GROUP", id: null, name: "Lamps", members: [lamp] }],
  })) as [{ id: string }];
  await value("GroupsHubQuery");
  await value("ControlGroupsHubCommand", { commands: [{ type: "CMD_GROUP_OFF", id: group.id }] });
  const [scene] = (await value("SaveScenesHubCommand", {
    scenes: [{ type: "CMD_SCENE", id: null, name: "Reading" }],
  })) as [{ id: string }];
  await value("ScenesHubQuery", { sceneId: scene.id });
  await value("ControlScenesHubCommand", { commands: [{ type: "CMD_SCENE_ON", id: scene.id }] });
  await value("OutcomeHubQuery", { sceneId: scene.id });
  const [zone] = (await value("SaveZonesHubCommand", {
    zones: [{ type: "CMD_ZONE", id: null, name: "Upstairs" }],
  })) as [{ id: string }];
  await value("ZonesHubQuery", { zoneId: zone.id });
  const templates = (await value("RuleTemplatesHubQuery")) as { configType: string }[];
  assert.ok(templates.some(({ configType }) => configType === "MOTION_LIGHT"));
  const config = {
    type: "CONFIG",
    id: null,
    name: "Light by motion",
    configType: "MOTION_LIGHT",
    ...(await motionLight(devices, lamp)),
  };
  const [rule] = (await value("SaveRulesHubCommand", { rules: [config] })) as [{ id: string }];
  await value("RulesHubQuery", { ruleId: rule.id });
  await value("ControlRulesHubCommand", { commands: [{ type: "RULE_ON_COMMAND", id: rule.id }] });
  const span = { from: began, to: systemClock.wall() - 1 };
  await value("WhatIfHubQuery", { rules: [config], ...span });
  await value("UsersHubQuery");
  await value("MetadataHubQuery");
  const { timestamp } = (await value("PollHubQuery", { ts: 0 })) as { timestamp: number };
  assert.equal(((await value("PollHubQuery", { ts: timestamp })) as { full: boolean }).full, false);
  await value("WhyHubQuery", { id: lamp, attribute: "isOn" });
  await value("HistoryHubQuery", { deviceId: lamp, attribute: "isOn" });
  await value("AuditHubQuery", { limit: 5 });
  const configurable = firstWith(devices, "CONFIGURABLE");
  const held = (await value("ConfigurationHubQuery", { deviceId: configurable, templates: "true" })) as {
    parameters: Record<string, unknown>;
  };
  await value("ConfigureHubCommand", { id: configurable, parameters: held.parameters });
  await value("UndoHubCommand", { kind: "device", id: lamp });
  const past = (await value("DevicesHubQuery", { at: timestamp })) as Record<string, { name: string }>;
  assert.equal(past[lamp]?.name, "Reading lamp");
  assert.deepEqual(await value("SetShareHubCommand", { share: "states" }), {
    type: "SHARING",
    share: "states",
  });
  await value("RemoveRuleHubCommand", { ruleId: rule.id });
  await value("RemoveSceneHubCommand", { sceneId: scene.id });
  await value("RemoveGroupHubCommand", { groupId: group.id });
  await value("RemoveRoomHubCommand", { roomId });
  await alarms();
  await value("RemoveDevicesHubCommand", { deviceIds: [lamp] });
  assert.equal(lamp in ((await value("DevicesHubQuery")) as object), false);
  await value("CallHubQuery", { path: "/hub/tz" });
  await value("CallHubCommand", { method: "PUT", path: "/hub/tz", query: { timezone: "Europe/Helsinki" } });
  await value("CallHubCommand", {
    method: "PUT",
    path: "/hub/users/profile",
    body: { type: "CMD_USER_PROFILE", nickname: "Ada" },
  });
  assert.equal(await value("CallHubQuery", { path: "/hub/tz" }), "Europe/Helsinki");
  const cloudsOwn = /^(?:Get|List|Leave)|User|Sync|Restart|Reboot|[Ss]ubscribe/;
  assert.deepEqual(
    ada.notDone(/HubQuery$|HubCommand$/).filter((type) => !cloudsOwn.test(type)),
    [],
  );
});

/** Closes and removes the alarm that a recovered key raises. */
async function alarms(): Promise<void> {
  await recoveredKey(hub.folder, email);
  const alarmId = await eventually("the alarm", async () => {
    return Object.keys((await value("AlarmsHubQuery")) as object)[0];
  });
  await value("CloseAlarmHubCommand", { alarmId });
  await value("RemoveAlarmHubCommand", { alarmId });
}

/** Returns the fields of a rule's configuration, as its template declares them. */
async function motionLight(devices: Devices, lamp: string): Promise<object> {
  const templates = (await value("RuleTemplatesHubQuery")) as {
    configType: string;
    inputs: Record<string, { capabilities: string[] }>;
    outputs: Record<string, object>;
  }[];
  const { inputs, outputs } =
    templates.find(({ configType }) => configType === "MOTION_LIGHT") ?? assert.fail();
  const motion = firstWith(devices, "MOTION");
  const of = (names: object, id: string): object =>
    Object.fromEntries(Object.keys(names).map((name, index) => [name, index === 0 ? [id] : []]));
  return { inputs: of(inputs, motion), outputs: of(outputs, lamp), extras: {} };
}

test("what the hub refuses comes with its status, its message and the field", async () => {
  const { error } = await ada.send({ type: "RemoveRoomHubCommand", hubId, roomId: "no-such-room" });
  assert.equal(error?.code, "E_HUB_REFUSED");
  assert.equal(error.details?.["status"], "404");
  const wrong = await ada.send({
    type: "CallHubCommand",
    hubId,
    method: "PUT",
    path: "/rooms",
    body: [{ type: "CMD_ROOM", id: null, name: "" }],
  });
  assert.deepEqual(wrong.error?.details, { status: "422", field: "0.name" });
});

test("no message reaches rows that are closed to the cloud, or leaves the API's version", async () => {
  for (const path of ["/events", "/log", "/metrics", "/hub/claim"])
    assert.equal(await ada.fails({ type: "CallHubQuery", hubId, path }), "E_NOT_SUPPORTED");
  for (const path of [
    "",
    "/",
    "rooms",
    "/rooms/",
    "//events",
    "/./events",
    "/x/../events",
    "/rooms?ts=1",
    "/%6cog",
  ])
    assert.equal(await ada.fails({ type: "CallHubQuery", hubId, path }), "E_INVALID", path);
  for (const path of ["/hub/restart", "/hub/scan"])
    assert.equal(await ada.fails({ type: "CallHubQuery", hubId, path }), "E_INVALID", path);
});

test("a hub that is away is offline", async () => {
  await hub.stop();
  await eventually("the end of the tunnel", async () => {
    const { hub: found } = await ada.done({ type: "GetHubQuery", hubId });
    return (found as { connected: boolean }).connected ? undefined : true;
  });
  assert.equal(await ada.fails({ type: "DevicesHubQuery", hubId }), "E_HUB_OFFLINE");
});
