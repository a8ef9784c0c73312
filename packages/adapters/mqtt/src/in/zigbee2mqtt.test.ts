import assert from "node:assert/strict";
import { test } from "node:test";
import { Heard, say } from "../testdata/heard.ts";
import { Zigbee2mqtt } from "./zigbee2mqtt.ts";

const binary = (name: string, more: object = {}): object => ({
  type: "binary",
  name,
  property: name,
  access: 7,
  value_on: "ON",
  value_off: "OFF",
  ...more,
});
const numeric = (name: string, unit: string | undefined, more: object = {}): object => ({
  type: "numeric",
  name,
  property: name,
  access: 1,
  unit,
  ...more,
});

const lamp = {
  ieee_address: "0x01",
  friendly_name: "hall/lamp",
  type: "Router",
  definition: {
    vendor: "IKEA",
    model: "LED1",
    exposes: [
      {
        type: "light",
        features: [
          binary("state"),
          numeric("brightness", undefined, { access: 7, value_min: 0, value_max: 254 }),
          numeric("color_temp", "mired", { access: 7, value_min: 250, value_max: 454 }),
        ],
      },
      numeric("linkquality", "lqi"),
      {
        type: "enum",
        name: "power_on_behavior",
        property: "power_on_behavior",
        access: 7,
        values: ["on", "off"],
      },
    ],
  },
};
const twins = {
  ieee_address: "0x02",
  friendly_name: "twins",
  type: "Router",
  definition: {
    vendor: "Tuya",
    model: "TS0002",
    exposes: ["l1", "l2"].map((endpoint) => ({
      type: "switch",
      endpoint,
      features: [binary("state", { property: `state_${endpoint}`, endpoint })],
    })),
  },
};
const remote = {
  ieee_address: "0x03",
  friendly_name: "remote",
  type: "EndDevice",
  definition: {
    vendor: "IKEA",
    model: "E1",
    exposes: [
      {
        type: "enum",
        name: "action",
        property: "action",
        access: 1,
        values: ["on", "off", "brightness_move_up"],
      },
      numeric("battery", "%"),
    ],
  },
};
const coordinator = {
  ieee_address: "0x00",
  friendly_name: "Coordinator",
  type: "Coordinator",
  definition: null,
};

function bridge(): { heard: Heard; source: Zigbee2mqtt } {
  const heard = new Heard();
  const source = new Zigbee2mqtt("zigbee2mqtt", heard);
  say(source, "zigbee2mqtt/bridge/devices", [coordinator, lamp, twins, remote]);
  return { heard, source };
}
const [lampId, left, right, keys] = ["0x01", "0x02/l1", "0x02/l2", "0x03"].map(
  (each) => `zigbee2mqtt/${each}`,
) as [string, string, string, string];

test("devices of a bridge are what their exposes say, an endpoint with a switch each", () => {
  const { heard } = bridge();
  assert.deepEqual(
    [...heard.announced.values()].map(({ native, class: of, name }) => [native, of, name]),
    [
      [lampId, "LIGHT", "hall/lamp"],
      [left, "POWER_SOCKET", "twins l1"],
      [right, "POWER_SOCKET", "twins l2"],
      [keys, "REMOTE_CONTROL", "remote"],
    ],
  );
  const { capabilities, manufacturer, stateExtras = [] } = heard.announced.get(lampId) ?? assert.fail();
  for (const each of ["ON_OFF", "CONTROL_LIGHT", "BRIGHTNESS", "COLOR_TEMP"])
    assert.ok(capabilities.includes(each as never));
  assert.equal(manufacturer, "IKEA");
  assert.deepEqual(
    stateExtras.map(({ name, writable }) => [name, writable]),
    [
      ["linkquality", false],
      ["power_on_behavior", true],
    ],
  );
  const { extras = assert.fail() } = heard.announced.get(keys) ?? {};
  assert.deepEqual(
    (extras["buttons"] as { label: string }[]).map(({ label }) => label),
    ["On", "Brighter", "Off"],
  );
});

test("states become attributes and extras, and presses keep their order", () => {
  const { heard, source } = bridge();
  say(source, "zigbee2mqtt/hall/lamp", {
    state: "ON",
    brightness: 254,
    color_temp: 250,
    color_mode: "color_temp",
    linkquality: 90,
  });
  const shown = heard.before(lampId);
  assert.deepEqual(
    [shown["isOn"], shown["brightness"], shown["temperature"], shown["colorMode"]],
    [true, 1, 4000, "ct"],
  );
  assert.deepEqual(
    [shown["minTemperature"], shown["maxTemperature"], shown["extras.linkquality"]],
    [2203, 4000, 90],
  );
  say(source, "zigbee2mqtt/twins", { state_l1: "OFF", state_l2: "ON" });
  assert.deepEqual([heard.before(left)["isOn"], heard.before(right)["isOn"]], [false, true]);
  for (const action of ["on", "brightness_move_up", ""])
    say(source, "zigbee2mqtt/remote", { action, battery: 80 });
  const presses = heard.reports
    .filter(([native]) => native === keys)
    .map(([, { button, modifiers }]) => [button, modifiers]);
  assert.deepEqual(presses, [
    [1, []],
    [2, ["longpress"]],
    [undefined, undefined],
  ]);
});

test("commands are properties of the device's own topic", () => {
  const { source } = bridge();
  const sent = (native: string, attributes: object): unknown =>
    source
      .set(native, attributes as never)
      ?.map(({ topic, payload }) => [topic, JSON.parse(payload) as unknown]);
  assert.deepEqual(sent(lampId, { isOn: true, brightness: 0.5, transitionMsec: 2000 }), [
    ["zigbee2mqtt/hall/lamp/set", { state: "ON", brightness: 128, transition: 2 }],
  ]);
  assert.deepEqual(sent(lampId, { temperature: 2500 }), [["zigbee2mqtt/hall/lamp/set", { color_temp: 400 }]]);
  assert.deepEqual(sent(lampId, { "extras.power_on_behavior": "off" }), [
    ["zigbee2mqtt/hall/lamp/set", { power_on_behavior: "off" }],
  ]);
  assert.deepEqual(sent(right, { isOn: false }), [["zigbee2mqtt/twins/set", { state_l2: "OFF" }]]);
  assert.deepEqual(sent(lampId, { liftPct: 4 }), []);
  assert.equal(sent("zigbee2mqtt/0x09", { isOn: true }), undefined);
});

test("a device is there while its bridge is, and says nothing else", () => {
  const { heard, source } = bridge();
  const reach = (): unknown => [heard.reachable.get(lampId), heard.reachable.get(left)];
  assert.deepEqual(reach(), [true, true]);
  say(source, "zigbee2mqtt/hall/lamp/availability", { state: "offline" });
  assert.deepEqual(reach(), [false, true]);
  say(source, "zigbee2mqtt/bridge/state", { state: "offline" });
  assert.deepEqual(reach(), [false, false]);
  say(source, "zigbee2mqtt/bridge/state", "online");
  say(source, "zigbee2mqtt/hall/lamp/availability", "online");
  assert.deepEqual(reach(), [true, true]);
  say(source, "zigbee2mqtt/bridge/devices", [coordinator, { ...lamp, friendly_name: "renamed" }]);
  assert.deepEqual(reach(), [true, false]);
  assert.equal(heard.announced.get(lampId)?.name, "renamed");
  say(source, "zigbee2mqtt/renamed", { state: "ON" });
  assert.equal(heard.before(lampId)["isOn"], true);
});

test("what is no list of devices and no state changes nothing", () => {
  const { heard, source } = bridge();
  const known = [...heard.announced.keys()];
  for (const junk of ["", "[", "null", "{}", "7", '[null, {"ieee_address": 7}, {"definition": {}}]'])
    for (const topic of ["bridge/state", "hall/lamp", "hall/lamp/availability", "nobody", "bridge/logging"])
      say(source, `zigbee2mqtt/${topic}`, junk);
  say(source, "zigbee2mqtt/bridge/devices", "{");
  say(source, "other/bridge/devices", []);
  assert.deepEqual([...heard.announced.keys()], known);
  assert.deepEqual(
    heard.reports.filter(([, attributes]) => "isOn" in attributes),
    [],
  );
});
