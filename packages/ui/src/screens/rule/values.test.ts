import assert from "node:assert/strict";
import { test } from "node:test";
import type { ValueField } from "./fields.ts";
import {
  durationOf,
  editorOf,
  emptyEntry,
  type Entry,
  entryOf,
  isProblem,
  standardsOf,
  type Typed,
  valueOf,
} from "./values.ts";

function field(type: string, more: Partial<ValueField> = {}): ValueField {
  const bounds = { min: 0, max: 1, least: null, most: null, standard: null, options: [], about: null };
  return { part: "extras", name: "x", label: "X", help: "", type, ...bounds, ...more };
}

const text = (of: string): Entry => ({ kind: "text", text: of });
const span = (amount: string, unit: "s" | "min" | "h" | "d"): Entry => ({
  kind: "duration",
  of: { amount, unit },
});
const range = {
  type: "TIME_RANGE",
  weekdays: [1, 2],
  start: { type: "SUN_EVENT", event: "SUNSET", offsetMs: -60_000 },
  end: null,
  enabled: false,
};

const same: readonly [type: string, value: unknown, entry: Entry][] = [
  ["TIME_DELTA_MS", 120_000, span("2", "min")],
  ["TIME_DELTA_MS", 500, span("0.5", "s")],
  ["TIME_DELTA_MS", 0, span("0", "s")],
  ["TIME_DELTA_MS", 172_800_000, span("2", "d")],
  ["PERCENT", 0.65, text("65")],
  ["PERCENT", 0.07, text("7")],
  ["PERCENT", 0.125, text("12.5")],
  ["TEMPERATURE", -3.5, text("-3.5")],
  ["LUX", 50, text("50")],
  ["PPM", 800, text("800")],
  ["POWER_W", 3000, text("3000")],
  ["PRICE", -0.5, text("-0.5")],
  ["NUMBER", 1.3, text("1.3")],
  ["TIME_OF_DAY", 0, text("00:00")],
  ["TIME_OF_DAY", 1439, text("23:59")],
  ["WEEKDAYS", [], { kind: "days", days: [] }],
  ["WEEKDAYS", [1, 7], { kind: "days", days: [1, 7] }],
  ["DATE", "2028-02-29", text("2028-02-29")],
  ["OPTION", "cool", text("cool")],
  ["SCENE", "s1", text("s1")],
  ["BOOLEAN", false, { kind: "check", isOn: false }],
  ["STRING", "auto", text("auto")],
  ["ATTRIBUTE", "extras.x_axis", text("extras.x_axis")],
  ["FUTURE", { deep: [1] }, { kind: "json", text: '{"type":"FUTURE","value":{"deep":[1]}}' }],
];
for (const [type, value, entry] of same) {
  test(`shows a ${type} of ${JSON.stringify(value)} in its editor, and reads the same from it`, () => {
    const given = { type, value } as Typed;
    assert.deepEqual(entryOf({ type }, given), entry);
    assert.deepEqual(valueOf(field(type), entry), given);
  });
}

test("keeps a time range whole, and shows a cron as JSON", () => {
  const of = field("TIME_RANGE");
  const entry = entryOf(of, range);
  assert.deepEqual(entry, { kind: "range", range });
  assert.deepEqual(valueOf(of, entry), range);
  const cron = {
    type: "RULETIME",
    enabled: true,
    cronDef: { type: "CRONDEF", start: "0 7 * * *", stop: "0 9 * * *" },
  };
  const shown = entryOf(of, cron);
  assert.equal(shown.kind, "json");
  assert.deepEqual(valueOf(of, shown), cron);
});

test("shows a value of a type that the field does not have as JSON", () => {
  const future = { type: "FUTURE", value: 5 } as Typed;
  assert.deepEqual(entryOf(field("NUMBER"), future), { kind: "json", text: JSON.stringify(future) });
  const wrong = { type: "NUMBER", value: "5" } as Typed;
  assert.deepEqual(entryOf(field("NUMBER"), wrong), { kind: "json", text: JSON.stringify(wrong) });
});

const bounded = { least: 0.01, most: 1 };
const read: readonly [field: ValueField, entry: Entry, found: unknown][] = [
  [field("NUMBER"), text("1,5"), { type: "NUMBER", value: 1.5 }],
  [field("NUMBER"), text(" +2. "), { type: "NUMBER", value: 2 }],
  [field("NUMBER"), text(""), null],
  [field("NUMBER"), text("warm"), { kind: "number" }],
  [field("NUMBER"), text("1e9"), { kind: "number" }],
  [field("NUMBER"), text("Infinity"), { kind: "number" }],
  [field("PERCENT", bounded), text("1"), { type: "PERCENT", value: 0.01 }],
  [field("PERCENT", bounded), text("0.5"), { kind: "least", limit: 1 }],
  [field("PERCENT", bounded), text("100"), { type: "PERCENT", value: 1 }],
  [field("PERCENT", bounded), text("100.1"), { kind: "most", limit: 100 }],
  [field("TIME_DELTA_MS"), span("", "min"), null],
  [field("TIME_DELTA_MS"), span("1,5", "h"), { type: "TIME_DELTA_MS", value: 5_400_000 }],
  [field("TIME_DELTA_MS"), span("0.0001", "s"), { type: "TIME_DELTA_MS", value: 0 }],
  [field("TIME_DELTA_MS"), span("soon", "s"), { kind: "number" }],
  [
    field("TIME_DELTA_MS", { least: 1000, most: 2000 }),
    span("1", "s"),
    { type: "TIME_DELTA_MS", value: 1000 },
  ],
  [field("TIME_DELTA_MS", { least: 1000, most: 2000 }), span("0.9", "s"), { kind: "least", limit: 1000 }],
  [field("TIME_DELTA_MS", { least: 1000, most: 2000 }), span("3", "s"), { kind: "most", limit: 2000 }],
  [field("TIME_OF_DAY"), text("7:05"), { type: "TIME_OF_DAY", value: 425 }],
  [field("TIME_OF_DAY"), text("24:00"), { kind: "time" }],
  [field("TIME_OF_DAY"), text("noon"), { kind: "time" }],
  [field("DATE"), text("1.2.2026"), { kind: "date" }],
  [field("WEEKDAYS"), { kind: "days", days: [7, 1] }, { type: "WEEKDAYS", value: [1, 7] }],
  [field("STRING"), text("  "), null],
  [field("FUTURE"), { kind: "json", text: "" }, null],
  [field("FUTURE"), { kind: "json", text: "{" }, { kind: "json" }],
  [field("FUTURE"), { kind: "json", text: "[1]" }, { kind: "json" }],
  [field("FUTURE"), { kind: "json", text: '{"type":5}' }, { kind: "json" }],
];
for (const [of, entry, found] of read) {
  test(`reads ${JSON.stringify(entry)} in a ${of.type} as ${JSON.stringify(found)}`, () => {
    const value = valueOf(of, entry);
    assert.deepEqual(value, found);
    assert.equal(isProblem(value), found !== null && Object.hasOwn(found as object, "kind"));
  });
}

test("begins with the defaults of a field, one value or several", () => {
  assert.deepEqual(standardsOf(field("LUX", { standard: 50 })), [{ type: "LUX", value: 50 }]);
  assert.deepEqual(standardsOf(field("LUX")), []);
  assert.deepEqual(standardsOf(field("WEEKDAYS", { standard: [] })), [{ type: "WEEKDAYS", value: [] }]);
  assert.deepEqual(standardsOf(field("TIME_RANGE", { standard: [range] })), [range]);
  assert.deepEqual(standardsOf(field("SCENE", { standard: ["a", "b"] })), [
    { type: "SCENE", value: "a" },
    { type: "SCENE", value: "b" },
  ]);
});

test("an empty editor stands for no value where a field needs none", () => {
  for (const type of [
    "TIME_DELTA_MS",
    "TIME_OF_DAY",
    "DATE",
    "NUMBER",
    "OPTION",
    "SCENE",
    "STRING",
    "FUTURE",
  ])
    assert.equal(valueOf(field(type), emptyEntry(field(type))), null, type);
  assert.deepEqual(emptyEntry(field("TIME_DELTA_MS", { least: 3_600_000 })), span("", "h"));
  assert.equal(editorOf("toString"), "json");
});

test("writes a time span in the longest unit that shows it whole", () => {
  assert.deepEqual(durationOf(90_000), { amount: "90", unit: "s" });
});
