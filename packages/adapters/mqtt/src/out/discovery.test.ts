import assert from "node:assert/strict";
import { test } from "node:test";
import { attributes, capabilities, deviceClasses } from "@ledge/model";
import fc from "fast-check";
import { faultsOf } from "@ledge/testkit/mqtt";
import { readSettings } from "../settings.ts";
import type { ServedDevice } from "./home.ts";
import {
  configsOf,
  entitiesOf,
  groupAsDevice,
  groupEntities,
  hubEntity,
  otherEntity,
  partsOf,
  stateOf,
  takes,
} from "./objects.ts";
import { topicsOf } from "./topics.ts";

const hub = { hubId: "11111111-2222-3333-4444-555555555555", hubName: "Home", version: "1.0" };
const settingsWith = (commands: string) => {
  const { homeAssistant } = readSettings({ broker: { url: "mqtt://b" }, homeAssistant: { commands } });
  assert.ok(homeAssistant);
  return homeAssistant;
};
const all = settingsWith("all");
const topics = topicsOf(all, hub);

const placesOf = (kind: "device" | "group" | "scene" | "rule", id: string) => ({
  state: topics.state(kind, id),
  part: (part: string) => topics.part(kind, id, part),
  set: topics.set(kind, id),
  setOne: (attribute: string) => topics.setOne(kind, id, attribute),
  setPart: (part: string) => topics.setPart(kind, id, part),
});

/** Returns the configurations of a device by component and key. */
function discovered(device: ServedDevice, settings = all): ReadonlyMap<string, Record<string, unknown>> {
  const wanted = {
    device,
    places: placesOf("device", device.id),
    takes: (name: string) => takes(settings, device, name),
  };
  const configs = configsOf(entitiesOf(wanted), { kind: "device", device }, hub, topics);
  const faults = [...configs].flatMap(([topic, payload]) => faultsOf(topic, payload));
  assert.deepEqual(faults, []);
  const names = [...configs.keys()].map((topic) => topic.split("/"));
  assert.equal(new Set(names.map((each) => each[3])).size, names.length, "a key stands twice");
  return new Map(
    [...configs].map(([topic, payload]) => {
      const [, component, , key] = topic.split("/");
      return [
        `${component} ${key?.slice(device.id.length + 1)}`,
        JSON.parse(payload) as Record<string, unknown>,
      ];
    }),
  );
}

const deviceOf = (more: Partial<ServedDevice>): ServedDevice => ({
  id: "d1",
  name: "Thing",
  class: "MULTI_SENSOR",
  capabilities: ["DEVICE"],
  state: { reachable: true },
  manufacturer: null,
  model: null,
  room: "Kitchen",
  ...more,
});

test("a lamp is one light with its colour modes and its range of white", () => {
  const lamp = deviceOf({
    class: "LIGHT",
    capabilities: ["DEVICE", "ON_OFF", "CONTROL_LIGHT", "BRIGHTNESS", "COLOR_TEMP", "COLOR_HS"],
    state: { isOn: true, brightness: 1, temperature: 2700, minTemperature: 2000, maxTemperature: 6500 },
  });
  const shown = discovered(lamp);
  assert.deepEqual([...shown.keys()], ["light light"]);
  const light = shown.get("light light") ?? {};
  assert.deepEqual(light["supported_color_modes"], ["hs", "color_temp"]);
  assert.deepEqual([light["min_mireds"], light["max_mireds"]], [154, 500]);
  assert.equal((light["device"] as { suggested_area: string }).suggested_area, "Kitchen");
  const plain = (more: string[]) =>
    discovered(deviceOf({ class: "LIGHT", capabilities: ["ON_OFF", ...more], state: { isOn: true } })).get(
      "light light",
    )?.["supported_color_modes"];
  assert.deepEqual([plain([]), plain(["BRIGHTNESS"])], [["onoff"], ["brightness"]]);
});

test("a socket is a switch, and what it measures has units and classes", () => {
  const shown = discovered(
    deviceOf({
      class: "POWER_SOCKET",
      capabilities: ["ON_OFF", "CONTROL_POWER"],
      state: { isOn: true, activePower: 3, power: 3, totalPower: 7 },
    }),
  );
  assert.deepEqual([...shown.keys()], ["switch isOn", "sensor activePower", "sensor totalPower"]);
  const energy = shown.get("sensor totalPower") ?? {};
  assert.deepEqual(
    [energy["device_class"], energy["unit_of_measurement"], energy["state_class"]],
    ["energy", "kWh", "total_increasing"],
  );
});

/** Devices that are more than a switch and a sensor, and the entities that they are. */
const kinds: readonly (readonly [
  what: string,
  device: Partial<ServedDevice>,
  entities: readonly string[],
])[] = [
  [
    "blinds",
    {
      class: "BLINDS",
      capabilities: ["BLINDS", "LIFT", "TILT", "COVER_STOP"],
      state: { liftPct: 40, tiltPct: 0 },
    },
    ["cover cover"],
  ],
  [
    "an air-conditioner",
    {
      class: "THERMOSTAT",
      capabilities: [
        "THERMOSTAT",
        "CONTROL_TEMPERATURE",
        "HVAC",
        "CONTROL_MODE",
        "FAN_MODE",
        "CONTROL_PRESET",
      ],
      state: { targetTemp: 21, temperature: 20, mode: 2, fanMode: 1, preset: 0, runningState: "heat" },
    },
    ["climate climate", "sensor temperature", "sensor runningState"],
  ],
  [
    "a ventilation unit",
    { class: "THERMOSTAT", capabilities: ["VU"], state: { mode: 2, supplyTemperature: 17 } },
    ["select mode", "sensor supplyTemperature"],
  ],
  [
    "a lock",
    { capabilities: ["LOCK"], state: { locked: true, lockState: "locked" } },
    ["lock lock", "sensor lockState"],
  ],
  ["a valve", { capabilities: ["VALVE"], state: { openPct: 10 } }, ["valve valve"]],
  [
    "a siren",
    {
      class: "ALARM_DEVICE",
      capabilities: ["ON_OFF", "GENERATE_ALERT"],
      state: { isOn: false, sirenOn: false },
    },
    ["siren siren"],
  ],
  [
    "a smoke detector",
    { class: "SMOKE_ALARM", capabilities: ["SMOKE", "IDENTIFY"], state: { alert: false, battery: 90 } },
    ["sensor battery", "binary_sensor alert", "button identify"],
  ],
  [
    "a remote",
    {
      class: "REMOTE_CONTROL",
      state: { button: 1, modifiers: [] },
      buttons: [{ id: 1, label: "On" }, { id: 2 }, {}],
    },
    ["event button_1", "event button_2"],
  ],
  [
    "extras",
    {
      state: {
        extras: {
          boost: { fieldType: "NUMBER", unit: "s", writable: true, minValue: 0, maxValue: 60, value: 3 },
          "led.mode": { fieldType: "OPTION", unit: null, writable: true, options: ["a", 2], value: "a" },
          muted: { fieldType: "BOOL", unit: null, writable: false, value: null },
          reset: { fieldType: "BOOL", unit: null, writable: true, momentary: true, value: null },
          word: { fieldType: "TEXT", unit: null, writable: true, value: "x" },
        },
      },
    },
    [
      "number extra_boost",
      "select extra_led_mode",
      "binary_sensor extra_muted",
      "switch extra_reset",
      "text extra_word",
    ],
  ],
];
for (const [what, device, entities] of kinds)
  test(`${what}: ${entities.join(", ")}`, () => {
    assert.deepEqual([...discovered(deviceOf(device)).keys()], entities);
  });

test("by default, locks and sirens are only seen", () => {
  const comfort = settingsWith("comfort");
  const lock = deviceOf({ capabilities: ["LOCK"], state: { locked: true } });
  assert.deepEqual([...discovered(lock, comfort).keys()], ["binary_sensor locked"]);
  const siren = deviceOf({
    class: "ALARM_DEVICE",
    capabilities: ["ON_OFF", "GENERATE_ALERT"],
    state: { isOn: true },
  });
  assert.deepEqual([...discovered(siren, comfort).keys()], ["binary_sensor isOn"]);
});

test("the state of a device has its parts in the words of Home Assistant", () => {
  const device = deviceOf({
    class: "THERMOSTAT",
    capabilities: ["THERMOSTAT", "HVAC", "FAN_MODE"],
    state: {
      type: "STATE_THERMOSTAT",
      lastSeen: 5,
      reachable: true,
      targetTemp: 21,
      temperature: 20.5,
      mode: 5,
      fanMode: 6,
      extras: { a: { value: 1 } },
    },
  });
  assert.deepEqual(stateOf(device), {
    reachable: true,
    targetTemp: 21,
    temperature: 20.5,
    mode: 5,
    fanMode: 6,
    extras: { a: 1 },
  });
  const entities = [{ component: "climate", key: "climate", name: null, config: {} }];
  assert.deepEqual(partsOf(device, entities), {
    climate: { temperature: 21, current: 20.5, mode: "fan_only", fan_mode: "smart" },
  });
  const half = deviceOf({ class: "BLINDS", state: { reachable: true, position: 0.25 } });
  assert.deepEqual(stateOf(half), { reachable: true, position: 0.25, liftPct: 25 });
});

test("without commands nothing can be commanded, and everything is still seen", () => {
  const none = settingsWith("none");
  const lamp = deviceOf({ class: "LIGHT", capabilities: ["ON_OFF"], state: { isOn: true } });
  assert.deepEqual([...discovered(lamp, none).keys()], ["binary_sensor isOn"]);
  for (const kind of ["scene", "rule"] as const) {
    const other = { id: "x", kind, name: "X", isOn: true };
    assert.equal(otherEntity(other, placesOf(kind, "x"), "none").component, "binary_sensor");
  }
});

test("scenes, rules, groups and the hub are what Home Assistant accepts", () => {
  const lamp = (id: string, isOn: boolean, more: string[] = []): ServedDevice =>
    deviceOf({
      id,
      class: "LIGHT",
      capabilities: ["ON_OFF", ...more],
      state: { isOn, reachable: true, rssi: -40 },
    });
  const group = { id: "g", kind: "group" as const, name: "All", members: ["a", "b"], room: null };
  const device = groupAsDevice(group, [lamp("a", false, ["BRIGHTNESS"]), lamp("b", true)]);
  assert.ok(device);
  assert.deepEqual([device.class, device.capabilities, device.state["isOn"]], ["LIGHT", ["ON_OFF"], true]);
  const wanted = {
    device,
    places: placesOf("group", "g"),
    takes: (name: string) => takes(all, device, name),
  };
  const others = (["scene", "rule"] as const).map((kind) =>
    otherEntity({ id: "x-1", kind, name: "X", isOn: true }, placesOf(kind, "x-1"), "all"),
  );
  const configs = [
    ...configsOf(groupEntities(wanted), { kind: "group", device }, hub, topics),
    ...configsOf([...others, hubEntity(topics)], { kind: "scene", device: undefined }, hub, topics),
  ];
  assert.deepEqual(
    configs.map(([topic]) => topic.split("/")[1]),
    ["light", "scene", "switch", "binary_sensor"],
  );
  assert.deepEqual(
    configs.flatMap(([topic, payload]) => faultsOf(topic, payload)),
    [],
  );
});

test("whatever a device can do and shows, Home Assistant accepts all of it", () => {
  const some = <Value extends string>(from: readonly Value[]) => fc.subarray([...from]);
  const names = Object.keys(attributes) as (keyof typeof attributes)[];
  const device = fc.record({
    class: fc.constantFrom(...Object.keys(deviceClasses)),
    capabilities: some(capabilities),
    shown: some(names),
    value: fc.constantFrom<unknown>(null, 0, 1, true, "x", -1, 5000),
  });
  fc.assert(
    fc.property(device, ({ shown, value, ...rest }) => {
      discovered(deviceOf({ ...rest, state: Object.fromEntries(shown.map((name) => [name, value])) }));
    }),
    { numRuns: Number(process.env["CASES"] ?? 200) },
  );
});

test("the schema refuses what Home Assistant does not know", () => {
  const good = { state_topic: "a/b", unique_id: "u", device: { identifiers: ["i"] }, origin: { name: "o" } };
  const topic = "homeassistant/sensor/node/object/config";
  const sensor = { ...good, value_template: "{{ value }}" };
  assert.deepEqual(faultsOf(topic, JSON.stringify(sensor)), []);
  for (const wrong of [
    { ...sensor, device_class: "mood" },
    { ...sensor, device_class: "temperature", unit_of_measurement: "ppm" },
    { ...sensor, state_topic: "a/#" },
    { ...sensor, color: "red" },
    { ...sensor, value_template: "{{ value" },
    { ...sensor, device_class: "energy", unit_of_measurement: "kWh", state_class: "measurement" },
    { ...sensor, device: {} },
    { ...good, unique_id: undefined },
  ])
    assert.notDeepEqual(faultsOf(topic, JSON.stringify(wrong)), [], JSON.stringify(wrong));
  assert.notDeepEqual(faultsOf("homeassistant/sensor/no.de/o/config", JSON.stringify(sensor)), []);
});
