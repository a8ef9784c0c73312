import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { memoryLog } from "@ledge/log";
import { SimulatedClock } from "@ledge/testkit";
import type { HubPorts } from "./ports.ts";
import { rowName } from "./row.ts";
import { rows } from "./routes/index.ts";
import { type Client, openTestHub, type TestHub } from "./test-hub.ts";

/** A schema, as far as it says which fields there are. */
interface Schema {
  readonly const?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly else?: Schema;
}

/** Paths of all fields of a schema: `[]` stands for each of a list, `*` for each of a dictionary. */
function pathsOf(schema: Schema, path = ""): string[] {
  const { properties = {}, items, patternProperties = {}, anyOf = [], allOf = [] } = schema;
  const inner = [...anyOf, ...allOf, ...(schema.else === undefined ? [] : [schema.else])];
  return [
    ...inner.flatMap((one) => pathsOf(one, path)),
    ...(items === undefined ? [] : pathsOf(items, `${path}[]`)),
    ...Object.values(patternProperties).flatMap((one) => pathsOf(one, `${path}.*`)),
    ...Object.entries(properties).flatMap(([name, one]) => {
      const at = path === "" ? name : `${path}.${name}`;
      return [at, ...pathsOf(one, at)];
    }),
  ];
}

/** Paths by row and command, each once. */
const taken = new Map(
  rows.flatMap((row): [string, ReadonlySet<string>][] => {
    if (row.body === undefined || row.raw === true) return [];
    const body: Schema = row.body;
    const { anyOf = [body] } = body;
    return anyOf.map((one) => {
      const type = one.properties?.["type"]?.const;
      const name = type === undefined ? rowName(row) : `${rowName(row)} ${type}`;
      return [name, new Set(pathsOf(one))];
    });
  }),
);

const cfg = ["type", "id", "name", "configType", "inputs", "outputs", "extras"];
const meta = ["id", "name", "room", "hotWater", "locked"];
const presetFields = ["type", "id", "targetIds", "state"];
const under = (path: string, fields: readonly string[]): string[] =>
  fields.map((field) => `${path}.${field}`);
const byId = (...names: string[]): Record<string, string[]> =>
  Object.fromEntries(names.map((name) => [name, ["type", "id"]]));

/** What clients in the field are known to send (wire-facts 0, 2, 3, 6), by where they send it. */
const sent: Readonly<Record<string, readonly string[]>> = {
  "PUT /devices/command CMD_DEVICE": ["type", "id", "state", "payload"],
  "PUT /groups/command CMD_DEVICE": ["type", "id", "state", "payload"],
  "PUT /devices CMD_DEVICE_META": ["type", ...meta],
  "PUT /devices/command CMD_DEVICE_META": ["type", ...meta],
  "PUT /devices CMD_DEVICE_VISIBLE": ["type", "id", "visible"],
  "PUT /devices CMD_DEVICE_LOCK": ["type", "id", "locked"],
  ...byId("PUT /devices/command CMD_DEVICE_ON", "PUT /devices/command CMD_DEVICE_OFF"),
  ...byId("PUT /devices/command CMD_IDENTIFY", "PUT /devices/command CMD_IGNORE_DEVICE"),
  ...byId("PUT /groups/command CMD_GROUP_ON", "PUT /groups/command CMD_GROUP_OFF"),
  ...byId("PUT /scenes/command CMD_SCENE_ON", "PUT /scenes/command CMD_SCENE_OFF"),
  ...byId("PUT /rules/command RULE_ON_COMMAND", "PUT /rules/command RULE_OFF_COMMAND"),
  ...byId("PUT /rules/command CMD_RULE_ON", "PUT /rules/command CMD_RULE_OFF"),
  "PUT /groups CMD_GROUP": ["type", "id", "name", "members", "room"],
  "PUT /scenes CMD_SCENE": [
    "type",
    "id",
    "name",
    "isOn",
    "presets",
    "sceneTimes",
    ...under("presets.*", presetFields),
  ],
  "PUT /rooms CMD_ROOM": ["type", "id", "name", "order"],
  "PUT /hub/scan SET_SCAN_RESULT": ["type", "id", "ignored"],
  "PUT /rules": [...under("rules[]", cfg), ...under("onConfiguration", ["type", "scenes", "timers"])],
  "PUT /rules/onConfiguration": ["type", "id", "scenes", "timers"],
  "POST /hub/remotepair": [
    "type",
    "id",
    "name",
    "capabilities",
    "room",
    "groups",
    "manufacturer",
    "model",
  ].concat(["zones", "always_create", "bacnetIds", "controller_ref"]),
  "PUT /hub/autoconfig": [
    "type",
    "name",
    "hubName",
    "deviceNamePrefix",
    "generateBacnetId",
    "modbusTcpBase",
    "variables",
    "protocols",
    "removedDevices",
    ...under("rooms", ["type", "names", "clear"]),
    ...under("devices.*", ["desc", "name", "room", "locked", "visible", "config_commands"]),
    ...under("devices.*.desc", [
      "type",
      "always_create",
      "bacnetIds",
      "controller_ref",
      "address",
      "register",
    ]),
    ...under("devices.*.desc", ["register_type", "device_type", "vendor_name", "model_name"]),
    ...under("devices.*.config_commands[]", ["type", ...meta]),
    ...under("scenes.*", ["factoryScene", "name", "isOn", "presets", "requiredIds"]),
    ...under("scenes.*.presets[]", presetFields),
    ...under("rules[].config", cfg),
    ...under("rules[].on_config", ["type", "id", "scenes", "timers"]),
  ],
};

/** Fields of a time range, which is stored and shown as it came (routes/scenes.test.ts, routes/autoconfig.test.ts). */
const ofTimeRange = /(?:timers|sceneTimes)\[\]\./;

/** What becomes of further fields that stand within others. */
const within: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "POST /hub/remotepair": { "capabilities.values": "shown below" },
  "PUT /hub/autoconfig": {
    "devices.*.desc.port": "sent to the adapter: says which line",
    "devices.*.config_commands[].zones": "shown below",
    "devices.*.config_commands[].visible": "shown below",
    "devices.*.config_commands[].awayThreshold": "refused",
    "rules[].config": "shown below",
    "rules[].on_config": "shown below",
  },
  "PUT /scenes/command CMD_SCENE": {
    "presets.*.id": "as PUT /scenes",
    "presets.*.targetIds": "as PUT /scenes",
    "presets.*.state": "as PUT /scenes",
  },
  "POST /rules/whatif": Object.fromEntries(
    under("rules[]", ["id", "name", "configType", "inputs", "outputs", "extras"]).map((path) => [
      path,
      "a question",
    ]),
  ),
  "POST /devices/history": Object.fromEntries(
    under("series[]", ["deviceId", "attribute"]).map((path) => [path, "a question"]),
  ),
  "POST /hub/zigbeeimport ZIGBEE2MQTT_FOLDER": Object.fromEntries(
    under("files", [
      "configuration.yaml",
      "database.db",
      "coordinator_backup.json",
      "devices.yaml",
      "groups.yaml",
      "secret.yaml",
    ]).map((path) => [path, "the adapter's"]),
  ),
  "POST /hub/serialport SERIAL_CONFIG": {
    "settings.baudrate": "the adapter's: GET /hub/serialports",
    "settings.databits": "the adapter's: GET /hub/serialports",
    "settings.stopbits": "the adapter's: GET /hub/serialports",
    "settings.parity": "the adapter's: GET /hub/serialports",
  },
};

/** What is known to be sent and has no field: why nothing is lost by that. */
const unread: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "PUT /hub/autoconfig": {
    "rules[].on_config.type": "says nothing: there is one kind",
    "rules[].on_config.id": "empty: its CONFIG says which rule",
  },
};

/** Nobody answers at address 9; what is paired is there a moment later. */
class Line {
  hub: TestHub | undefined;
  readonly asked: Readonly<Record<string, unknown>>[] = [];
  readonly #places: object[] = [];

  readonly offering: HubPorts["offering"] = async (type, among) =>
    type === (among === "protocolCommands" ? "HELLO" : "GET_MODBUS_DEVICES") ? ["modbus"] : [];

  readonly ask: HubPorts["ask"] = async ({ type, commands }) => {
    if (type === "GET_MODBUS_DEVICES") return { answered: true, value: this.#places };
    const [command] = commands as [Record<string, string>];
    this.asked.push(command);
    if (type === "HELLO") return { answered: true, value: true };
    const { address, register, registerType, name } = command;
    const native = `line/${address}`;
    this.#places.push({ native, port: "line", address, registers: [{ register, registerType }] });
    void setImmediate().then(() => this.hub?.addDevice({ protocol: "modbus", native, name }));
    return { answered: true, value: true };
  };
}

const desc = { type: "MODBUS_DEVICE", address: 2, register: 1, register_type: 3, device_type: "RELAY" };
const pumpWith = (more: object): object => ({
  name: "x",
  devices: { a: { name: "A", desc: { ...desc, ...more } } },
});
const commandWith = (more: object): object => ({
  name: "x",
  devices: { lamp: { config_commands: [{ type: "CMD_DEVICE_META", ...more }] } },
});
const far = { type: "LIGHT", id: "far", name: "Far", capabilities: { type: "SET", values: ["DEVICE"] } };
/** What asks for something that the hub does not do. */
const refused: readonly (readonly [row: string, body: object, field: string])[] = [
  ["PUT /hub/autoconfig", { name: "x", generateBacnetId: true }, "generateBacnetId"],
  ["PUT /hub/autoconfig", pumpWith({ always_create: true }), "devices.a.desc.always_create"],
  ["PUT /hub/autoconfig", pumpWith({ controller_ref: { type: "REF" } }), "devices.a.desc.controller_ref"],
  ["PUT /hub/autoconfig", pumpWith({ bacnetIds: [{ type: "BACNET_ID" }] }), "devices.a.desc.bacnetIds"],
  ["PUT /hub/autoconfig", commandWith({ id: "other" }), "devices.lamp.config_commands.0.id"],
  [
    "PUT /hub/autoconfig",
    commandWith({ awayThreshold: 60_000 }),
    "devices.lamp.config_commands.0.awayThreshold",
  ],
  ["POST /hub/remotepair", { ...far, always_create: true }, "always_create"],
  ["POST /hub/remotepair", { ...far, controller_ref: "a" }, "controller_ref"],
  ["POST /hub/remotepair", { ...far, bacnetIds: [1] }, "bacnetIds"],
  ["POST /hub/remotepair", { ...far, groups: ["g"] }, "groups"],
  ["POST /hub/remotepair", { ...far, room: ["nowhere"] }, "room"],
  ["POST /hub/remotepair", { ...far, zones: ["nowhere"] }, "zones"],
];

describe("fields that clients in the field send", () => {
  let hub: TestHub;
  let line: Line;
  let api: Client;
  let owner: string;

  beforeEach(async () => {
    line = new Line();
    const { offering, ask } = line;
    hub = await openTestHub(memoryLog(), new SimulatedClock(), { ports: { offering, ask } });
    line.hub = hub;
    api = hub.api("local");
    owner = await hub.sign();
    await hub.run({ type: "ADD_FACTORY_SCENES" });
  });

  type Shown = Readonly<Record<string, unknown>>;
  async function get(path: string): Promise<Readonly<Record<string, Shown>>> {
    const { status, body } = await api.send("GET", path, owner);
    assert.equal(status, 200, path);
    return body as Readonly<Record<string, Shown>>;
  }
  async function named(path: string, name: string): Promise<Shown> {
    return Object.values(await get(path)).find((one) => one["name"] === name) ?? assert.fail(`no ${name}`);
  }
  async function put(path: string, body: object): Promise<void> {
    const answer = await api.send("PUT", path, owner, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  }

  test("the hub reads every field that clients send, or lists why not", () => {
    for (const [name, fields] of Object.entries(sent)) {
      const known = taken.get(name) ?? assert.fail(name);
      const missing = fields.filter((field) => !known.has(field) && unread[name]?.[field] === undefined);
      assert.deepEqual(missing, [], name);
    }
  });

  test("every nested field is known from clients or listed with what becomes of it", () => {
    const untold = [...taken].flatMap(([name, known]) => {
      const told = new Set([...(sent[name] ?? []), ...Object.keys(within[name] ?? {})]);
      const inner = [...known].filter(
        (path) => /[.[*]/.test(path) && !ofTimeRange.test(path) && !path.endsWith(".type"),
      );
      return inner.filter((path) => !told.has(path)).map((path) => `${name} ${path}`);
    });
    assert.deepEqual(untold, []);
    for (const [name, paths] of Object.entries(within))
      for (const path of Object.keys(paths)) assert.ok(taken.get(name)?.has(path), `${name} ${path}`);
  });

  for (const [row, body, field] of refused) {
    test(`${row} refuses ${field} and names it`, async () => {
      const [method = "", path = ""] = row.split(" ");
      const listener = path === "/hub/remotepair" ? hub.api("console") : api;
      const before = hub.kernel.timestamp;
      const { status, body: answer } = await listener.send(method, path, owner, body);
      const { message, errors } = answer as { message: string; errors: { field: string }[] };
      assert.deepEqual([status, errors[0]?.field], [422, field], message);
      assert.equal(hub.kernel.timestamp, before);
    });
  }

  test("an autoconfiguration applies each of its fields", async () => {
    const [attic, lamp] = [await hub.run({ type: "CMD_ROOM", name: "Attic" }), await hub.addDevice()];
    const zone = await hub.run({ type: "CMD_ZONE", name: "Upstairs" });
    const gone = await hub.addDevice();
    const maker = { vendor_name: "Pumps Ltd", model_name: "P-2", always_create: false, controller_ref: null };
    const config = { configType: "MOTION_LIGHT", name: "Lights", inputs: { sensors: ["pump"] }, outputs: {} };
    await put("/hub/autoconfig", {
      type: "DC_AUTO_CONFIG",
      name: "Cottage",
      hubName: "${PLACE}",
      variables: { PLACE: "Lake" },
      deviceNamePrefix: "The ",
      generateBacnetId: false,
      modbusTcpBase: 100,
      protocols: [{ ...desc, type: "HELLO", address: 7 }],
      removedDevices: [gone],
      rooms: { type: "DC_ROOM_CONFIG", names: ["Porch"], clear: true },
      devices: {
        pump: {
          desc: { ...desc, ...maker, bacnetIds: [] },
          name: "pump",
          room: "Cellar",
          locked: true,
          visible: false,
        },
        [lamp]: {
          config_commands: [
            { type: "CMD_DEVICE_META", id: "", name: "Lamp", room: ["Porch"], zones: [zone], hotWater: true },
            { type: "CMD_DEVICE_META", visible: false, locked: true },
          ],
        },
      },
      scenes: {
        dusk: {
          name: "Dusk",
          isOn: true,
          presets: [{ type: "PRESET", id: "p", targetIds: ["pump"], state: { isOn: true } }],
        },
        away: { factoryScene: "AWAY", requiredIds: [] },
        late: { name: "Late", requiredIds: ["dusk"] },
      },
      rules: [
        { config: { type: "CONFIG", id: "old", ...config, extras: {} }, on_config: { scenes: ["dusk"] } },
      ],
    });
    const { name } = (await api.send("GET", "/hub")).body as { name?: string };
    assert.equal(name ?? hub.kernel.get("hub", hub.hubId)?.name, "Lake");
    const pair = line.asked.find(({ type }) => type === "PAIR_MODBUS");
    const { type: _, readDeviceIdSupported: __, registerRequired: ___, ...wanted } = pair ?? {};
    assert.deepEqual(wanted, {
      name: "The pump",
      deviceType: "RELAY",
      manufacturer: "Pumps Ltd",
      model: "P-2",
      address: 2,
      register: 101,
      registerType: 3,
    });
    assert.equal(
      line.asked.some(({ type }) => type === "HELLO"),
      true,
    );
    const devices = await get("/devices");
    assert.equal(devices[gone], undefined);
    const rooms = await get("/rooms");
    assert.equal(rooms[attic], undefined);
    const [porch, cellar] = [await named("/rooms", "Porch"), await named("/rooms", "Cellar")];
    const shown = ({ name: called, room, zones, rwx, visible, hotWater }: Shown): unknown[] => [
      called,
      room,
      zones,
      rwx,
      visible,
      hotWater,
    ];
    const pump = await named("/devices", "The pump");
    assert.deepEqual(shown(pump), ["The pump", [cellar["id"]], [], 365, false, undefined]);
    assert.deepEqual(shown(devices[lamp] ?? {}), ["Lamp", [porch["id"]], [zone], 365, false, true]);
    const [dusk, late] = [await named("/scenes", "Dusk"), await named("/scenes", "Late")];
    assert.equal(dusk["isOn"], true);
    const [preset] = Object.values(dusk["presets"] as Record<string, { targetIds: string[]; state: object }>);
    assert.deepEqual([preset?.targetIds, preset?.state], [[pump["id"]], { type: "STATE_LIGHT", isOn: true }]);
    assert.deepEqual(late["requiredIds"], [dusk["id"]]);
    const [rule] = Object.values(await get("/rules")) as { config: object; scenes: object }[];
    assert.partialDeepStrictEqual(rule?.config, { ...config, inputs: { sensors: [pump["id"]] } });
    assert.deepEqual(rule?.scenes, { [String(dusk["id"])]: true });
    const [run] = (await get("/hub/autoconfig")) as unknown as { name: string }[];
    assert.equal(run?.name, "Cottage");
  });

  test("a rule and a scene keep their nested fields", async () => {
    const sensor = await hub.addDevice({ class: "MOTION", capabilities: ["DEVICE", "MOTION"], native: "m" });
    const lamp = await hub.addDevice();
    const cronDef = { type: "CRONDEF", start: "0 15 * * 1", stop: "0 22 * * 1" };
    const presets = { p: { type: "PRESET", id: "p", targetIds: [lamp], state: { isOn: true } } };
    await put("/scenes", [
      {
        type: "CMD_SCENE",
        id: null,
        name: "Dusk",
        presets,
        sceneTimes: [{ type: "RULETIME", enabled: false, cronDef }],
      },
    ]);
    const dusk = await named("/scenes", "Dusk");
    assert.deepEqual(dusk["sceneTimes"], [{ type: "RULETIME", enabled: false, cronDef }]);
    const extras = { delayMs: [{ type: "TIME_DELTA_MS", value: 60_000 }] };
    const config = {
      type: "CONFIG",
      name: "Hall",
      configType: "MOTION_LIGHT",
      inputs: { sensors: [sensor] },
    };
    const rules = [{ ...config, id: null, outputs: { lights: [lamp] }, extras }];
    await put("/rules", { rules, onConfiguration: { type: "RULE_ON_CFG", scenes: [], timers: [cronDef] } });
    const [rule] = Object.values(await get("/rules")) as { config: object; timers: object }[];
    assert.partialDeepStrictEqual(rule?.config, { ...config, outputs: { lights: [lamp] }, extras });
    assert.deepEqual(rule?.timers, [{ type: "RULETIME", enabled: true, cronDef }]);
  });

  test("a device added by POST /hub/remotepair keeps each of its fields", async () => {
    const room = await hub.run({ type: "CMD_ROOM", name: "Hall" });
    const zone = await hub.run({ type: "CMD_ZONE", name: "Upstairs" });
    const body = {
      ...far,
      manufacturer: "Lamps Ltd",
      model: "L-1",
      room: [room],
      zones: [zone],
      hotWater: false,
      visible: false,
      groups: [],
      bacnetIds: [],
      always_create: false,
      controller_ref: null,
      state: { isOn: true },
    };
    assert.equal((await hub.api("console").send("POST", "/hub/remotepair", undefined, body)).status, 200);
    for (let turn = 0; turn < 3; turn++)
      await hub.run({ type: "ADD_COLOR", id: hub.hubId, color: `#00000${turn}` });
    const { id: _, capabilities, ...kept } = await named("/devices", "Far");
    assert.deepEqual(capabilities, far.capabilities);
    const { manufacturer, model, hotWater, visible } = body;
    const fields = { type: "LIGHT", name: "Far", manufacturer, model, room: [room], zones: [zone] };
    assert.partialDeepStrictEqual(kept, { ...fields, hotWater, visible });
  });
});
