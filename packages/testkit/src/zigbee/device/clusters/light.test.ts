import assert from "node:assert/strict";
import { test } from "node:test";
import { devices } from "../catalogue.ts";
import type { Lamp } from "../devices/lamp.ts";
import { octets, TestLine } from "../test-line.ts";

const [groups, scenes, onOff, level, identify] = [0x0004, 0x0005, 0x0006, 0x0008, 0x0003];

function lamp(): { lamp: Lamp; line: TestLine } {
  const device = devices.unknownLamp("0x0017880100000001");
  return { lamp: device, line: new TestLine(device) };
}

type Told = [cluster: number, command: number, ...numbers: (readonly [number, number])[]];

function tell(line: TestLine, [cluster, command, ...numbers]: Told): number[][] {
  const heard = line.tell(cluster, command, { payload: octets(...numbers) });
  return heard.map(({ payload }) => [...payload]);
}

/** A lamp that is off, at level 254, gets some commands. Its state at once and after a minute. */
const rows: readonly [string, Told[], [isOn: boolean, level: number], [isOn: boolean, level: number]?][] = [
  ["on", [[onOff, 1]], [true, 254]],
  [
    "off",
    [
      [onOff, 1],
      [onOff, 0],
    ],
    [false, 254],
  ],
  [
    "toggle twice",
    [
      [onOff, 2],
      [onOff, 2],
    ],
    [false, 254],
  ],
  [
    "off with effect",
    [
      [onOff, 1],
      [onOff, 0x40, [0, 1], [0, 1]],
    ],
    [false, 254],
  ],
  ["on with recall of the global scene", [[onOff, 0x41]], [true, 254]],
  ["on for two seconds", [[onOff, 0x42, [0, 1], [20, 2], [0, 2]]], [true, 254], [false, 254]],
  ["on for two seconds, only if already on", [[onOff, 0x42, [1, 1], [20, 2], [0, 2]]], [false, 254]],
  ["a level for a lamp that is off", [[level, 0, [100, 1], [0, 2]]], [false, 254]],
  [
    "a level for a lamp that is off, with the option to execute",
    [[level, 0, [100, 1], [0, 2], [1, 1], [1, 1]]],
    [false, 100],
  ],
  ["a level with on", [[level, 4, [100, 1], [0, 2]]], [true, 100]],
  [
    "a level of 0 with off",
    [
      [onOff, 1],
      [level, 4, [0, 1], [0, 2]],
    ],
    [false, 1],
  ],
  [
    "a level of 0 without off",
    [
      [onOff, 1],
      [level, 0, [0, 1], [0, 2]],
    ],
    [true, 1],
  ],
  [
    "a level in a second",
    [
      [onOff, 1],
      [level, 0, [54, 1], [10, 2]],
    ],
    [true, 254],
    [true, 54],
  ],
  [
    "off at the end of a transition",
    [
      [onOff, 1],
      [level, 4, [0, 1], [20, 2]],
    ],
    [true, 254],
    [false, 1],
  ],
  [
    "a step down",
    [
      [onOff, 1],
      [level, 2, [1, 1], [54, 1], [0, 2]],
    ],
    [true, 200],
  ],
  [
    "a step up from off",
    [
      [level, 4, [10, 1], [0, 2]],
      [onOff, 0],
      [level, 6, [0, 1], [5, 1], [0, 2]],
    ],
    [true, 15],
  ],
  [
    "move down at a rate",
    [
      [onOff, 1],
      [level, 1, [1, 1], [10, 1]],
    ],
    [true, 254],
    [true, 1],
  ],
];
for (const [what, told, then, later] of rows) {
  test(`lamp: ${what}`, () => {
    const { lamp: it, line } = lamp();
    for (const one of told) tell(line, one);
    assert.deepEqual([it.isOn, it.level], then);
    line.clock.advance(60_000);
    assert.deepEqual([it.isOn, it.level], later ?? then);
  });
}

test("a transition takes time, and stop ends it midway", () => {
  const { lamp: it, line } = lamp();
  tell(line, [onOff, 1]);
  tell(line, [level, 0, [54, 1], [100, 2]]);
  line.clock.advance(5000);
  assert.equal(it.level, 154);
  assert.equal(line.read(level, 0x0001), 50, "remaining time");
  tell(line, [level, 3]);
  line.clock.advance(5000);
  assert.equal(it.level, 154);
});

test("reports a level in transition within the intervals", () => {
  const { line } = lamp();
  tell(line, [onOff, 1]);
  line.report(level, 0, { type: "uint8", minSeconds: 1, maxSeconds: 300, change: 1 });
  line.clock.advance(1000);
  line.heard();
  tell(line, [level, 0, [54, 1], [40, 2]]);
  line.clock.advance(10_000);
  const values = line.reports().map(([, , value]) => value);
  assert.equal(values.at(-1), 54);
  assert.ok(values.length <= 6, `${values.length} reports in five seconds`);
});

const startUps: readonly [string, number, boolean, boolean][] = [
  ["off", 0, true, false],
  ["on", 1, false, true],
  ["toggled", 2, true, false],
  ["as before", 0xff, true, true],
];
for (const [what, value, before, after] of startUps) {
  test(`starts as startUp says when the power returns: ${what}`, () => {
    const { lamp: it, line } = lamp();
    line.write(onOff, 0x4003, { type: "enum8", value: value === 0xff ? null : value });
    it.onOff.turn(before);
    it.power(false);
    it.power(true);
    assert.equal(it.isOn, after);
  });
}

test("reports a press at the lamp once reporting is configured", () => {
  const { lamp: it, line } = lamp();
  it.pressLocally();
  assert.deepEqual(line.reports(), []);
  line.report(onOff, 0, { type: "bool", minSeconds: 0, maxSeconds: 3600, change: null });
  line.heard();
  it.pressLocally();
  assert.deepEqual(line.reports(), [[onOff, 0, false]]);
});

test("groups: add, view, ask, remove", () => {
  const { lamp: it, line } = lamp();
  const told: [Told, number[]][] = [
    [
      [groups, 0, [7, 2], [0, 1]],
      [0, 7, 0],
    ],
    [
      [groups, 0, [8, 2], [2, 1], [0x6968, 2]],
      [0, 8, 0],
    ],
    [
      [groups, 1, [8, 2]],
      [0, 8, 0, 2, 0x68, 0x69],
    ],
    [
      [groups, 1, [9, 2]],
      [0x8b, 9, 0, 0],
    ],
    [
      [groups, 2, [0, 1]],
      [14, 2, 7, 0, 8, 0],
    ],
    [
      [groups, 2, [2, 1], [9, 2], [7, 2]],
      [14, 1, 7, 0],
    ],
    [
      [groups, 3, [7, 2]],
      [0, 7, 0],
    ],
    [
      [groups, 3, [7, 2]],
      [0x8b, 7, 0],
    ],
  ];
  for (const [one, answer] of told) assert.deepEqual(tell(line, one), [answer]);
  assert.deepEqual([...it.groupsOf(1)], [8]);
  tell(line, [groups, 5, [9, 2], [0, 1]]);
  assert.deepEqual([...it.groupsOf(1)], [8], "it is not identifying");
  tell(line, [identify, 0, [5, 2]]);
  tell(line, [groups, 5, [9, 2], [0, 1]]);
  assert.deepEqual([...it.groupsOf(1)], [8, 9]);
  tell(line, [groups, 4]);
  assert.deepEqual([...it.groupsOf(1)], []);
});

test("holds sixteen groups", () => {
  const { line } = lamp();
  for (let group = 1; group <= 16; group++) tell(line, [groups, 0, [group, 2], [0, 1]]);
  assert.deepEqual(tell(line, [groups, 0, [17, 2], [0, 1]]), [[0x89, 17, 0]]);
});

test("obeys a group frame as a member, without an answer", () => {
  const { lamp: it, line } = lamp();
  tell(line, [groups, 0, [7, 2], [0, 1]]);
  assert.deepEqual(line.tell(onOff, 1, { group: 7, endpoint: 0xff }), []);
  assert.equal(it.isOn, true);
  line.tell(onOff, 0, { group: 8, endpoint: 0xff });
  assert.equal(it.isOn, true);
});

test("scenes: recalls a stored scene, and removes it with its group", () => {
  const { lamp: it, line } = lamp();
  assert.deepEqual(tell(line, [scenes, 4, [7, 2], [1, 1]]), [[0x85, 7, 0, 1]], "it is not in the group");
  tell(line, [groups, 0, [7, 2], [0, 1]]);
  tell(line, [level, 4, [77, 1], [0, 2]]);
  assert.deepEqual(tell(line, [scenes, 4, [7, 2], [1, 1]]), [[0, 7, 0, 1]]);
  tell(line, [onOff, 0]);
  tell(line, [level, 4, [200, 1], [0, 2]]);
  tell(line, [scenes, 5, [7, 2], [1, 1]]);
  assert.deepEqual([it.isOn, it.level], [true, 77]);
  assert.deepEqual(tell(line, [scenes, 6, [7, 2]]), [[0, 15, 7, 0, 1, 1]]);
  tell(line, [groups, 3, [7, 2]]);
  assert.deepEqual(tell(line, [scenes, 1, [7, 2], [1, 1]]), [[0x8b, 7, 0, 1]]);
});

test("identifies for the requested time", () => {
  const { lamp: it, line } = lamp();
  tell(line, [identify, 0, [3, 2]]);
  line.clock.advance(1000);
  assert.deepEqual(tell(line, [identify, 1]), [[2, 0]]);
  line.clock.advance(2000);
  assert.equal(it.identify.isIdentifying, false);
  tell(line, [identify, 0x40, [1, 1], [0, 1]]);
  assert.equal(it.identify.effect, 1);
});
