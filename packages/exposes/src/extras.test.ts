import assert from "node:assert/strict";
import test from "node:test";
import { extrasProblem, limits } from "@ledge/model";
import { exposesOf } from "./expose.ts";
import { extraActions, extrasIn, extrasOf } from "./extras.ts";
import { assigned, featuresOf } from "./features.ts";
import { settingsOf } from "./settings.ts";

const part = (name: string, type: string, access: number, more: object = {}) => ({
  type,
  name,
  property: name,
  access,
  ...more,
});
const extrasFor = (...exposes: readonly object[]) =>
  extrasOf(settingsOf(featuresOf(exposesOf(exposes)).rest).others);

const warning = part("squawk", "composite", 2, {
  features: [
    part("state", "enum", 2, { values: ["armed", "disarmed"] }),
    part("level", "numeric", 2, { value_min: 0, value_max: 3 }),
    part("strobe", "composite", 2, {
      features: [part("on", "binary", 2, { value_on: "ON", value_off: "OFF" })],
    }),
  ],
});

test("shows what has no attribute, with its unit, and ignores impossible values", () => {
  const extras = extrasFor(
    part("x_axis", "numeric", 1, { unit: "mg", value_min: -10, value_max: 10 }),
    part("status", "enum", 1, { values: ["idle", 3] }),
    part("moving", "binary", 1, { value_on: "YES", value_off: "NO" }),
    part("ip_address", "text", 1),
    part("faults", "list", 1),
  );
  assert.deepEqual(
    extras.map(({ described: { name, fieldType, unit, writable } }) => [name, fieldType, unit, writable]),
    [
      ["x_axis", "NUMBER", "mg", false],
      ["status", "OPTION", null, false],
      ["moving", "BOOL", null, false],
      ["ip_address", "TEXT", null, false],
      ["faults", "TEXT", null, false],
    ],
  );
  const said = { x_axis: -10, status: "idle", moving: "YES", ip_address: "::1", faults: ["a", 1] };
  assert.deepEqual(extrasIn(extras, said), {
    "extras.x_axis": -10,
    "extras.status": "idle",
    "extras.moving": true,
    "extras.ip_address": "::1",
    "extras.faults": '["a",1]',
  });
  const newer = { status: "defrosting", ip_address: 7 };
  assert.deepEqual(extrasIn(extras, newer), { "extras.status": "defrosting", "extras.ip_address": "7" });
  const circle: unknown[] = [];
  circle.push(circle);
  for (const wrong of [
    { x_axis: 11, status: "", moving: true, ip_address: {}, faults: "a" },
    { x_axis: Number.NaN, status: null, moving: null, ip_address: null, faults: circle },
    { x_axis: "1", status: "s".repeat(limits.nameChars + 1), ip_address: "x".repeat(1025), faults: "1" },
    { other: 1 },
    {},
  ])
    assert.deepEqual(extrasIn(extras, wrong), {});
});

test("names the parts of a whole with dots, and sends those of one command together", () => {
  const extras = extrasFor(warning);
  assert.deepEqual(
    extras.map(({ described: { name, momentary } }) => [name, momentary]),
    [
      ["squawk.state", true],
      ["squawk.level", true],
      ["squawk.strobe.on", true],
    ],
  );
  const wanted = {
    "extras.squawk.level": 3,
    "extras.squawk.strobe.on": true,
    "extras.squawk.state": "armed",
  };
  assert.deepEqual(extraActions(extras, wanted, {}), [
    {
      kind: "convert",
      key: "squawk",
      endpointName: null,
      value: { state: "armed", level: 3, strobe: { on: "ON" } },
    },
  ]);
  assert.deepEqual(extraActions(extras, { isOn: true }, {}), []);
  assert.deepEqual(extrasIn(extras, { squawk: { level: 1 } }), {}, "a command is not a state");
});

test("keeps the other parts of a whole as they are known", () => {
  const zones = { ...warning, access: 1, features: [part("near", "numeric", 3), part("far", "numeric", 3)] };
  const extras = extrasFor(zones).map((extra) => ({ ...extra, isSettable: true }));
  const [action] = extraActions(extras, { "extras.squawk.far": 5 }, { "extras.squawk.near": 1 });
  assert.deepEqual(action?.value, { near: 1, far: 5 });
});

test("reads parts of values that are not there, or of another kind", () => {
  const zones = part("zone", "composite", 1, { features: [part("near", "numeric", 1)] });
  const extras = extrasFor(zones);
  assert.deepEqual(extrasIn(extras, { zone: { near: 2 } }), { "extras.zone.near": 2 });
  for (const zone of [null, 1, "x", [], {}, { near: {} }, Object.create({ near: 1 })])
    assert.deepEqual(extrasIn(extras, { zone }), {});
});

test("gives an attribute to the first of several readings; the others are extras", () => {
  const power = (endpoint: string) =>
    part("power", "numeric", 1, { unit: "W", endpoint, property: `power_${endpoint}` });
  const { features, others } = assigned(featuresOf(exposesOf([power("a"), power("b")])).features);
  assert.deepEqual(
    features.map(({ property }) => property),
    ["power_a"],
  );
  assert.deepEqual(extrasIn(extrasOf(others), { power_a: 1, power_b: 2 }), { "extras.power_b": 2 });
});

test("infers the demand from the running state of a thermostat only without a demand", () => {
  const running = part("running_state", "enum", 1, { values: ["idle", "heat"] });
  const demand = part("pi_heating_demand", "numeric", 1, { unit: "%" });
  const attributesOf = (...exposes: readonly object[]) =>
    assigned(featuresOf(exposesOf([{ type: "climate", features: exposes }])).features).features.flatMap(
      ({ attributes }) => attributes,
    );
  assert.deepEqual(attributesOf(running, demand), ["runningState", "heatingDemand"]);
  assert.deepEqual(attributesOf(running), ["runningState", "heatingDemand"]);
});

test("keeps all words of a choice whose numbers cannot hold them", () => {
  const preset = part("preset", "enum", 7, { values: ["comfort", "eco", "holiday"] });
  const { features, rest } = featuresOf(exposesOf([{ type: "climate", features: [preset] }]));
  assert.deepEqual(features[0]?.attributes, ["preset"]);
  assert.deepEqual(settingsOf(rest).settings[0]?.from("holiday"), "holiday");
});

test("makes names that the model takes of any property", () => {
  const odd = ["Größe (m²)", "__proto__", "_x", "9", "a.b", " "].map((name) => part(name, "numeric", 1));
  const described = extrasFor(...odd).map((extra) => extra.described);
  assert.equal(extrasProblem(described), undefined);
  assert.equal(described.length, odd.length);
});
