import assert from "node:assert/strict";
import { test } from "node:test";
import { itemsProblem } from "@ledge/model";
import { targetsIn, textOfTargets } from "./associations.ts";
import { type Parameter, parameterItem, parameterProblem, parameterValue } from "./parameters.ts";
import { wakeUpItem, wakeUpProblem } from "./wake-up.ts";

const parameter = (more: Partial<Parameter>): Parameter => ({
  endpoint: 0,
  number: 7,
  takesOthers: more.states === undefined,
  isReadable: true,
  isWriteable: true,
  isDestructive: false,
  ...more,
});

test("makes a switch of the options off and on, and of the bounds 0 and 1", () => {
  const options = parameterItem(parameter({ states: { 0: "Disable", 1: "Enable" }, default: 1 }));
  assert.deepEqual([options.fieldType, options.defaultValue], ["BOOL", true]);
  assert.equal(parameterItem(parameter({ min: 0, max: 1 })).fieldType, "BOOL");
  assert.equal(parameterItem(parameter({ states: { 0: "Cold", 1: "Warm" } })).fieldType, "OPTION");
  assert.equal(parameterValue(options, 0), false);
  assert.equal(parameterValue(options, 2), undefined);
});

test("tells options of one label apart", () => {
  const item = parameterItem(parameter({ states: { 0: "Off", 5: "On", 9: "On" } }));
  assert.deepEqual(
    item.options.map(({ label }) => label.en),
    ["Off", "On (5)", "On (9)"],
  );
  assert.equal(itemsProblem([item]), undefined);
});

test("offers a number where other values than the options are allowed, and explains them", () => {
  const allowed = [{ value: 0 }, { from: 10, to: 100, step: 10 }];
  const odd = parameter({ states: { 0: "Never" }, takesOthers: true, allowed, description: "How often" });
  const { fieldType, minValue, maxValue, help } = parameterItem(odd);
  assert.deepEqual([fieldType, minValue, maxValue], ["NUMBER", 0, 100]);
  assert.equal(help?.en, "How often. 0: Never. Values: 0, 10 to 100 in steps of 10");
  assert.equal(parameterProblem(odd, 20), undefined);
  assert.equal(parameterProblem(odd, 15), "must be 0 or 10 to 100 in steps of 10");
  assert.equal(parameterProblem(odd, 1.5), "must be a whole number");
});

const strange: readonly Partial<Parameter>[] = [
  { min: 9, max: 3 },
  { default: 500, min: 0, max: 9 },
  { label: "  ", description: "\n" },
  { label: "x".repeat(5000), unit: "y".repeat(5000), description: "z".repeat(5000) },
  { states: Object.fromEntries(Array.from({ length: 300 }, (_, value) => [value, "one"])) },
  { states: { first: "none" } },
  { states: {} },
  { mask: 0x8000_0000, endpoint: 3, number: 60_000 },
];
for (const [index, each] of strange.entries())
  test(`makes a valid setting of strange facts (${index})`, () => {
    assert.equal(itemsProblem([parameterItem(parameter(each))]), undefined);
  });

test("a reset leaves alone what acts as soon as it is written", () => {
  const bounds = { min: 0, max: 5, default: 0 };
  assert.equal(parameterItem(parameter(bounds)).defaultValue, 0);
  for (const more of [{ isDestructive: true }, { isReadable: false }])
    assert.equal(parameterItem(parameter({ ...bounds, ...more })).defaultValue, null);
});

test("shows no value that a parameter cannot have", () => {
  const item = parameterItem(parameter({ min: 0, max: 100 }));
  for (const value of [-1, 101, 1.5, NaN, "7", null, undefined, {}])
    assert.equal(parameterValue(item, value), undefined, JSON.stringify(value));
  assert.equal(parameterValue(item, 100), 100);
});

test("reads the nodes of a group back", () => {
  for (const text of ["", "5", "5, 7.2", "5, 7, 7.0"])
    assert.equal(textOfTargets(targetsIn(text) ?? []), text);
  assert.equal(textOfTargets(targetsIn(" 7.2 5") ?? []), "5, 7.2");
  for (const text of ["a", "5;6", "5.", "-1", "1.2.3", "123456"])
    assert.equal(targetsIn(text), undefined, text);
});

test("keeps a wake-up interval within what the device says", () => {
  const known = { min: 300, max: 3600, steps: 60, default: 600 };
  const item = wakeUpItem(known);
  assert.deepEqual([item.minValue, item.maxValue, item.defaultValue], [300, 3600, 600]);
  assert.equal(wakeUpProblem(known, 360), undefined);
  assert.equal(wakeUpProblem(known, 361), "must be 300 plus a multiple of 60");
  assert.equal(itemsProblem([wakeUpItem({ min: 9, max: 3, default: 5 })]), undefined);
});
