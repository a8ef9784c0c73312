import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Device } from "@ledge/model";
import { exampleSensors, SimulatedBridge } from "@ledge/testkit/hue";
import { bareProfile, eventually, HubProcess, temporaryFolder } from "../testdata/hub-process.ts";

const folder = temporaryFolder();
let bridge: SimulatedBridge;
let hub: HubProcess;
let key: string;

const start = async (): Promise<HubProcess> => {
  const profile = bareProfile(folder.path, {
    adapters: { hue: { bridges: [{ address: bridge.origin }] } },
  });
  return await HubProcess.start(join(folder.path, "data"), "--profile", profile);
};

before(async () => {
  bridge = await SimulatedBridge.start(true);
  bridge.sensors.push(...exampleSensors());
  hub = await start();
  key = await hub.key();
});
after(async () => {
  await hub.stop();
  await bridge.kill();
  folder.remove();
});

const sink = (is: (device: Device) => boolean): Promise<Device> => hub.device("Sink", key, is);

test("a bridge is paired by its button, and its lamps are followed and commanded", async () => {
  await bridge.kill();
  const absent = await eventually("the adapter", async () => {
    const answer = await hub.call("POST", "/hub/pairbridge", key);
    return answer.status === 404 ? undefined : answer;
  });
  assert.equal(absent.status, 503);
  assert.match(JSON.stringify(absent.json), /no lighting bridge answers/);
  await bridge.restart();
  assert.deepEqual(await hub.call("POST", "/hub/pairbridge", key), { status: 200, json: true });
  await eventually("a question", async () => bridge.asked.includes("POST /api") || undefined);
  assert.deepEqual((await hub.call("GET", "/devices", key)).json, {});
  bridge.press();
  const { id } = await sink(({ state }) => state["reachable"] === true && state["isOn"] === false);
  await hub.done("PUT", "/devices/command", key, [
    { type: "CMD_DEVICE", id, state: { isOn: true, brightness: 0.5 } },
  ]);
  await sink(({ state }) => state["isOn"] === true && state["brightness"] === 0.5);
  assert.deepEqual([bridge.lamps[0]?.on, bridge.lamps[0]?.bri], [true, 127]);
  bridge.change("1", { on: false });
  await sink(({ state }) => state["isOn"] === false);
  const room = await hub.device("Kitchen", key);
  await hub.done("PUT", "/devices/command", key, [
    { type: "CMD_DEVICE", id: room.id, state: { extras: { scene: "Relax" } } },
  ]);
  await sink(({ state }) => state["isOn"] === true && state["brightness"] === 100 / 254);
});

test("a remote at the bridge drives a rule, and a sensor there shows motion, warmth and light", async () => {
  const remote = await hub.device("Bedside", key, ({ state }) => state["reachable"] === true);
  assert.deepEqual([remote.type, remote.state["battery"]], ["REMOTE_CONTROL", 80]);
  const lamp = await hub.device("Table", key);
  const rule = {
    type: "CONFIG",
    id: null,
    name: "Bedside",
    configType: "REMOTE_CONTROL",
    inputs: { remote: [remote.id] },
    outputs: { lights: [lamp.id] },
    extras: {},
  };
  const [{ id }] = await hub.done<[{ id: string }]>("PUT", "/rules", key, { rules: [rule] });
  await hub.done("PUT", "/rules/command", key, [{ type: "RULE_ON_COMMAND", id }]);
  for (const [button, isOn] of [
    [4, false],
    [1, true],
    [4, false],
  ] as const) {
    bridge.pushButton(2, button, "initial_press", "short_release");
    await hub.device("Table", key, ({ state }) => state["isOn"] === isOn);
  }
  bridge.sense(5, { motion: true, temperature: 3.5 });
  const porch = await hub.device("Porch", key, ({ state }) => state["motion"] === true);
  assert.deepEqual([porch.state["temperature"], porch.state["lux"]], [3.5, 100]);
  bridge.sense(5, { motion: false });
  await hub.device("Porch", key, ({ state }) => state["motion"] === false);
});

test("lamps are away with their bridge, come back, and need no button after the hub was killed", async () => {
  const { id } = await sink(({ state }) => state["reachable"] === true);
  await bridge.kill();
  await sink(({ state }) => state["reachable"] === false);
  await bridge.restart();
  await sink(({ state }) => state["reachable"] === true);
  await hub.kill();
  const [appKey = ""] = bridge.keys;
  const files = readdirSync(join(folder.path, "data"), { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name)));
  assert.ok(files.some((file) => file.includes("Sink")));
  assert.ok(!files.some((file) => file.includes(appKey)), "the key lies open in the data folder");
  hub = await start();
  const back = await sink(({ state }) => state["reachable"] === true);
  assert.equal(back.id, id);
});
