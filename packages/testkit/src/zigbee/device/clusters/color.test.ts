import assert from "node:assert/strict";
import { test } from "node:test";
import { devices } from "../catalogue.ts";
import { octets, TestLine } from "../test-line.ts";
import type { Value } from "../zcl/types.ts";

const [onOff, color] = [0x0006, 0x0300];
type Numbers = readonly (readonly [number, number])[];

function lamp(isOn = true): TestLine {
  const line = new TestLine(devices.unknownColorLamp("0x0017880100000002"));
  if (isOn) line.tell(onOff, 1);
  return line;
}

const attributes = { hue: 0, saturation: 1, x: 3, y: 4, mireds: 7, mode: 8 } as const;

/** A lamp that is on, at 370 mireds, hue 0 and saturation 0, gets one command. The attributes afterwards. */
const rows: readonly [string, command: number, Numbers, Partial<Record<keyof typeof attributes, Value>>][] = [
  [
    "x and y",
    0x07,
    [
      [20_000, 2],
      [30_000, 2],
      [0, 2],
    ],
    { x: 20_000, y: 30_000, mode: 1 },
  ],
  [
    "x and y by a step",
    0x09,
    [
      [1000, 2],
      [2000, 2],
      [5, 2],
    ],
    { x: 0x616b + 1000, y: 0x607d + 2000, mode: 1 },
  ],
  [
    "hue and saturation",
    0x06,
    [
      [170, 1],
      [200, 1],
      [10, 2],
    ],
    { hue: 170, saturation: 200, mode: 0 },
  ],
  [
    "a hue the long way round",
    0x00,
    [
      [20, 1],
      [1, 1],
      [10, 2],
    ],
    { hue: 20, mode: 0 },
  ],
  [
    "a saturation",
    0x03,
    [
      [99, 1],
      [0, 2],
    ],
    { saturation: 99, mode: 0 },
  ],
  [
    "a step of hue below 0",
    0x02,
    [
      [3, 1],
      [5, 1],
      [0, 1],
    ],
    { hue: 250, mode: 0 },
  ],
  [
    "a saturation stepped beyond its end",
    0x05,
    [
      [1, 1],
      [255, 1],
      [0, 1],
    ],
    { saturation: 254 },
  ],
  [
    "an enhanced hue",
    0x40,
    [
      [0x8080, 2],
      [0, 1],
      [0, 2],
    ],
    { hue: 128, mode: 0 },
  ],
  [
    "an enhanced hue and saturation",
    0x43,
    [
      [0x4040, 2],
      [9, 1],
      [0, 2],
    ],
    { hue: 64, saturation: 9 },
  ],
  [
    "a temperature",
    0x0a,
    [
      [250, 2],
      [20, 2],
    ],
    { mireds: 250, mode: 2 },
  ],
  [
    "a temperature beyond its range",
    0x0a,
    [
      [50, 2],
      [0, 2],
    ],
    { mireds: 153 },
  ],
  [
    "a step warmer",
    0x4c,
    [
      [1, 1],
      [69, 2],
      [10, 2],
      [0, 2],
      [0, 2],
    ],
    { mireds: 439 },
  ],
  [
    "a step cooler",
    0x4c,
    [
      [3, 1],
      [69, 2],
      [10, 2],
      [0, 2],
      [0, 2],
    ],
    { mireds: 301 },
  ],
  [
    "moving warmer",
    0x4b,
    [
      [1, 1],
      [50, 2],
      [0, 2],
      [0, 2],
    ],
    { mireds: 500 },
  ],
];
for (const [what, command, numbers, expected] of rows) {
  test(`colour: ${what}`, () => {
    const line = lamp();
    line.tell(color, command, { payload: octets(...numbers) });
    line.clock.advance(60_000);
    for (const [name, value] of Object.entries(expected)) {
      assert.equal(line.read(color, attributes[name as keyof typeof attributes]), value, name);
    }
  });
}

test("a colour change takes time, and stop ends it midway", () => {
  const line = lamp();
  line.tell(color, 0x0a, { payload: octets([470, 2], [100, 2]) });
  line.clock.advance(5000);
  assert.equal(line.read(color, 7), 420);
  line.tell(color, 0x47);
  line.clock.advance(5000);
  assert.equal(line.read(color, 7), 420);
});

test("a hue change takes the shorter way across 0", () => {
  const line = lamp();
  line.tell(color, 0x00, { payload: octets([245, 1], [0, 1], [10, 2]) });
  line.clock.advance(500);
  assert.equal(line.read(color, 0), 250);
});

test("a lamp that is off ignores colours, unless the options say otherwise", () => {
  const line = lamp(false);
  line.tell(color, 0x0a, { payload: octets([250, 2], [0, 2]) });
  assert.equal(line.read(color, 7), 370);
  line.tell(color, 0x0a, { payload: octets([250, 2], [0, 2], [1, 1], [1, 1]) });
  assert.equal(line.read(color, 7), 250);
  line.write(color, 0x000f, { type: "map8", value: 1 });
  line.tell(color, 0x0a, { payload: octets([300, 2], [0, 2]) });
  assert.equal(line.read(color, 7), 300);
});

test("a colour change reports both coordinates in one frame", () => {
  const line = lamp();
  for (const id of [3, 4])
    line.report(color, id, { type: "uint16", minSeconds: 0, maxSeconds: 300, change: 1 });
  line.bindings.length = 1;
  line.heard();
  line.tell(onOff, 1, { disablesDefaultResponse: true });
  const heard = line.tell(color, 0x07, {
    payload: octets([1, 2], [2, 2], [0, 2]),
    disablesDefaultResponse: true,
  });
  assert.equal(heard.length, 1);
});

test("a lamp with only white has no hue, and tells its range", () => {
  const lampOfWhites = devices.whiteLamp("0x0017880100000003");
  const line = new TestLine(lampOfWhites);
  assert.deepEqual(line.read(color, 0), { status: 0x86 });
  assert.deepEqual(
    [0x400a, 0x400b, 0x400c].map((id) => line.read(color, id)),
    [0x10, 250, 454],
  );
  const [answer] = line.tell(color, 0x06, { payload: octets([1, 1], [1, 1], [0, 2]) });
  assert.deepEqual([...(answer?.payload ?? [])], [0x06, 0x81]);
});

test("a lamp starts at its configured temperature after a power cut", () => {
  const whites = devices.whiteLamp("0x0017880100000003");
  const line = new TestLine(whites);
  assert.equal(line.write(color, 0x4010, { type: "uint16", value: 100 })[0]?.payload[0], 0x87);
  line.write(color, 0x4010, { type: "uint16", value: 300 });
  whites.power(false);
  whites.power(true);
  assert.equal(whites.color?.number("mireds"), 300);
});
