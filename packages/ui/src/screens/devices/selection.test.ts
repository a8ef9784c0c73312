import assert from "node:assert/strict";
import { test } from "node:test";
import { type Chip, type Findable, isBatteryLow, isChip, selected } from "./selection.ts";

function device(name: string, more: Partial<Findable> = {}): Findable {
  return { id: name, type: "LIGHT", name, room: [], manufacturer: "Ledge", model: null, state: {}, ...more };
}

const devices = [
  device("Porch lamp", { room: ["r"], model: "Glow" }),
  device("Hall lamp 10", { room: ["r"], state: { reachable: false } }),
  device("Hall lamp 9", { state: { batteryLow: true } }),
  device("Meter", { type: "MULTI_SENSOR", room: ["r"], state: { battery: 4 } }),
];

const found: readonly [text: string, chip: Chip | undefined, names: readonly string[]][] = [
  ["", undefined, ["Porch lamp", "Hall lamp 10", "Hall lamp 9", "Meter"]],
  ["lamp hall", undefined, ["Hall lamp 10", "Hall lamp 9"]],
  ["KITCHEN glow", undefined, ["Porch lamp"]],
  ["ledge", "noRoom", ["Hall lamp 9"]],
  ["", "unreachable", ["Hall lamp 10"]],
  ["", "battery", ["Hall lamp 9", "Meter"]],
  ["", "upgrade", ["Porch lamp", "Meter"]],
  ["lamp", "upgrade", ["Porch lamp"]],
  ["sensor", undefined, ["Meter"]],
  ["null", undefined, []],
  ["[a-z", undefined, []],
];
for (const [text, chip, names] of found) {
  test(`finds ${names.length} devices for "${text}"${chip === undefined ? "" : ` of ${chip}`}`, () => {
    const hasNewer = (id: string): boolean => id === "Porch lamp" || id === "Meter";
    const classOf = (type: string): string => (type === "LIGHT" ? "Lighting" : "Sensor");
    const said = { roomOf: () => "Kitchen", classOf, hasNewer };
    const names_ = selected(devices, text, chip, said).map(({ name }) => name);
    assert.deepEqual(names_, names);
  });
}

test("takes a battery for low when the device says so, or from 15 % on", () => {
  const low = [{ battery: 15 }, { battery: 16 }, { battery: 90, batteryLow: true }, {}];
  assert.deepEqual(
    low.map((state) => isBatteryLow({ state })),
    [true, false, true, false],
  );
});

test("knows its chips", () => {
  assert.deepEqual(["upgrade", "constructor", undefined].map(isChip), [true, false, false]);
});
