import assert from "node:assert/strict";
import { test } from "node:test";
import type { ValueField } from "./field.ts";
import { date, number, option, scenes } from "./field.ts";
import { TestHouse } from "../testdata/house.ts";
import { understood, valueProblem } from "./value.ts";

const minute = 60_000;
const world = { get: () => undefined };

test("a value must have its field's type; nothing is converted", () => {
  const refused: readonly (readonly [ValueField, unknown])[] = [
    [date(), ["2026-02-01"]],
    [date(), "2026-02-30"],
    [date(), "2026-00-10"],
    [date(), "2026-13-01"],
    [date(), "2026-2-1"],
    [option(["heat", "cool"]), ["cool"]],
    [option(["heat", "cool"]), "warm"],
    [scenes(0, 1), ["evening"]],
    [scenes(0, 1), "evening"],
    [number("LUX", null, 0, 1), "1"],
  ];
  for (const [field, value] of refused) {
    const given = { type: field.fieldType, value };
    assert.notEqual(valueProblem(given, field, world), undefined, JSON.stringify(given));
  }
  assert.equal(valueProblem({ type: "DATE", value: "2028-02-29" }, date(), world), undefined);
  assert.equal(valueProblem({ type: "OPTION", value: "cool" }, option(["heat", "cool"]), world), undefined);
});

test("a field of time ranges accepts a RULETIME, and no other field does", () => {
  const given = [{ type: "RULETIME" }, { type: "TIME_RANGE" }, { type: "FUTURE" }];
  assert.deepEqual(understood(given, { fieldType: "TIME_RANGE" }), given.slice(0, 2));
  assert.deepEqual(understood(given, { fieldType: "NUMBER" }), []);
});

test("keeps values of unknown types and uses the defaults meanwhile", async () => {
  const house = await TestHouse.open();
  const sensor = await house.addDevice("sensor", "MULTI_SENSOR", ["MOTION"], { motion: true });
  const lamp = await house.lamp("lamp");
  const future = [{ type: "FUTURE", value: "soon" }];
  const extras = { timeout: future, level: future, activeTimes: future };
  const of = { inputs: { motion: [sensor] }, outputs: { lights: [lamp] }, extras };
  const rule = await house.addRule("rule", "MOTION_LIGHT", of);
  assert.equal(house.device(lamp).state["isOn"], true);
  await house.report(sensor, { motion: false });
  await house.clock.pass(2 * minute);
  assert.equal(house.device(lamp).state["isOn"], false);
  assert.deepEqual(house.kernel.get("rule", rule)?.config.extras["timeout"], future);
  await house.close();
});

test("refuses a value of an unknown type for a required field", async () => {
  const house = await TestHouse.open();
  const meter = await house.addDevice("meter", "MULTI_SENSOR", ["ACTIVE_POWER"]);
  const load = await house.lamp("load");
  const of = { inputs: { meter: [meter] }, outputs: { loads: [load] } };
  const config = (type: string): object =>
    house.configOf("rule", "POWER_OVERLOAD", { ...of, extras: { limitW: [{ type, value: 3000 }] } });
  const refused = await house.hub.submit({ type: "SET_RULE", config: config("FUTURE") });
  assert.ok(!refused.accepted && refused.rejection.field === "extras.limitW.0");
  await house.accept({ type: "SET_RULE", config: config("POWER_W") });
  await house.close();
});
