import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, test } from "node:test";
import type { Adapter, Report } from "@ledge/port";
import { type ClientCommand, systemClock } from "@ledge/port";
import { complaintsIn, recordingHost } from "@ledge/port/testing";
import { temporaryFolder, until } from "@ledge/testkit";
import { BrokerClient, faultsOf, guardedBroker, Mosquitto } from "@ledge/testkit/mqtt";
import { createAdapter } from "./index.ts";

const folder = temporaryFolder();
const hub = { hubId: "11111111-2222-3333-4444-555555555555", hubName: "Home", version: "1.0" };
const root = "ledge/111111112222";
const signal = new AbortController().signal;

const running: { stop(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of running.splice(0).toReversed()) await each.stop();
});
after(() => folder.remove());

async function broker(...lines: string[]): Promise<Mosquitto> {
  const started = await Mosquitto.start(folder.path, lines.length > 0 ? lines : undefined);
  running.push({ stop: () => started.kill() });
  return started;
}

async function client(url: string, options?: Parameters<typeof BrokerClient.join>[1]): Promise<BrokerClient> {
  const joined = await BrokerClient.join(url, options);
  running.push({ stop: () => joined.leave() });
  return joined;
}

interface Rig {
  readonly adapter: Adapter;
  readonly complaints: string[];
  readonly reports: readonly Report[];
  serve(devices: readonly object[], more?: object): Promise<void>;
  commands(outcomes?: readonly object[]): Promise<readonly (ClientCommand & { id: number })[]>;
}

/** An adapter in this process, whose time runs twenty times as fast. */
async function rigAt(settings: object): Promise<Rig> {
  const adapter = createAdapter(() => 0.5);
  const complaints: string[] = [];
  const reports: Report[] = [];
  const recorded = { stored: new Map(), announced: [], reports, found: [], lost: [] };
  const clock = {
    now: () => systemClock.now(),
    after: (ms: number, callback: () => void) => systemClock.after(ms / 20, callback),
  };
  await adapter.start(
    recordingHost(recorded, { settings, clock, folder: "/nowhere", log: complaintsIn(complaints) }),
  );
  running.push(adapter);
  const ask = async (type: string, request: object): Promise<unknown> =>
    await adapter.requests?.[type]?.({ type, ...request }, signal);
  return {
    adapter,
    complaints,
    reports,
    serve: async (devices, more = {}) => {
      const told = devices.map((device) => [(device as { id: string }).id, device]);
      const home = { full: true, devices: told, others: [], presses: [], mqtt: hub, ...more };
      await ask("SERVE_HOME", home);
    },
    commands: async (outcomes = []) =>
      (await ask("TAKE_CLIENT_COMMANDS", { outcomes, waitMs: 600_000 })) as (ClientCommand & {
        id: number;
      })[],
  };
}

const lampOf = (id: string, state: object = {}): { id: string } & Record<string, unknown> => ({
  id,
  name: `Lamp ${id}`,
  class: "LIGHT",
  capabilities: ["DEVICE", "ON_OFF", "CONTROL_LIGHT", "BRIGHTNESS"],
  state: { type: "STATE_LIGHT", reachable: true, lastSeen: 1, isOn: false, brightness: 0, ...state },
  manufacturer: null,
  model: null,
  room: null,
});

test("a home is discovered, its lamp is commanded, and it goes with its hub", async () => {
  const { url } = await broker();
  const other = await client(url);
  const rig = await rigAt({ broker: { url }, homeAssistant: {} });
  const scene = { id: "s1", kind: "scene", name: "Movie", isOn: false };
  await rig.serve([lampOf("a", { isOn: true })], { others: [["s1", scene]] });
  await other.shows(`${root}/status`, (text) => text === "online");
  const light = await other.shows(`${root}/device/a/light`, () => true);
  assert.deepEqual(JSON.parse(light), { state: "ON", brightness: 1, color_mode: "brightness" });
  const told = `homeassistant/light/ledge_111111112222/a_light/config`;
  await other.shows(told, () => true);
  await other.shows("homeassistant/scene/ledge_111111112222/scene_s1/config", () => true);
  const configs = [...other.newest].filter(([topic]) => topic.startsWith("homeassistant/"));
  assert.deepEqual(
    configs.flatMap(([topic, payload]) => faultsOf(topic, payload)),
    [],
  );
  const { command_topic: topic } = JSON.parse(other.newest.get(told) ?? "") as { command_topic: string };
  await other.say(topic, { state: "ON", brightness: 255 });
  const [command] = await rig.commands();
  assert.deepEqual(command, {
    id: 1,
    client: url.slice("mqtt://".length),
    device: "a",
    attributes: { isOn: true, brightness: 1 },
  });
  await other.say(`${root}/scene/s1/set`, "ON");
  const [second] = await rig.commands([{ id: 1, error: "it is not the hour" }]);
  assert.deepEqual([second?.device, second?.attributes], ["s1", { isOn: true }]);
  const refused = await other.shows(`${root}/device/a/error`, () => true);
  assert.deepEqual(JSON.parse(refused), { topic, error: "it is not the hour" });
  await rig.serve([], { full: false, devices: [["a", null]] });
  await until("the end of the lamp", () => !other.newest.has(told) && !other.newest.has(`${root}/device/a`));
  await rig.adapter.stop();
  await other.shows(`${root}/status`, (text) => text === "offline");
});

test("commands of any age, to nobody, or to what may not be set are refused", async () => {
  const { url } = await broker();
  const other = await client(url);
  await other.say(`${root}/device/a/set/isOn`, "ON", true);
  const rig = await rigAt({ broker: { url }, homeAssistant: {} });
  const lock = {
    ...lampOf("l"),
    class: "MULTI_SENSOR",
    capabilities: ["LOCK"],
    state: { locked: true, reachable: true },
  };
  await rig.serve([lampOf("a"), lock]);
  await other.shows(`${root}/status`, (text) => text === "online");
  await until("a word about its age", () => rig.complaints.length > 0);
  assert.match(rig.complaints[0] ?? "", /retained command was ignored.*device\/a\/set\/isOn/);
  for (const [topic, payload, error] of [
    ["device/l/set/locked", "false", "locked: cannot be set"],
    ["device/a/set/rssi", "1", "rssi: cannot be set"],
    ["device/gone/set/isOn", "ON", "no device gone"],
    ["group/a/set/isOn", "ON", "no group a"],
    ["device/a/set", "[1", "must be a JSON object of attributes"],
    ["device/a/light/set", '{"brightness":256}', "brightness: must be 0 to 255"],
    ["device/a/siren/set", "ON", "there is no siren"],
  ] as const) {
    await other.say(`${root}/${topic}`, payload);
    const at = `${root}/${topic.split("/").slice(0, 2).join("/")}/error`;
    const told = JSON.stringify({ topic: `${root}/${topic}`, error });
    await other.shows(at, (text) => text === told);
  }
  await other.say(`${root}/device/a/set/isOn`, "ON");
  const [first, ...more] = await rig.commands();
  assert.deepEqual([first?.attributes, more], [{ isOn: true }, []]);
});

test("what an earlier run has left on the broker is taken away", async () => {
  const { url } = await broker();
  const other = await client(url);
  const left = ["homeassistant/light/ledge_111111112222/old_light/config", `${root}/device/old`];
  for (const topic of left) await other.say(topic, "{}", true);
  await other.say("homeassistant/light/another/old_light/config", "{}", true);
  const rig = await rigAt({ broker: { url }, homeAssistant: {} });
  await rig.serve([lampOf("a")]);
  await until("their end", () => left.every((topic) => !other.newest.has(topic)));
  assert.ok(other.newest.has("homeassistant/light/another/old_light/config"));
  assert.ok(other.newest.has(`${root}/device/a`));
});

test("a press that the broker has kept from earlier is none, and the state beside it counts", async () => {
  const { url } = await broker();
  const z2m = await client(url);
  const action = { type: "enum", name: "action", property: "action", access: 1, values: ["on", "off"] };
  const battery = { type: "numeric", name: "battery", property: "battery", access: 1, unit: "%" };
  const definition = { vendor: "IKEA", model: "E1", exposes: [action, battery] };
  const remote = { ieee_address: "0x03", friendly_name: "remote", type: "EndDevice", definition };
  await z2m.say("zigbee2mqtt/bridge/devices", JSON.stringify([remote]), true);
  await z2m.say("zigbee2mqtt/remote", JSON.stringify({ action: "off", battery: 80 }), true);
  const { reports } = await rigAt({ broker: { url }, sources: { zigbee2mqtt: ["zigbee2mqtt"] } });
  const told = (name: string): readonly unknown[] =>
    reports.flatMap(({ attributes }) => (name in attributes ? [attributes[name]] : []));
  await until("the battery", () => told("battery").includes(80));
  await z2m.say("zigbee2mqtt/remote", JSON.stringify({ action: "on", battery: 79 }), true);
  await until("the battery of now", () => told("battery").includes(79));
  assert.deepEqual(told("button"), [1]);
});

test("a broker that is killed under load has the last state of every device when it is back", async () => {
  const peer = await broker();
  const rig = await rigAt({ broker: { url: peer.url }, homeAssistant: {} });
  const ids = Array.from({ length: 200 }, (_, index) => `d${index}`);
  const serve = (round: number): Promise<void> =>
    rig.serve(ids.map((id, index) => lampOf(id, { rssi: -round, isOn: (index + round) % 2 === 0 })));
  const rounds = 12;
  for (let round = 1; round <= rounds; round++) {
    await serve(round);
    if (round % 4 === 1) await peer.kill();
    if (round % 4 === 3) await peer.restart();
  }
  const last = await client(peer.url);
  for (const [index, id] of ids.entries()) {
    const wanted = JSON.stringify({
      reachable: true,
      isOn: (index + rounds) % 2 === 0,
      brightness: 0,
      rssi: -rounds,
    });
    await last.shows(`${root}/device/${id}`, (text) => text === wanted);
  }
  await last.shows(`${root}/status`, (text) => text === "online");
  await until(
    "all configurations",
    () => [...last.newest.keys()].filter((topic) => topic.endsWith("_light/config")).length === ids.length,
  );
});

test("a hub that is lost is offline: the broker says so", async () => {
  const { url } = await broker();
  const other = await client(url);
  const rig = await rigAt({ broker: { url }, homeAssistant: {} });
  await rig.serve([]);
  await other.shows(`${root}/status`, (text) => text === "online");
  // Another client with the same name makes the broker cut the hub off.
  await client(url, { clientId: "ledge_111111112222_out" });
  await other.shows(`${root}/status`, (text) => text === "offline");
  await other.shows(`${root}/status`, (text) => text === "online");
});

test("a broker with TLS lets in who has the certificate and the password", async () => {
  const files = join(folder.path, "guarded");
  mkdirSync(files);
  const {
    ca,
    clientCertificate: certificate,
    clientKey: key,
    passwordFile,
    lines,
  } = guardedBroker(files, "ledge", "s3cret");
  const { port } = await broker(...lines);
  const url = `mqtts://127.0.0.1:${port}`;
  const wrong = await rigAt({ broker: { url, ca, certificate, key }, homeAssistant: {} });
  await wrong.serve([]);
  await until("a refusal", () => wrong.complaints.some((text) => /ot authorized/i.test(text)));
  const rig = await rigAt({
    broker: { url, ca, certificate, key, username: "ledge", passwordFile },
    homeAssistant: {},
  });
  await rig.serve([]);
  const pem = (path: string): string => readFileSync(path, "utf8");
  const other = await client(url, {
    ca: [pem(ca)],
    cert: pem(certificate),
    key: pem(key),
    username: "ledge",
    password: "s3cret",
  });
  await other.shows(`${root}/status`, (status) => status === "online");
  assert.ok(!rig.complaints.some((each) => each.includes("s3cret")));
});
