import assert from "node:assert/strict";
import { test } from "node:test";
import type { AttributeName, DeviceClass } from "@ledge/model";
import { attribute, attributes } from "@ledge/model";
import fc from "fast-check";
import { mapDevice } from "./device-map.ts";
import { attributeRows, mappedAttribute } from "./map.ts";
import type { Point, Value } from "./point.ts";
import { decodePoint, encodePoint } from "./point.ts";
import { numberTypes } from "./registers.ts";
import type { PointSettings } from "./point-settings.ts";
import { quantities } from "./units.ts";

function pointOf(settings: Partial<PointSettings>, deviceClass: DeviceClass = "MULTI_SENSOR"): Point {
  const whole = { attribute: "temperature", table: "holding", register: 0, ...settings } as const;
  const device = {
    id: "d",
    address: 1,
    name: "D",
    deviceType: "REGISTERS",
    class: deviceClass,
    points: [whole],
  } as const;
  const [point] = mapDevice("line", { ...device, points: [whole] }, "device").points;
  assert.ok(point);
  return point;
}

type Row = readonly [title: string, settings: Partial<PointSettings>, registers: number[], value: Value];

const rows: readonly Row[] = [
  ["tenths of a degree", { type: "s16", scale: 0.1 }, [0xffd3], -4.5],
  ["three tenths are 0.3", { type: "s16", scale: 0.1 }, [3], 0.3],
  ["an offset of 50 in the device", { type: "u16", scale: 0.1, offset: -50 }, [713], 21.3],
  ["Fahrenheit", { type: "s16", unit: "F" }, [212], 100],
  ["Kelvin", { type: "u16", scale: 0.01, unit: "K" }, [29_315], 20],
  ["kilowatts", { attribute: "activePower", type: "f32", unit: "kW" }, [0x4013, 0x3333], 2300],
  ["negative power", { attribute: "activePower", type: "s32" }, [0xffff, 0xff9c], -100],
  [
    "watt-hours",
    { attribute: "totalPower", type: "u32", unit: "Wh", wordOrder: "little" },
    [0xe240, 0x0001],
    123.456,
  ],
  ["gigajoules", { attribute: "totalPower", type: "u16", scale: 0.001, unit: "GJ" }, [3600], 1000],
  ["a battery in millivolts", { attribute: "batteryV", type: "u16", unit: "mV" }, [2985], 2.985],
  ["a ratio as percent", { attribute: "humidity", type: "f32", unit: "ratio" }, [0x3f00, 0], 50],
  ["percent as a fraction", { attribute: "heatingDemand", type: "u16", unit: "%" }, [25], 0.25],
  ["bar", { attribute: "pressure", type: "u16", scale: 0.001, unit: "bar" }, [1013], 101_300],
  ["hectopascal", { attribute: "pressure", type: "u16", scale: 0.1, unit: "hPa" }, [10_132], 101_320],
  ["parts per million", { attribute: "co2Ppm", type: "u16" }, [612], 612],
  ["cubic metres per hour", { attribute: "flow", type: "u16", scale: 0.001, unit: "m3/h" }, [1250], 1250],
  ["a mode", { attribute: "mode", type: "u16" }, [3], 3],
  ["a closed contact", { attribute: "open", table: "discrete" }, [0], false],
  ["an open contact, inverted", { attribute: "open", table: "discrete", inverted: true }, [0], true],
  ["a register as true", { attribute: "isOn", type: "bool" }, [1], true],
];

for (const [title, settings, registers, value] of rows) {
  test(`${title}: decodes ${registers.join(" ")} as ${value} and encodes it back`, () => {
    const point = pointOf(settings);
    assert.equal(decodePoint(point, registers), value);
    assert.deepEqual(encodePoint(point, value), registers);
  });
}

test("decodes any register except 0 as true", () => {
  assert.equal(decodePoint(pointOf({ attribute: "isOn", type: "bool" }), [0xff00]), true);
});

test("decodes one bit of a status register", () => {
  const point = pointOf({ attribute: "batteryLow", type: "bool", bit: 4 });
  assert.equal(decodePoint(point, [0b1_0000]), true);
  assert.equal(decodePoint(point, [0b0_1111]), false);
});

test('a number that means "no reading" gives no value', () => {
  const point = pointOf({ type: "s16", scale: 0.1, noValue: [32_767, -32_768] });
  assert.equal(decodePoint(point, [0x7fff]), undefined);
  assert.equal(decodePoint(point, [0x8000]), undefined);
  assert.equal(decodePoint(point, [215]), 21.5);
});

const impossible: readonly [title: string, settings: Partial<PointSettings>, registers: number[]][] = [
  ["a temperature below absolute zero", { type: "s16", scale: 0.1 }, [0x8000]],
  ["more than 100 percent", { attribute: "humidity", type: "u16" }, [101]],
  ["a mode that does not exist", { attribute: "mode", type: "u16" }, [99]],
  ["half a mode", { attribute: "mode", type: "u16", scale: 0.5 }, [1]],
  ["NaN", { type: "f32" }, [0x7fc0, 0]],
  ["too few registers", { type: "f32" }, [0x7fc0]],
  ["no register", { attribute: "open", table: "discrete" }, []],
];

for (const [title, settings, registers] of impossible) {
  test(`refuses ${title}`, () => {
    assert.throws(() => decodePoint(pointOf(settings), registers), { name: "RangeError" });
  });
}

const unwritable: readonly [title: string, settings: Partial<PointSettings>, value: unknown][] = [
  ["more than the registers hold", { type: "s16", scale: 0.01 }, 400],
  ["more than the attribute allows", { attribute: "targetTemperature", type: "s32" }, 151],
  ["NaN", { type: "f32" }, Number.NaN],
  ["a text", { type: "f32" }, "21"],
  ["a number for a switch", { attribute: "isOn", type: "bool" }, 1],
  ["null", { attribute: "isOn", type: "bool" }, null],
];

for (const [title, settings, value] of unwritable) {
  test(`refuses to write ${title}`, () => {
    assert.throws(() => encodePoint(pointOf(settings), value), { name: "RangeError" });
  });
}

test("the limits of a point are those of the model", () => {
  for (const name of Object.keys(attributeRows) as AttributeName[]) {
    const mapped = mappedAttribute(name, "MULTI_SENSOR");
    const schema: { type?: unknown; minimum?: unknown; maximum?: unknown } = attributes[name].value;
    assert.ok(mapped, name);
    assert.equal(mapped.boolean, schema.type === "boolean", name);
    assert.equal(mapped.boolean, mapped.quantity === "state", `${name}: the quantity of a boolean`);
    assert.ok(
      ["boolean", "integer", "number"].includes(String(schema.type)),
      `${name} is not one number or boolean`,
    );
    if (typeof schema.maximum === "number") assert.equal(mapped.most, schema.maximum, name);
    if (typeof schema.minimum === "number") assert.ok(mapped.least >= schema.minimum, name);
  }
});

test("a writable point gives a capability that can set its attribute, a sensor does not", () => {
  for (const name of Object.keys(attributeRows) as AttributeName[]) {
    const settableBy: readonly string[] = attribute(name)?.settableBy ?? [];
    const { controlled = [], sensed = [] } = mappedAttribute(name, "MULTI_SENSOR") ?? {};
    if (controlled.length > 0 && name !== "fn_fireplace")
      assert.ok(
        controlled.some((word) => settableBy.includes(word)),
        name,
      );
    for (const word of sensed) assert.ok(!settableBy.includes(word), `${name} is settable by ${word}`);
  }
});

test("encodes a decoded value to the same registers, for every number type, unit and scale", () => {
  const numeric = (Object.keys(attributeRows) as AttributeName[]).filter(
    (name) => !mappedAttribute(name, "SIGNAL")?.boolean,
  );
  const settings = fc.constantFrom(...numeric).chain((name) => {
    const quantity = attributeRows[name]?.quantity ?? "choice";
    return fc.record({
      attribute: fc.constant(name),
      type: fc.constantFrom(...numberTypes.filter((type) => !type.startsWith("f"))),
      wordOrder: fc.constantFrom<"big" | "little">("big", "little"),
      byteOrder: fc.constantFrom<"big" | "little">("big", "little"),
      scale: fc.constantFrom(1, 0.1, 0.01, 0.001, 2, -1, 1 / 254),
      offset: fc.constantFrom(0, -50, 273.15),
      unit: fc.constantFrom(...Object.keys(quantities[quantity])),
    });
  });
  let decoded = 0;
  fc.assert(
    fc.property(
      settings,
      fc.integer({ min: -(2 ** 31), max: 2 ** 32 - 1 }),
      fc.boolean(),
      (point, big, small) => {
        const mapped = pointOf(point);
        if (mapped.coding.kind !== "number") return assert.fail();
        const raw = small ? Math.abs(big) % 200 : big;
        const [registers] = attempts(() =>
          encodePoint(
            {
              coding: {
                ...mapped.coding,
                scale: 1,
                offset: 0,
                unit: { factor: 1, offset: 0 },
                range: anything,
              },
            } as Point,
            raw,
          ),
        );
        const [value] = registers === undefined ? [] : attempts(() => decodePoint(mapped, registers));
        if (registers === undefined || value === undefined) return;
        decoded += 1;
        assert.deepEqual(encodePoint(mapped, value), registers);
      },
    ),
    { numRuns: 2000 },
  );
  assert.ok(decoded > 200, `only ${decoded} cases had a value`);
});

const anything = { boolean: false, integer: false, least: -Infinity, most: Infinity };

/** Returns the result, or nothing when the call refuses. */
function attempts<T>(make: () => T): [T] | [] {
  try {
    return [make()];
  } catch (error) {
    assert.ok(error instanceof RangeError, String(error));
    return [];
  }
}
