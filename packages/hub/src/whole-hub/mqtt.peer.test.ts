import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Device } from "@ledge/model";
import { BrokerClient, faultsOf, guardedBroker, Mosquitto } from "@ledge/testkit/mqtt";
import { bareProfile, eventually, HubProcess, temporaryFolder } from "../testdata/hub-process.ts";

const folder = temporaryFolder();
let broker: Mosquitto;
let other: BrokerClient;
let hub: HubProcess;
let key: string;

/** An air conditioner, as docs/air-conditioners.md describes one. */
const unit = {
  id: "office",
  name: "Office unit",
  class: "THERMOSTAT",
  capabilities: ["AIRCON"],
  points: [
    { attribute: "temperature", topic: "unit/state", path: "room" },
    { attribute: "extras.pump.condensate", topic: "unit/state", path: "pump", type: "bool" },
    { attribute: "extras.pump.condensate.error", topic: "unit/state", path: "fault", type: "text" },
  ],
};

const start = async (): Promise<HubProcess> => {
  const profile = bareProfile(folder.path, {
    features: ["MQTT", "MODBUS", "MBUS", "BLE"],
    adapters: {
      sim: { seed: 1 },
      mqtt: {
        broker: { url: broker.url },
        homeAssistant: {},
        sources: { zigbee2mqtt: ["zigbee2mqtt"], ble: ["home/+/BTtoMQTT/#"], topics: [unit] },
      },
    },
  });
  return await HubProcess.start(join(folder.path, "data"), "--profile", profile);
};

before(async () => {
  broker = await Mosquitto.start(folder.path);
  other = await BrokerClient.join(broker.url);
  hub = await start();
  key = await hub.key();
  await hub.homeAnnounced(key);
});
after(async () => {
  await hub.stop();
  await other.leave();
  await broker.kill();
  folder.remove();
});

/** Returns the contents of all files in a folder. */
const filesOf = (...path: readonly string[]): readonly Buffer[] =>
  readdirSync(join(...path), { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name)));

/** Returns the topic that ends so and has a configuration with this name of its device or entity. */
const found = (component: string, name: string): Promise<Record<string, string>> =>
  eventually(`${component} ${name}`, async () => {
    const configs = [...other.newest]
      .filter(([topic]) => topic.startsWith(`homeassistant/${component}/`))
      .map(([, payload]) => JSON.parse(payload) as { name: string | null; device: { name: string } });
    return configs.find(({ name: own, device }) => (own ?? device.name) === name) as
      | Record<string, never>
      | undefined;
  });

test("the home is discovered as Home Assistant wants it, and its lamp, scenes and groups are commanded", async () => {
  const lamp = await found("light", "Floor lamp");
  await other.say(lamp["command_topic"] ?? "", { state: "ON", brightness: 255, transition: 0 });
  const { id } = await hub.device(
    "Floor lamp",
    key,
    ({ state }) => state["isOn"] === true && state["brightness"] === 1,
  );
  const { json } = await hub.call("GET", "/audit?limit=5", key);
  const { entries } = json as { entries: { origin: string; type: string }[] };
  assert.equal(
    entries.find(({ type }) => type === "CommandIssued")?.origin,
    `mqtt:${broker.url.slice("mqtt://".length)}`,
  );
  // It may have been on before, at another brightness.
  await other.shows(lamp["state_topic"] ?? "", (text) => {
    const shown = JSON.parse(text) as { state: string; brightness: number };
    return shown.state === "ON" && shown.brightness === 255;
  });

  await hub.done("PUT", "/groups", key, [{ type: "CMD_GROUP", name: "Reading", members: [id] }]);
  const group = await found("light", "Reading");
  await other.say(group["command_topic"] ?? "", { state: "OFF" });
  await hub.device("Floor lamp", key, ({ state: now }) => now["isOn"] === false);

  await hub.done("PUT", "/scenes", key, [{ type: "CMD_SCENE", name: "Movie" }]);
  const scene = await found("scene", "Movie");
  await other.say(scene["command_topic"] ?? "", scene["payload_on"] ?? "");
  await other.shows(scene["json_attributes_topic"] ?? "", (text) => text.includes('"isOn":true'));

  const configs = [...other.newest].filter(([topic]) => topic.startsWith("homeassistant/"));
  assert.deepEqual(
    configs.flatMap(([topic, payload]) => faultsOf(topic, payload)),
    [],
  );
  assert.ok(configs.length > 40, `${configs.length} configurations`);
});

test("a lamp of a bridge is a device of the hub: followed, commanded, and gone with its bridge", async () => {
  const state = {
    type: "binary",
    name: "state",
    property: "state",
    access: 7,
    value_on: "ON",
    value_off: "OFF",
  };
  const bulb = {
    ieee_address: "0x01",
    friendly_name: "porch",
    type: "Router",
    definition: { vendor: "IKEA", model: "LED1", exposes: [{ type: "light", features: [state] }] },
  };
  other.on("zigbee2mqtt/porch/set", (payload) => void other.say("zigbee2mqtt/porch", payload, true));
  await other.say("zigbee2mqtt/bridge/devices", [bulb], true);
  await other.say("zigbee2mqtt/porch", { state: "OFF" }, true);
  const { id } = await hub.device(
    "porch",
    key,
    ({ state: now }) => now["isOn"] === false && now["reachable"] === true,
  );
  await hub.done("PUT", "/devices/command", key, [{ type: "CMD_DEVICE_ON", id }]);
  await hub.device("porch", key, ({ state: now }) => now["isOn"] === true);
  assert.equal(other.newest.get("zigbee2mqtt/porch"), '{"state":"ON"}');
  assert.ok(![...other.newest.keys()].some((topic) => topic.includes(id)), "shown where it came from");
  await broker.kill();
  await hub.device("porch", key, ({ state: now }) => now["reachable"] === false);
  await broker.restart();
  other = await BrokerClient.join(broker.url);
  await other.say("zigbee2mqtt/bridge/devices", [bulb], true);
  await hub.device("porch", key, ({ state: now }) => now["reachable"] === true);
  await other.say("zigbee2mqtt/bridge/state", { state: "offline" }, true);
  await hub.device("porch", key, ({ state: now }) => now["reachable"] === false);
});

test("an air conditioner on plain topics needs no pairing, and answers with its pumps", async () => {
  await other.say("unit/state", { room: 22.5, pump: "ON", fault: "no flow" });
  const { id } = await hub.device("Office unit", key, ({ state }) => state["temperature"] === 22.5);
  const asked = [{ type: "CMD_GET_AIRCON_PUMPS", id }];
  const condensate = {
    type: "AIRCON_PUMP",
    id: "condensate",
    name: "Condensate",
    isOn: true,
    error: "no flow",
  };
  assert.deepEqual(await hub.done("PUT", "/devices/command", key, asked), [condensate]);
  assert.equal((await hub.call("POST", "/hub/pairaircon?hwId=office", key)).status, 404);
});

test("adapters stop and start with their features while the hub runs, and devices come back unpaired", async () => {
  const turn = async (isOn: boolean): Promise<void> => {
    const switches = ["MQTT", "MODBUS", "MBUS"].map((feature) => ({ type: "FEATURE_SWITCH", feature, isOn }));
    await hub.done("PUT", "/hub/featureswitches", key, switches);
  };
  const running = async (...names: string[]): Promise<ReadonlyMap<string, number>> =>
    await eventually(`${names.join()} alone`, async () => {
      const adapters = hub.adapters();
      return [...adapters.keys()].toSorted().join() === names.join() ? adapters : undefined;
    });
  const first = await running("mbus", "modbus", "mqtt", "sim");
  const { id } = await hub.device("porch", key);
  await turn(false);
  const off = await running("sim");
  assert.equal(off.get("sim"), first.get("sim"));
  await hub.device("porch", key, (device) => device.id === id && device.state["reachable"] === false);
  const status = [...other.newest.keys()].find((topic) => topic.endsWith("/status")) ?? "";
  await other.shows(status, (text) => text === "offline");
  await other.say("zigbee2mqtt/bridge/state", { state: "online" }, true);
  await other.say("zigbee2mqtt/porch", { state: "OFF" }, true);
  await turn(true);
  const second = await running("mbus", "modbus", "mqtt", "sim");
  for (const name of ["mbus", "modbus", "mqtt"]) assert.notEqual(second.get(name), first.get(name), name);
  await hub.device(
    "porch",
    key,
    (device) => device.id === id && device.state["reachable"] === true && device.state["isOn"] === false,
  );
  await other.shows(status, (text) => text === "online");
});

/** A gateway hears the sensor `Sensor 80A5`. */
const hear = (servicedata: string): Promise<void> =>
  other.say("home/OMG/BTtoMQTT/5448E68F80A5", {
    id: "54:48:E6:8F:80:A5",
    servicedatauuid: "0xfcd2",
    servicedata,
  });
const encrypted = "41a47266c95f730011223378237214";

test("a Bluetooth sensor is found by a scan, decrypted with its key, and read after a restart", async () => {
  const bindKey = "231d39c1d7cc1ab1aee224cd096db932";
  await hub.call("GET", "/hub/scan", key);
  const sensor = await eventually("the sensor", async () => {
    await hear(encrypted);
    const { json } = await hub.call("GET", "/hub/scan", key);
    const { devices } = json as { devices: { id: string; status: { name: string } | null }[] };
    return devices.find(({ status }) => status?.name === "Sensor 80A5");
  });
  await hub.call("PUT", "/hub/scan", key, { id: sensor.id, ignored: false });
  await hub.call("GET", "/hub/stopscan", key);
  const { id } = await hub.device("Sensor 80A5", key, ({ state }) => state["reachable"] === true);
  const set = (value: string): Promise<unknown> =>
    hub.done("PUT", "/devices/configuration", key, { id, parameters: { bindKey: value } });
  await eventually("its settings", async () =>
    (await hub.call("GET", `/devices/configuration?deviceId=${id}`, key)).status === 200 ? true : undefined,
  );
  await set(bindKey);
  await eventually("its temperature", async () => {
    await hear(encrypted);
    const { json } = await hub.call("GET", "/devices", key);
    const { state } = (json as Record<string, { state: Record<string, unknown> }>)[id] ?? { state: {} };
    return state["temperature"] === 25.06 && state["humidity"] === 50.55 ? true : undefined;
  });
  await hub.kill();
  const files = filesOf(folder.path, "data");
  assert.ok(files.some((file) => file.includes("Sensor 80A5")));
  assert.ok(!files.some((file) => file.includes(bindKey)), "the key lies open in the data folder");
  hub = await start();
  await hub.device("Sensor 80A5", key);
  await eventually("the sensor, reachable again", async () => {
    await hear(encrypted);
    const { json } = await hub.call("GET", "/devices", key);
    return (json as Record<string, { state: { reachable: boolean } }>)[id]?.state.reachable || undefined;
  });
});

test("Bluetooth sensors go with their feature while the hub runs, and come back with their key", async () => {
  const turn = async (isOn: boolean): Promise<unknown> =>
    await hub.done("PUT", "/hub/featureswitches", key, [{ type: "FEATURE_SWITCH", feature: "BLE", isOn }]);
  const sensor = (is: (device: Device) => boolean): Promise<Device> => hub.device("Sensor 80A5", key, is);
  const { id } = await sensor(({ state }) => state["reachable"] === true);
  const first = hub.adapters().get("mqtt");
  await turn(false);
  await eventually("an adapter without Bluetooth", async () => {
    const now = hub.adapters().get("mqtt");
    return now === undefined || now === first ? undefined : true;
  });
  // When the unit shows what was said after the sensor spoke, the adapter has passed over the sensor.
  await eventually("the unit", async () => {
    await hear(encrypted);
    await other.say("unit/state", { room: 19, pump: "OFF", fault: "" });
    const { json } = await hub.call("GET", "/devices", key);
    const shown = Object.values(json as Record<string, Device>).find(({ name }) => name === unit.name);
    return shown?.state["temperature"] === 19 ? true : undefined;
  });
  await sensor(({ state }) => state["reachable"] === false);
  await turn(true);
  const back = await eventually("the sensor", async () => {
    await hear(encrypted);
    const { json } = await hub.call("GET", "/devices", key);
    const device = (json as Record<string, Device>)[id];
    return device?.state["reachable"] === true ? device : undefined;
  });
  assert.deepEqual([back.state["temperature"], back.state["humidity"]], [25.06, 50.55]);
});

test("a broker that is set by the API takes the place of the profile's, and its password is not shown", async () => {
  const isShown = (kind: string): boolean =>
    [...other.newest].some(([topic, text]) => topic.startsWith(`homeassistant/${kind}/`) && text !== "");
  const settings = { url: broker.url, username: "hub", password: "canary-broker", expose: ["scenes"] };
  const set = await hub.done("PUT", "/hub/mqtt", key, settings);
  assert.deepEqual([set, await hub.done("GET", "/hub/mqtt", key)], [set, set]);
  assert.ok(!JSON.stringify(set).includes("canary-broker"));
  await eventually("scenes alone", async () =>
    isShown("scene") && !isShown("light") && !isShown("sensor") ? true : undefined,
  );
  const moved = await hub.call("PUT", "/hub/mqtt", key, { url: "mqtt://192.0.2.1" });
  assert.match(JSON.stringify(moved.json), /must be given again/);
  assert.equal((await hub.call("PUT", "/hub/mqtt", key, { url: "http://a" })).status, 422);
  await hub.done("DELETE", "/hub/mqtt", key);
  await found("light", "Floor lamp");
  assert.equal((await hub.call("GET", "/hub/mqtt", key)).status, 404);
});

test("the hub shows a certificate that was set by the API to its broker, also after a stop, and to nobody else", async () => {
  const files = join(folder.path, "guarded");
  mkdirSync(files);
  const guarded = guardedBroker(files, "hub", "canary-guarded");
  const strict = await Mosquitto.start(files, guarded.lines);
  const pem = (path: string): string => readFileSync(path, "utf8");
  const user = { username: "hub", password: "canary-guarded" };
  const pair = { certificate: pem(guarded.clientCertificate), key: pem(guarded.clientKey) };
  const settings = { url: `mqtts://127.0.0.1:${strict.port}`, ...user, ca: pem(guarded.ca) };
  const refusal = async (more: object): Promise<string> => {
    const { status, json } = await hub.call("PUT", "/hub/mqtt", key, { ...settings, ...more });
    return `${status} ${(json as { message: string }).message}`;
  };
  const server = { key: pem(join(files, "server.key")) };
  assert.equal(await refusal({ ...pair, ...server }), "422 key is not the certificate's");
  assert.equal(
    await refusal({ ...pair, key: pair.certificate }),
    "422 key is no private key in PEM without a passphrase",
  );
  const noPem = "-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----";
  assert.equal(await refusal({ ca: noPem }), "422 ca is no certificate in PEM");
  assert.match(await refusal({ certificate: "a".repeat(16_385) }), /^422 certificate/);
  const set = await hub.done<Record<string, unknown>>("PUT", "/hub/mqtt", key, { ...settings, ...pair });
  assert.deepEqual([set["hasPassword"], set["hasCa"], set["hasCertificate"]], [true, true, true]);
  assert.ok(!JSON.stringify(set).includes("BEGIN"));
  const tls = { ca: [settings.ca], cert: pair.certificate, key: pair.key, ...user };
  const seer = await BrokerClient.join(settings.url, tls);
  const status = await eventually("its status", async () =>
    [...seer.newest.keys()].find((topic) => topic.endsWith("/status")),
  );
  await seer.shows(status, (text) => text === "online");
  await hub.stop();
  await seer.shows(status, (text) => text === "offline");
  hub = await start();
  await seer.shows(status, (text) => text === "online");
  const [, secret = ""] = pair.key.split("\n");
  const [, shown = ""] = pair.certificate.split("\n");
  for (const text of filesOf(folder.path, "data"))
    for (const hidden of [secret, shown, user.password]) assert.ok(!text.includes(hidden), hidden);
  await hub.done("DELETE", "/hub/mqtt", key);
  await seer.leave();
  await strict.kill();
  await found("light", "Floor lamp");
});

test("the hub is offline when it is killed, and back with the same entities", async () => {
  await found("light", "Floor lamp");
  const status = await eventually("its status", async () =>
    [...other.newest.keys()].find((topic) => topic.endsWith("/status")),
  );
  const configs = (): string[] => [...other.newest.keys()].filter((topic) => topic.endsWith("/config"));
  const shown = configs();
  await hub.kill();
  await other.shows(status, (text) => text === "offline");
  hub = await start();
  await other.shows(status, (text) => text === "online");
  await eventually("the same entities", async () => {
    const now = new Set(configs());
    return shown.every((topic) => now.has(topic)) ? true : undefined;
  });
});
