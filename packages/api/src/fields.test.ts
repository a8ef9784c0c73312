import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { features } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import type Type from "typebox";
import { DeviceCommandRequest } from "./routes/device-commands.ts";
import { rows } from "./routes/index.ts";
import { rowName } from "./row.ts";
import { type Client, openTestHub } from "./test-hub.ts";

/** What becomes of a field that is not shown again, or not under its own name. */
const exceptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "POST /hub/zigbeesettings ZIGBEE_NETWORK_SETTINGS": {
    channel: "the radio's: GET /hub/zigbeestatus",
    power: "the radio's: GET /hub/zigbeestatus",
    ignore_reachability: "the radio's: GET /hub/zigbeestatus",
  },
  "PUT /hub/scan SET_SCAN_RESULT": { ignored: "of the scan: GET /hub/scan" },
  "POST /hub/pairIp CAMERA_AT_IP": { ip: "a question", username: "a credential", password: "a credential" },
  "POST /hub/serialport SERIAL_CONFIG": {
    controllerType: "says which port",
    name: "says which port",
    description: "sent back as it was read",
    allowedBaurates: "sent back as it was read",
    allowedDatabits: "sent back as it was read",
    allowedStopbits: "sent back as it was read",
    allowedParities: "sent back as it was read",
    settings: "the adapter's: GET /hub/serialports",
  },
  "POST /hub/remotepair": {
    name: "of the device that is made",
    capabilities: "of the device that is made",
    manufacturer: "of the device that is made",
    model: "of the device that is made",
    room: "of the device that is made",
    zones: "of the device that is made",
    visible: "of the device that is made",
    hotWater: "of the device that is made",
    groups: "refused unless empty",
    always_create: "refused unless false",
    bacnetIds: "refused unless empty",
    controller_ref: "refused unless empty",
  },
  "PUT /hub/autoconfig": {
    name: "of the run: GET /hub/autoconfig",
    hubName: "a step: the hub's name",
    deviceNamePrefix: "begins the names of devices",
    generateBacnetId: "refused unless false",
    modbusTcpBase: "added to registers",
    variables: "put into texts",
    protocols: "sent to adapters",
    removedDevices: "removed",
    rooms: "steps: rooms",
    devices: "steps: devices",
    scenes: "steps: scenes",
    rules: "steps: rules",
  },
  "PUT /devices CMD_DEVICE_META": { awayThreshold: "of a UI_DEVICE: routes/devices.test.ts" },
  "PUT /devices CMD_DEVICE_LOCK": { locked: "shown as rwx" },
  "PUT /devices/command CMD_DEVICE": {
    state: "the device's to report",
    payload: "another name of state",
  },
  "PUT /devices/command CMD_DEVICE_META": { awayThreshold: "of a UI_DEVICE: routes/devices.test.ts" },
  "PUT /devices/command CMD_GET_CD": { objectId: "a question", start: "a question", count: "a question" },
  "PUT /devices/command CMD_CAMERA_HOST_AT_IP": {
    ip: "a question",
    username: "a credential",
    password: "a credential",
  },
  "PUT /devices/command CMD_USE_CREDENTIALS": { username: "a credential", password: "a credential" },
  "PUT /devices/command CMD_CHANGE_CREDENTIALS": { username: "a credential", password: "a credential" },
  "PUT /devices/command CMD_SET_WIFI": { ssid: "the camera's to report", password: "a credential" },
  "PUT /devices/preset PRESET": { targetIds: "carried out at once", state: "carried out at once" },
  "PUT /devices/configuration CONFIGURATION": { parameters: "shown as requested, then by the device" },
  "PUT /groups/command CMD_DEVICE": { state: "the members' to report", payload: "another name of state" },
  "PUT /rules": { rules: "routes/rules.test.ts", onConfiguration: "routes/rules.test.ts" },
  "PUT /rules/onConfiguration": { scenes: "routes/rules.test.ts", timers: "routes/rules.test.ts" },
  "PUT /hub/mqtt MQTT_SETTINGS": {
    password: "a credential",
    ca: "shown as hasCa: hub whole-hub/mqtt.peer.test.ts",
    certificate: "a credential",
    key: "a credential",
  },
  "PUT /hub/messagetargets MESSAGE_TARGET": {
    user: "shown by id: hub messages/targets.test.ts",
    kind: "shown by id: hub messages/targets.test.ts",
    name: "shown by id: hub messages/targets.test.ts",
    url: "shown by id: hub messages/targets.test.ts",
    topic: "shown by id: hub messages/targets.test.ts",
    alarms: "shown by id: hub messages/targets.test.ts",
    token: "a credential",
  },
  "PUT /hub/featureswitches FEATURE_SWITCH": {
    feature: "says which",
    isOn: "shown in a list: routes/feature-switches.test.ts",
  },
  "POST /rules/proposals": {
    devices: "a question",
    room: "a question",
    max: "a question",
    configType: "a question",
  },
  "PUT /scenes CMD_SCENE": { sceneTimes: "shown as RULETIME: routes/scenes.test.ts" },
  "PUT /scenes/command CMD_SCENE": { sceneTimes: "shown as RULETIME: routes/scenes.test.ts" },
  "POST /bacnet/scan SCAN_BACNET_DEVICE": {
    address: "a question",
    deviceId: "a question",
    objectType: "a question",
    objectId: "a question",
  },
  "POST /bacnet/pair PAIR_BACNET_DEVICE": {
    address: "says which",
    deviceId: "says which",
    objectType: "says which",
    objectId: "says which",
    capability: "of the device that is made",
  },
  "POST /hub/zigbeeimport ZIGBEE2MQTT_FOLDER": { dryRun: "a question", files: "the adapter's" },
  "PUT /devices/command CMD_REPLACE_DEVICE": { by: "ends: model/src/replacement.test.ts", force: "says how" },
  "POST /hub/stick": {
    port: "GET /hub/sticks",
    protocol: "GET /hub/sticks",
    driver: "GET /hub/sticks",
    baudRate: "GET /hub/sticks",
    rtscts: "GET /hub/sticks",
  },
  "PUT /hub/users CMD_USER": { role: "shown within user_info: routes/users.test.ts" },
  "PUT /hub/users/profile CMD_USER_PROFILE": {
    nickname: "shown within user_info: routes/users.test.ts",
    phone: "shown within user_info: routes/users.test.ts",
    language: "shown within user_info: routes/users.test.ts",
  },
  "POST /hub/setup": {
    code: "a credential",
    nickname: "shown within user_info: routes/logins.test.ts",
    email: "shown within user_info: routes/logins.test.ts",
    name: "of the key that is made: GET /hub/keys",
  },
  "POST /hub/logins": { name: "of the login: GET /hub/logins" },
  "POST /hub/logins/approve": { code: "says which", userId: "says for whom", panel: "says for whom" },
  "POST /hub/logins/poll": { secret: "a credential" },
  "POST /rules/whatif": {
    rules: "a question",
    replaces: "a question",
    from: "a question",
    to: "a question",
    on: "a question",
  },
  "POST /hub/update": { action: "a question" },
  "POST /hub/backup": { passphrase: "a credential" },
  "POST /devices/history": {
    series: "a question",
    bucket: "a question",
    from: "a question",
    to: "a question",
    prices: "a question",
  },
  "POST /undo": { kind: "says which", to: "says since when" },
};

/** Values that are sent for fields which are shown again under their own name, and where. */
interface Shown {
  /** The row that shows the object: one by id, or the only one. */
  readonly at: string;
  /** The kind of the object that is changed; none where there is only one. */
  readonly of?: "lamp" | "user" | "group" | "room" | "zone" | "scene";
  readonly fields: Readonly<Record<string, unknown>>;
}

const meta = { name: "Boiler", zones: [], visible: false, locked: true, hotWater: true };

function shownFields(ids: Readonly<Record<string, string>>): Readonly<Record<string, Shown>> {
  const { room = "", lamp = "" } = ids;
  const { locked: _, ...deviceFields } = meta;
  const device: Shown = { at: "/devices", of: "lamp", fields: { ...deviceFields, room: [room] } };
  const presets = { p: { type: "PRESET", id: "p", targetIds: [lamp], state: { isOn: true } } };
  const sceneFields = { name: "Dusk", isOn: true, requiredIds: [] };
  const scene: Shown = { at: "/scenes", of: "scene", fields: { ...sceneFields, presets } };
  return {
    "PUT /devices CMD_DEVICE_META": device,
    "PUT /devices/command CMD_DEVICE_META": device,
    "PUT /devices CMD_DEVICE_VISIBLE": { at: "/devices", of: "lamp", fields: { visible: true } },
    "PUT /devices CMD_DEVICE_ACCESS": { at: "/devices", of: "lamp", fields: { rwx: 493 } },
    "PUT /groups CMD_GROUP": {
      at: "/groups",
      of: "group",
      fields: { name: "Lights", members: [lamp], room: [room] },
    },
    "PUT /scenes CMD_SCENE": scene,
    "PUT /scenes/command CMD_SCENE": { ...scene, fields: { ...scene.fields, name: "Dawn", isOn: false } },
    "PUT /rooms CMD_ROOM": { at: "/rooms", of: "room", fields: { name: "Cellar", order: 7 } },
    "PUT /rooms/order CMD_SET_ROOM_ORDER": { at: "/rooms", of: "room", fields: { order: 9 } },
    "PUT /zones CMD_ZONE": { at: "/zones", of: "zone", fields: { name: "Below" } },
    "PUT /hub/location LOCATION": { at: "/hub/location", fields: { latitude: 66.5, longitude: 25.5 } },
    "PUT /hub/mqtt MQTT_SETTINGS": {
      at: "/hub/mqtt",
      fields: {
        url: "mqtt://10.0.0.5:1883",
        username: "hub",
        expose: ["scenes"],
        commands: "none",
        zigbee2mqtt: ["zigbee2mqtt"],
        tasmota: "tasmota/discovery",
        homeAssistant: "homeassistant",
        user: ids["user"],
      },
    },
    "PUT /hub/sharing SHARING": { at: "/hub/sharing", fields: { share: "states" } },
    "POST /bacnet/settings BACNET_SETTINGS": {
      at: "/bacnet/settings",
      fields: { bacnetEnabled: true, deviceId: 77, deviceName: "Hut", port: 47_809, broadcast: false },
    },
    "PUT /hub/users/preferences PREFERENCES": {
      at: "/hub/users/preferences",
      fields: { values: { favourites: [lamp] } },
    },
    "PUT /hub/preferences PREFERENCES": { at: "/hub/preferences", fields: { values: { start: [1, null] } } },
    "PUT /hub/users CMD_USER": { at: "/hub/users", of: "user", fields: { revoked: true } },
  };
}

/** Fields by row and command, without those that say which object is meant. */
const taken = new Map(
  rows.flatMap((row) => {
    // Carries out what PUT /devices/command does: one command of the same schema.
    const isSameCommand = row.path === "/devices/execute" && row.body === DeviceCommandRequest;
    if (row.body === undefined || row.raw === true || isSameCommand) return [];
    const schema = row.body as { anyOf?: Type.TObject[] } & Partial<Type.TObject>;
    const alternatives = schema.anyOf ?? (schema.properties ? [schema as Type.TObject] : []);
    return alternatives.map(({ properties }) => {
      const { type: { const: type } = {} } = properties as { type?: { const?: string } };
      const name = type === undefined ? rowName(row) : `${rowName(row)} ${type}`;
      return [name, Object.keys(properties).filter((field) => field !== "type" && field !== "id")] as const;
    });
  }),
);

describe("fields that bodies have", () => {
  let api: Client;
  let owner: string;
  let ids: Readonly<Record<string, string>>;

  before(async () => {
    const hub = await openTestHub(memoryLog(), new SimulatedClock());
    await hub.run({ type: "SET_FEATURES", id: hub.hubId, features: [features.EVENTS, features.MQTT] });
    api = hub.api("local");
    owner = await hub.sign();
    const lamp = await hub.addDevice();
    const room = await hub.run({ type: "CMD_ROOM", name: "Hall" });
    const group = await hub.run({ type: "CMD_GROUP", name: "All", members: [lamp] });
    const scene = await hub.run({ type: "CMD_SCENE", name: "Evening" });
    const zone = await hub.run({ type: "CMD_ZONE", name: "Upstairs" });
    ids = { lamp, room, group, scene, zone, user: (await hub.user(8)).id };
  });

  test("every field is either shown by a GET or listed as an exception with its reason", () => {
    const shown = shownFields(ids);
    for (const [name, fields] of taken) {
      const told = [...Object.keys(shown[name]?.fields ?? {}), ...Object.keys(exceptions[name] ?? {})];
      const rights = name.endsWith("CMD_DEVICE_META") ? ["locked"] : [];
      assert.deepEqual([...told, ...rights].toSorted(), fields.toSorted(), name);
    }
    for (const name of [...Object.keys(exceptions), ...Object.keys(shown)]) assert.ok(taken.has(name), name);
  });

  test("GET shows the values as they were sent", async () => {
    for (const [name, { at, of, fields }] of Object.entries(shownFields(ids))) {
      const [method = "", path = "", type] = name.split(" ");
      const id = of === undefined ? undefined : ids[of];
      const sent = await api.send(method, path, owner, { type, ...(id !== undefined && { id }), ...fields });
      assert.equal(sent.status, 200, `${name} ${JSON.stringify(sent.body)}`);
      const body = (await api.send("GET", at, owner)).body as Readonly<Record<string, object>>;
      const object = id === undefined ? body : (body[id] ?? assert.fail(name));
      for (const [field, value] of Object.entries(fields)) {
        const read = (object as Readonly<Record<string, unknown>>)[field];
        if (field === "presets") assert.match(JSON.stringify(read), /"targetIds":\["/, name);
        else assert.deepEqual(read, value, `${name} ${field}`);
      }
    }
  });
});
