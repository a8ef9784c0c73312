import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { signActivationCode, problemsOf } from "@ledge/link";
import { type Command, limits, scanId, type Why } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { Compile } from "typebox/compile";
import type { HubPorts, PortedStick } from "./ports.ts";
import type { RuleLog } from "./routes/custom-rules.ts";
import type { SummedHistory } from "./routes/device-history.ts";
import { rows } from "./routes/index.ts";
import { type Row, rowName } from "./row.ts";
import { childLock, type Client, openTestHub, stray } from "./test-hub.ts";

/** A request that succeeds on a hub with one of each kind, or on one that has no owner yet. */
interface Request {
  readonly query?: string;
  readonly body?: (ids: Ids) => unknown;
  readonly unclaimed?: true;
  /** With a key that the hub has signed itself, in its last days. */
  readonly withLocalKey?: true;
  /** No user may. */
  readonly console?: true;
}

/** One for every row. */
const requests: Readonly<Record<string, Request>> = {
  "GET /hub": {},
  "GET /hub/keycheck": {},
  "POST /hub/claim": { query: "?email=ann@example.org", unclaimed: true },
  "PUT /hub/name": { query: "?name=Villa" },
  "GET /hub/poll": {},
  "GET /hub/colors": {},
  "POST /hub/colors": { query: "?color=%23FF8000" },
  "DELETE /hub/colors": {},
  "POST /hub/zigbeechannel": { query: "?channel=11" },
  "POST /hub/zigbeepower": { query: "?power=8" },
  "GET /hub/zigbeestatus": {},
  "POST /hub/zigbeesettings": { body: () => ({ channel: 26, power: 3, ignore_reachability: true }) },
  "GET /hub/zigbeescan": {},
  "GET /hub/zigbeemap": {},
  "POST /hub/zigbeeimport": {
    body: () => ({ dryRun: false, files: { "configuration.yaml": "", "database.db": "" } }),
  },
  "POST /hub/pairbridge": {},
  "POST /hub/pairaircon": { query: "?hwId=1" },
  "POST /hub/lockconfig": {},
  "GET /hub/users": {},
  "GET /hub/tz": {},
  "PUT /hub/tz": { query: "?timezone=UTC" },
  "GET /hub/housetypes": {},
  "GET /hub/housetype": {},
  "PUT /hub/housetype": { query: "?housetype=row" },
  "GET /hub/timezones": {},
  "GET /hub/location": {},
  "GET /hub/health": {},
  "POST /hub/backup": { body: () => ({ passphrase: "correct horse" }) },
  "GET /hub/backups": {},
  "GET /hub/update": {},
  "POST /hub/update": { body: () => ({ action: "CHECK" }) },
  "GET /hub/sharing": {},
  "GET /hub/featureswitches": {},
  "PUT /hub/featureswitches": {
    body: () => [{ type: "FEATURE_SWITCH", feature: "EVENTS", isOn: true }],
  },
  "GET /hub/mqtt": {},
  "PUT /hub/mqtt": { body: () => ({ url: "mqtt://broker.example.org" }) },
  "DELETE /hub/mqtt": {},
  "GET /hub/messagetargets": {},
  "PUT /hub/messagetargets": {
    body: () => [{ kind: "ntfy", url: "http://ntfy.example.org", topic: "home" }],
  },
  "DELETE /hub/messagetargets": { query: "?targetId=<spareTarget>" },
  "POST /hub/messagetargets/test": { query: "?targetId=<target>" },
  "PUT /hub/sharing": { body: () => ({ type: "SHARING", share: "states" }) },
  "PUT /hub/location": { body: () => ({ type: "LOCATION", latitude: 66.5, longitude: 25.73 }) },
  "GET /hub/433devices": {},
  "POST /hub/pair433": { query: "?device433=plug" },
  "GET /hub/scan": {},
  "PUT /hub/scan": { body: ({ find }) => ({ id: find, ignored: false }) },
  "GET /hub/features": {},
  "POST /hub/activatefeature": { query: "?code=<code>" },
  "POST /hub/pairIp": { body: () => ({ ip: "192.168.1.9", username: "u", password: "p" }) },
  "POST /hub/protocolconfig": { body: () => [{ type: "ZWAVE_START_INCLUSION" }] },
  "GET /hub/serialports": {},
  "POST /hub/serialport": { body: () => serialPort },
  "GET /hub/sync": {},
  "GET /hub/restart": {},
  "GET /hub/reboot": {},
  "GET /hub/shutdown": {},
  "POST /hub/remotepair": {
    console: true,
    body: () => ({ type: "LIGHT", id: "x", name: "Far", capabilities: { type: "SET", values: [] } }),
  },
  "PUT /hub/autoconfig": { body: () => ({ name: "Plan", rooms: { names: ["Attic"] } }) },
  "GET /hub/autoconfig": {},
  "PUT /hub/autoconfig/undo": {},
  "GET /devices": {},
  "PUT /devices": { body: ({ lamp }) => [{ type: "CMD_DEVICE_META", id: lamp, name: "Spot" }] },
  "DELETE /devices": { body: ({ spare }) => [spare] },
  "PUT /devices/command": { body: ({ lamp }) => [{ type: "CMD_DEVICE_ON", id: lamp }] },
  "PUT /devices/preset": { body: ({ lamp }) => [{ targetIds: [lamp], state: { isOn: true } }] },
  "GET /devices/configuration": { query: "?deviceId=<lamp>" },
  "PUT /devices/configuration": { body: ({ lamp }) => ({ id: lamp, parameters: { lock: true } }) },
  "DELETE /devices/configuration": { query: "?deviceId=<lamp>" },
  "GET /groups": {},
  "PUT /groups": { body: ({ lamp }) => [{ name: "New", members: [lamp] }] },
  "PUT /groups/command": { body: ({ group }) => [{ type: "CMD_GROUP_ON", id: group }] },
  "DELETE /groups": { query: "?groupId=<group>" },
  "GET /rules": {},
  "PUT /rules": {
    body: ({ lamp }) => ({ rules: [{ ...config, id: null, outputs: { devices: [lamp] } }] }),
  },
  "PUT /rules/command": { body: ({ rule }) => [{ type: "CMD_RULE_ON", id: rule }] },
  "DELETE /rules": { query: "?ruleId=<spareRule>" },
  "GET /rules/templates": {},
  "POST /rules/proposals": {
    body: ({ lamp }) => ({ devices: [lamp], room: null, max: 1, configType: null }),
  },
  "GET /rules/template": { query: "?type=CUSTOM_A" },
  "GET /rules/log": {},
  "POST /rules/template": { body: () => custom },
  "DELETE /rules/template": { query: "?type=CUSTOM_A" },
  "POST /rules/whatif": {
    body: ({ lamp }) => ({ rules: [{ ...config, outputs: { devices: [lamp] } }], from: 1, to: 2 }),
  },
  "GET /rules/diagram": { query: "?ruleId=<rule>&format=json" },
  "POST /rules/diagram": { query: "?format=json", body: () => custom },
  "PUT /rules/onConfiguration": { body: ({ rule, scene }) => ({ id: rule, scenes: [scene] }) },
  "GET /scenes": {},
  "PUT /scenes": {
    body: ({ lamp }) => [{ name: "New", presets: { p: { targetIds: [lamp], state: { isOn: true } } } }],
  },
  "PUT /scenes/command": { body: ({ scene }) => [{ type: "CMD_SCENE_ON", id: scene }] },
  "DELETE /scenes": { query: "?sceneId=<spareScene>" },
  "GET /rooms": {},
  "PUT /rooms": { body: () => [{ name: "New" }] },
  "PUT /rooms/order": { body: ({ room }) => [{ id: room, order: 2 }] },
  "DELETE /rooms": { query: "?roomId=<room>" },
  "GET /alarms": {},
  "PUT /alarms/close": { query: "?alarmId=<alarm>" },
  "DELETE /alarms": { query: "?alarmId=<alarm>" },
  "GET /hub/sticks": {},
  "POST /hub/stick": { body: () => ({ port: "tcp://10.0.0.7:6638", protocol: "zigbee", driver: "zstack" }) },
  "DELETE /hub/stick": { query: "?protocol=zigbee" },
  "GET /notifications": {},
  "GET /hub/prices": {},
  "GET /bacnet/settings": {},
  "POST /bacnet/settings": {
    body: () => ({ bacnetEnabled: true, deviceId: 4_194_302, deviceName: "Hub", port: 1025 }),
  },
  "POST /bacnet/defaultsettings": {},
  "GET /bacnet/localdevicetypes": {},
  "GET /bacnet/objecttypes": {},
  "POST /bacnet/device": { body: () => ({ id: "switch", objectId: 1, objectName: "x" }) },
  "POST /bacnet/scan": { body: () => ({ address: null }) },
  "GET /bacnet/devices": {},
  "POST /bacnet/pair": {
    body: () => ({ deviceId: 1, objectType: "analogInput", objectId: 2, capability: "TEMPERATURE" }),
  },
  "GET /hub/stopscan": {},
  "PUT /hub/users": { body: ({ user }) => [{ id: user, role: 2 }] },
  "GET /hub/login": {},
  "POST /hub/setup": {
    unclaimed: true,
    body: () => ({ code: "BCDFGHJ", nickname: "Ann", name: "Laptop" }),
  },
  "POST /hub/logins": { body: () => ({ name: "Laptop" }) },
  "GET /hub/logins": { query: "?code=<login>" },
  "POST /hub/logins/approve": { body: ({ login }) => ({ code: login }) },
  "POST /hub/logins/poll": { body: ({ secret }) => ({ secret }) },
  "GET /hub/keys": {},
  "DELETE /hub/keys": { query: "?keyId=<key>" },
  "POST /hub/keys/renew": { withLocalKey: true },
  "DELETE /hub/users": { query: "?userId=<user>" },
  "PUT /hub/users/profile": { body: () => ({ nickname: "Ann" }) },
  "GET /hub/users/preferences": {},
  "PUT /hub/users/preferences": { body: () => ({ values: { favourites: [] } }) },
  "GET /hub/preferences": {},
  "PUT /hub/preferences": { body: () => ({ values: {} }) },
  "GET /devices/history": { query: "?deviceId=<lamp>&attribute=isOn" },
  "POST /devices/history": {
    body: ({ lamp }) => ({ series: [{ deviceId: lamp, attribute: "power" }], bucket: "day", from: 1 }),
  },
  "PUT /devices/execute": { body: ({ lamp }) => ({ type: "CMD_DEVICE_ON", id: lamp }) },
  "GET /devices/outcome": { query: "?track=<track>" },
  "GET /devices/network": { query: "?deviceId=<lamp>" },
  "GET /scenes/outcome": { query: "?sceneId=<scene>" },
  "GET /why": { query: "?id=<lamp>" },
  "GET /timeline": { query: "?from=1&counts=2" },
  "GET /zones": {},
  "PUT /zones": { body: () => [{ name: "New" }] },
  "DELETE /zones": { query: "?zoneId=<zone>" },
  "GET /audit": {},
  "POST /undo": { body: ({ zone }) => ({ kind: "zone", id: zone }) },
  "GET /apidoc": {},
  "GET /healthz": {},
};

const config = { type: "CONFIG", name: "Rule", configType: "AUTO_OFF", inputs: {}, outputs: {}, extras: {} };

const custom = {
  type: "CUSTOM_RULE",
  configType: "CUSTOM_A",
  template: { type: "TEMPLATE", name: "A" },
  machine: { initial: "a", states: { a: {} } },
};
const installing: HubPorts["installing"] = (source) => {
  return { type: "INSTALL_CUSTOM_RULE", id: "CUSTOM_A", source, hash: "0" };
};

const ruleDiagram: HubPorts["ruleDiagram"] = () => ({
  type: "RULE_DIAGRAM",
  configType: "CUSTOM_A",
  states: [{ id: "off", name: "off", parent: null, initial: true, parallel: false, current: true }],
  transitions: [{ from: "off", to: "off", on: null, after: 1000, guard: "any(motion)" }],
});

/** The hub's adapters, as far as rows ask them. */
const settings = { type: "SERIAL_SETTINGS", baudrate: 9600, databits: 8, stopbits: 1, parity: "none" };
const serialPort = { type: "SERIAL_CONFIG", controllerType: "MODBUS_CONTROLLER", name: "line", settings };
const unknownNode = { manufacturer: null, model: null, lastSeen: null, answered: true, missing: false };
const answers: Readonly<Record<string, unknown>> = {
  GET_SERIAL_PORTS: [serialPort],
  SET_SERIAL_PORT: true,
  SET_ZIGBEE: true,
  GET_ZIGBEE_MAP: {
    at: 1,
    complete: true,
    nodes: [{ ieee: "0x1", nwk: 0, type: "Coordinator", ...unknownNode }],
    links: [{ from: "0x1", to: "0x2", lqi: 255, depth: 1, relationship: "child", routes: [7] }],
  },
  IMPORT_ZIGBEE2MQTT: {
    channel: 15,
    panId: 1,
    extendedPanId: "0",
    hasBackup: false,
    devices: [],
    groups: [{ address: 1, name: "All", members: [] }],
    later: [],
  },
  GET_ZIGBEE_STATUS: { connected: true, stats: { rx_successful: 5 } },
  SCAN_ZIGBEE: [{ channel: 11, energy: 40 }],
  PAIR_BRIDGE: true,
  PAIR_AIRCON: true,
  GET_433_DEVICES: [{ type: "433_PAIR_INFO", id: "plug", name: "Plug", manufacturer: "X" }],
  PAIR_433: true,
  GET_BACNET_LOCAL_TYPES: [],
  CREATE_BACNET_DEVICE: true,
  SCAN_BACNET_DEVICE: true,
  GET_BACNET_DEVICES: {},
  PAIR_BACNET_DEVICE: true,
};
const stick: PortedStick = {
  port: "/dev/serial/by-id/usb-ConBee_II-if00",
  node: "/dev/ttyACM0",
  isThere: true,
  model: "ConBee II",
  certainty: "sure",
  protocol: "zigbee",
  driver: "deconz",
  vendorId: "1cf1",
  productId: "0030",
  manufacturer: null,
  product: null,
  serialNumber: null,
  usedBy: null,
};
const sticks: HubPorts["sticks"] = {
  list: async () => [stick],
  taking: async ({ port, protocol: id, driver }) =>
    ({ type: "TAKE_STICK", id, port, driver, baudRate: null, rtscts: null }) as Command,
};
const offering: HubPorts["offering"] = async (type) => (type in answers ? ["adapter"] : []);
const ask: HubPorts["ask"] = async ({ type }) =>
  type in answers ? { answered: true, value: answers[type] } : undefined;

/** What the past answers, as far as rows ask it. */
const told = { at: 1, device: "lamp", attributes: { isOn: false }, rule: "tried-1" };
const pastAnswers: Readonly<Record<string, object>> = {
  why: {
    type: "WHY",
    object: { kind: "device", id: "lamp", name: "Lamp" },
    attribute: "isOn",
    value: true,
    at: 2,
    links: [
      { at: 1, ref: "1-0", type: "DeviceReported", origin: "device", text: "Lamp went on", object: null },
    ],
    end: "root",
    attempts: [],
    not: [],
    more: false,
  } satisfies Why,
  audit: { type: "AUDIT", entries: [], next: null },
  timeline: { type: "TIMELINE", entries: [], next: null, counts: [{ at: 1, events: 0, alarms: 0 }] },
  "rule-log": {
    type: "RULE_LOG",
    entries: [
      { type: "RULE_LOG_ENTRY", ref: "1-0", timestamp: 1, event: "RuleSaid", ruleId: "rule", text: "hm" },
    ],
    before: null,
  } satisfies RuleLog,
  // It is removed by then, and was not there before.
  undo: { timestamp: 1, before: null, now: null, isOn: false, devices: [], groups: [] },
  history: {
    deviceId: "lamp",
    attribute: "isOn",
    from: 1,
    to: 9,
    oldest: 1,
    before: null,
    form: "changes",
    points: [{ from: 2, value: true, ms: 7 }],
  },
  sums: {
    type: "SUMMED_HISTORY",
    bucket: "day",
    timezone: "UTC",
    oldest: 1,
    starts: [1, 2],
    end: 3,
    currency: "EUR",
    series: [
      {
        deviceId: "lamp",
        attribute: "power",
        points: [
          null,
          {
            min: 1,
            max: 2,
            avg: 1.5,
            ms: 9,
            first: 1,
            last: 2,
            count: 2,
            rise: 1,
            kWh: 1,
            cost: null,
            unpriced: 1,
          },
        ],
      },
    ],
  } satisfies SummedHistory,
  whatif: {
    openLoop: true,
    from: 1,
    to: 2,
    firings: 1,
    commands: [{ ...told, because: { ref: "1-0", event: "TimerFired", timer: "t", device: "lamp" } }],
    commandCount: 1,
    suppressed: 0,
    diff: { onlyNew: [], onlyOld: [told], onlyNewCount: 0, onlyOldCount: 1 },
    faults: [],
    alarms: [],
    onTimeMs: { lamp: 5 },
  },
};
const past: HubPorts["past"] = { ask: async (task) => Buffer.from(JSON.stringify(pastAnswers[task])) };
/** Rows whose answer is no JSON. */
const others = ["GET /log", "GET /events", "GET /metrics", "GET /hub/backup", "GET /", "GET /ui/:file"];

type Ids = Record<
  | "lamp"
  | "spare"
  | "group"
  | "room"
  | "rule"
  | "spareRule"
  | "scene"
  | "spareScene"
  | "target"
  | "spareTarget"
  | "zone"
  | "alarm"
  | "find"
  | "user"
  | "code"
  | "track"
  | "login"
  | "secret"
  | "key",
  string
>;

describe("answers match the rows' result schemas", () => {
  let api: Client;
  let console: Client;
  let owner: string;
  let localKey: string;
  let ids: Ids;

  before(async () => {
    const clock = new SimulatedClock();
    const hub = await openTestHub(memoryLog(), clock, {
      ports: { offering, ask, sticks, past, installing, ruleDiagram },
    });
    const issue = { type: "ISSUE_LOCAL_KEY", user: null, name: "Laptop", isPanel: false };
    const [old, key] = [await hub.run(issue), await hub.run(issue)];
    clock.advance(limits.localKeyMs - limits.localKeyRenewMs);
    const [record, holder] = [hub.kernel.get("localKey", old), hub.kernel.get("user", "owner")];
    if (record !== undefined && holder !== undefined) localKey = await hub.signLocal(record, holder);
    api = hub.api("local");
    console = hub.api("console");
    owner = await hub.sign();
    const [lamp, spare] = [await hub.addDevice(), await hub.addDevice({ native: "2" })];
    await hub.run({ type: "DESCRIBE_CONFIGURATION", id: lamp, items: [childLock], values: {} });
    const room = await hub.run({ type: "CMD_ROOM", name: "Hall" });
    const group = await hub.run({ type: "CMD_GROUP", name: "All", members: [lamp], room: [room] });
    await hub.run({ type: "SET_FEATURES", id: hub.hubId, features: [2, 3, 5, 7, 11, 17, 21] });
    await hub.run({ type: "SET_MQTT_BROKER", url: "mqtt://broker.example.org" });
    await hub.run(installing(JSON.stringify(custom)));
    const raise = { type: "RAISE_ALARM", kind: "REPORTS_LOST", sourceId: "sim", name: "sim" };
    const alarm = await hub.run(raise);
    const presets = { p: { targetIds: [lamp], state: { isOn: true } } };
    const scene = await hub.run({ type: "CMD_SCENE", name: "Evening", presets });
    const spareScene = await hub.run({ type: "CMD_SCENE", name: "Morning" });
    const rule = await hub.run({ type: "SET_RULE", config });
    const spareRule = await hub.run({ type: "SET_RULE", config });
    const zone = await hub.run({ type: "CMD_ZONE", name: "Upstairs" });
    await hub.run({ type: "SCAN", durationMs: 10_000 });
    await hub.run({ ...stray, native: "stray" });
    const [find = ""] = Object.keys(hub.kernel.get("scan", scanId)?.finds ?? {});
    const content = { serial: "0123456789abcdef", features: [15], expires: hub.clock.wall() + 1000 };
    const code = signActivationCode(content, hub.hubId, hub.issuerKey);
    const { id: user } = await hub.user(8);
    const setTarget = { type: "SET_MESSAGE_TARGET", user, kind: "ntfy", url: "http://ntfy.example.org" };
    const target = await hub.run({ ...setTarget, topic: "home", local: true });
    const spareTarget = await hub.run({ ...setTarget, topic: "other", local: true });
    const { body } = await api.send("PUT", "/devices/execute", owner, { type: "CMD_DEVICE_ON", id: lamp });
    const { track } = body as { track: string };
    const begun = await api.send("POST", "/hub/logins", undefined, { name: "Phone" });
    const { code: login, secret } = begun.body as { code: string; secret: string };
    ids = {
      code,
      track,
      user,
      lamp,
      spare,
      group,
      room,
      rule,
      spareRule,
      scene,
      spareScene,
      target,
      spareTarget,
      zone,
      alarm,
      find,
      login,
      secret,
      key,
    };
  });

  test("covers every row", () => {
    const named = [...Object.keys(requests), ...others];
    assert.deepEqual(named.toSorted(), rows.map(rowName).toSorted());
  });

  // What is locked cannot be removed, and what is scanned ends, so these come last.
  const last = new Set(["GET /hub/stopscan", "POST /hub/lockconfig"]);
  const isLast = (each: Row): boolean => last.has(rowName(each));
  const tried = rows.filter((each) => !others.includes(rowName(each)));
  for (const row of [...tried.filter((each) => !isLast(each)), ...tried.filter(isLast)]) {
    test(rowName(row), async () => {
      const request = requests[rowName(row)] ?? {};
      const { query = "", body, unclaimed: isNew, console: isForConsole } = request;
      const key = request.withLocalKey ? localKey : owner;
      const target = query.replace(/<(\w+)>/, (_, name: keyof Ids) => ids[name]);
      const path = `${row.unversioned ? "/" : ""}${row.path}${target}`;
      const isNewHub = { claimed: false };
      const asked = isNew
        ? (await openTestHub(memoryLog(), new SimulatedClock(), isNewHub)).api("local")
        : isForConsole
          ? console
          : api;
      const answer = await asked.send(row.method, path, key, body?.(ids));
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.equal(answer.headers.get("content-type"), "application/json");
      assert.deepEqual(problemsOf(Compile(row.asJson ?? row.result), answer.body), []);
    });
  }
});
