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
  const group = { id: "g", kind: "group", name: "All", members: ["a", "b"], room: null } as const;
  const device = groupAsDevice(group, [lamp("a", false, ["BRIGHTNESS"]), lamp("b", true)]);
  assert.ok(device);
  assert.deepEqual([device.class, device.capabilities, device.state["isOn"]], ["LIGHT", ["ON_OFF"], true]);
  const wanted = { device, places: placesOf("group", "g"), takes: () => true };
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
