import assert from "node:assert/strict";
import { test } from "node:test";
import { color, componentsOfHue, componentsOfWhite } from "./color.ts";
import { ordersFor } from "./orders.ts";
import { attributesOf, unitsOf } from "./units.ts";
import type { NodeFacts, NodeValue } from "./value.ts";

const value = (more: Partial<NodeValue>): NodeValue => ({
  commandClass: 0,
  endpoint: 0,
  property: "",
  value: undefined,
  ...more,
});
const other = { kind: "other" } as const;

test("reads back each hue and white that it sets", () => {
  for (const hue of [0, 1, 2.5, 4, 6]) {
    const read = color.attributes(value({ value: componentsOfHue(hue, 1) }), "lamp");
    assert.ok(Math.abs(Number(read["hue"]) - hue) < 0.01, String(hue));
    assert.equal(read["colorMode"], "hs");
  }
  for (const kelvin of [2700, 4000, 6500]) {
    const read = color.attributes(value({ value: componentsOfWhite(kelvin) }), "lamp");
    assert.ok(Math.abs(Number(read["temperature"]) - kelvin) < 10, String(kelvin));
  }
});

test("drops values that no device can have", () => {
  const wrong: readonly Partial<NodeValue>[] = [
    { commandClass: 0x26, property: "currentValue", value: 254 },
    { commandClass: 0x26, property: "currentValue", value: null },
    { commandClass: 0x25, property: "currentValue", value: "on" },
    { commandClass: 0x31, property: "Humidity", value: 255, unit: "%" },
    { commandClass: 0x31, property: "Air temperature", value: NaN, unit: "°C" },
    { commandClass: 0x31, property: "Air temperature", value: 20, unit: "constructor" },
    { commandClass: 0x32, property: "value", propertyKey: 1, value: -5, unit: "kWh", meterType: 1 },
    { commandClass: 0x80, property: "level", value: 101 },
    { commandClass: 0x33, property: "currentColor", value: { red: 900 } },
    { commandClass: 0x62, property: "currentMode", value: 0xfe },
    { commandClass: 0x5b, property: "scene", propertyKey: "000", value: 0 },
    { commandClass: 0xff, property: "anything", value: 7 },
  ];
  for (const each of wrong) assert.deepEqual(attributesOf(value(each), other), {}, JSON.stringify(each));
});

test("makes one device of each endpoint that switches", () => {
  const values = [0, 1, 2].map((endpoint) =>
    value({ commandClass: 0x25, endpoint, property: "currentValue", value: false }),
  );
  const facts: NodeFacts = { values, classes: new Map([[0, [0x10, 1]]]), manufacturer: "Acme", model: "Two" };
  assert.deepEqual(
    unitsOf(facts).map(({ name, endpoints, class: kind }) => [name, endpoints, kind]),
    [
      ["Acme Two 1", [1], "POWER_SOCKET"],
      ["Acme Two 2", [2], "POWER_SOCKET"],
    ],
  );
});

test("sets a cover by its share and stops it", () => {
  const unit = { kind: "cover", capabilities: ["BLINDS", "LIFT", "COVER_STOP"] } as const;
  const context = { unit, has: (id: number) => id === 0x26, setpoints: [], coverings: [], before: {} };
  assert.deepEqual(ordersFor({ liftPct: 50 }, context), [
    { commandClass: 0x26, property: "targetValue", value: 50 },
  ]);
  assert.deepEqual(ordersFor({ stop: true }, context), [
    { commandClass: 0x26, property: "Up", value: false },
  ]);
});

test("sets a covering by its parameters, and a barrier to the nearer end", () => {
  const unit = { kind: "other", capabilities: ["BLINDS", "LIFT", "COVER_STOP", "TILT"] } as const;
  const context = { unit, has: () => false, setpoints: [], coverings: [13, 23], before: {} };
  assert.deepEqual(ordersFor({ position: 1, tiltPct: 50 }, context), [
    { commandClass: 0x6a, propertyKey: 13, property: "targetValue", value: 99 },
    { commandClass: 0x6a, propertyKey: 23, property: "targetValue", value: 50 },
  ]);
  assert.equal(ordersFor({ stop: true }, context)[0]?.property, "levelChangeUp");
  const door = { ...context, has: (id: number) => id === 0x66, coverings: [] };
  assert.deepEqual(ordersFor({ liftPct: 80 }, door), [
    { commandClass: 0x66, property: "targetState", value: 255 },
  ]);
});

test("turns a fan on again before it sets its mode", () => {
  const unit = { kind: "other", capabilities: ["FAN_MODE"] } as const;
  const context = { unit, has: () => true, setpoints: [], coverings: [], before: { fanMode: 0 } };
  assert.deepEqual(
    ordersFor({ fanMode: 3 }, context).map(({ property, value: to }) => [property, to]),
    [
      ["off", false],
      ["mode", 3],
    ],
  );
  assert.deepEqual(
    ordersFor({ fanMode: 0 }, context).map(({ property }) => property),
    ["off"],
  );
});
