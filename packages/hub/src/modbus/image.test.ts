import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModbusTcpMapping } from "@ledge/model";
import fc from "fast-check";
import { Image } from "./image.ts";

const base = { type: "MODBUS_TCP_MAPPING", scale: 1, unit: null, wordOrder: "big", writable: true } as const;
const bit = (deviceId: string, registerType: number, register: number): ModbusTcpMapping => ({
  ...base,
  deviceId,
  attribute: "isOn",
  registerType,
  register,
  dataType: "bool",
});
const number = (register: number, more: Partial<ModbusTcpMapping> = {}): ModbusTcpMapping => ({
  ...base,
  deviceId: "t",
  attribute: "targetTemperature",
  registerType: 3,
  register,
  dataType: "s16",
  scale: 0.1,
  ...more,
});

const image = new Image([
  bit("a", 1, 0),
  bit("b", 1, 1),
  bit("a", 3, 100),
  number(10),
  number(11, { dataType: "f32", scale: 1 }),
  number(13, { dataType: "u32", wordOrder: "little", attribute: "energyA", writable: false }),
  number(15, { deviceId: "gone" }),
  number(20, { deviceId: "silent" }),
]);
const states: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  a: { isOn: true, reachable: true },
  b: { isOn: false, reachable: true },
  t: { targetTemperature: 21.3, energyA: 1_234_567.8, reachable: true },
  silent: { targetTemperature: 5, reachable: false },
};
const stateOf = (id: string) => states[id];
const read = (table: "coil" | "holding", register: number, count: number) =>
  image.read(1, { table, register, count }, stateOf);
const write = (
  table: "coil" | "holding",
  register: number,
  values: number[],
  mask?: number,
  awaited?: Readonly<Record<string, unknown>>,
) =>
  image.write(
    1,
    { kind: "write", code: 16, table, register, values, ...(mask !== undefined && { mask }) },
    stateOf,
    () => awaited,
  );
const set = (id: string, state: object): object => ({ type: "CMD_DEVICE", id, state });

test("shows attributes as bits and numbers, and an exception where nothing is mapped", () => {
  assert.deepEqual(read("coil", 0, 2), [1, 0]);
  assert.equal(read("coil", 0, 3), 2);
  const f32 = Buffer.alloc(4);
  f32.writeFloatBE(21.3);
  const energy = Math.round(12_345_678);
  assert.deepEqual(read("holding", 10, 5), [
    213,
    f32.readUInt16BE(0),
    f32.readUInt16BE(2),
    energy & 0xffff,
    energy >> 16,
  ]);
  assert.deepEqual(read("holding", 14, 1), [energy >> 16], "a half of a number may be read");
  assert.deepEqual(read("holding", 15, 1), [0x8000], "a device that is gone has no value");
  assert.deepEqual(read("holding", 100, 1), [1]);
});

test("a unit has places of its own before those of all units", () => {
  const shared = new Image([bit("a", 1, 0), bit("b", 1, 1), { ...bit("b", 1, 0), unit: 7 }]);
  const coils = (unit: number) => shared.read(unit, { table: "coil", register: 0, count: 2 }, stateOf);
  assert.deepEqual(
    [coils(1), coils(7)],
    [
      [1, 0],
      [0, 0],
    ],
  );
});

test("shows no value where a number does not fit its registers", () => {
  for (const [dataType, value, words] of [
    ["u16", 65_535, [0xffff]],
    ["u16", -1, [0xffff]],
    ["s16", 32_768, [0x8000]],
    ["u32", 2 ** 32, [0xffff, 0xffff]],
    ["s32", -(2 ** 31), [0x8000, 0]],
    ["f32", null, [0x7fc0, 0]],
  ] as const) {
    const one = new Image([number(0, { dataType, scale: 1 })]);
    const shown = one.read(1, { table: "holding", register: 0, count: words.length }, () => ({
      targetTemperature: value,
    }));
    assert.deepEqual(shown, words, `${dataType} ${value}`);
  }
});

test("turns what is written into one command a device", () => {
  assert.deepEqual(write("coil", 0, [0, 1]), [set("a", { isOn: false }), set("b", { isOn: true })]);
  assert.deepEqual(write("holding", 10, [0xfff6]), [set("t", { targetTemperature: -1 })]);
  assert.deepEqual(write("holding", 11, [0x41ac, 0]), [set("t", { targetTemperature: 21.5 })]);
  assert.deepEqual(
    write("holding", 10, [4], 0x000f),
    [set("t", { targetTemperature: 21.2 })],
    "213 has 5 in its last bits",
  );
});

test("makes no command of what a device shows or has been told, and one of all else", () => {
  assert.deepEqual(write("coil", 0, [1, 1]), [set("b", { isOn: true })]);
  assert.deepEqual(write("holding", 100, [7]), []);
  assert.deepEqual(write("holding", 10, [213]), []);
  assert.deepEqual(write("holding", 11, [0x41aa, 0x6666]), []);
  assert.deepEqual(write("holding", 100, [0], undefined, { isOn: false }), [], "told already");
  assert.deepEqual(write("holding", 100, [1], undefined, { isOn: false }), [set("a", { isOn: true })]);
  assert.deepEqual(write("holding", 100, [1], undefined, {}), [set("a", { isOn: true })], "who knows");
  const twice = write("holding", 10, [214, 0x41aa, 0x6666]);
  assert.deepEqual(twice, [set("t", { targetTemperature: 21.3 })], "the last of one request counts");
});

test("refuses to write half a number, what is read only, NaN, and what cannot be reached", () => {
  assert.equal(write("holding", 11, [0x41aa]), 2);
  assert.equal(write("holding", 12, [0x6666]), 2);
  assert.equal(write("holding", 13, [0, 0]), 2);
  assert.equal(write("holding", 15, [1]), 2);
  assert.equal(write("coil", 1, [1, 1]), 2);
  assert.equal(write("holding", 11, [0x7fc0, 0]), 3);
  assert.equal(write("holding", 20, [1]), 11);
});

test("what is read can be written back without a change", () => {
  const types = fc.constantFrom("u16", "s16", "u32", "s32", "f32");
  const scales = fc.constantFrom(1, 0.1, 0.01, 10);
  fc.assert(
    fc.property(
      types,
      scales,
      fc.constantFrom("big", "little"),
      fc.integer({ min: 0, max: 3000 }),
      (dataType, scale, wordOrder, raw) => {
        const one = new Image([number(0, { dataType, scale, wordOrder })]);
        const value = Number((raw * scale).toPrecision(7));
        const count = dataType.endsWith("16") ? 1 : 2;
        const words = one.read(1, { table: "holding", register: 0, count }, () => ({
          targetTemperature: value,
        }));
        assert.ok(Array.isArray(words));
        const [command] = one.write(
          1,
          { kind: "write", code: 16, table: "holding", register: 0, values: words },
          () => ({}),
        ) as object[];
        assert.deepEqual(command, { type: "CMD_DEVICE", id: "t", state: { targetTemperature: value } });
      },
    ),
  );
});
