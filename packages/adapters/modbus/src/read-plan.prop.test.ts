import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Point } from "./point.ts";
import { planReads, wordsOf } from "./read-plan.ts";

function point(table: Point["table"], register: number, count = 1): Point {
  const coding = { kind: "boolean", bit: undefined, inverted: false } as const;
  return { attribute: "isOn", table, register, count, writable: false, minChange: 0, pollMs: 1000, coding };
}

const points = fc.array(
  fc
    .record({
      table: fc.constantFrom<Point["table"]>("coil", "discrete", "holding", "input"),
      register: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 65_532 })),
      count: fc.constantFrom(1, 2, 4),
    })
    .map(({ table, register, count }) => point(table, register, count)),
  { maxLength: 40 },
);

test("reads every point whole and exactly once, within the limits of a request", () => {
  fc.assert(
    fc.property(points, fc.integer({ min: 2, max: 9 }), (wanted, nth) => {
      const alone = ({ register }: Point): boolean => register % nth === 0;
      const blocks = planReads(wanted, alone);
      assert.deepEqual(new Set(blocks.flatMap((block) => block.points)), new Set(wanted));
      assert.equal(blocks.flatMap((block) => block.points).length, wanted.length);
      for (const block of blocks) {
        assert.ok(block.count <= (block.table === "holding" || block.table === "input" ? 125 : 2000));
        assert.ok(block.register + block.count <= 0x10000);
        const words = Array.from({ length: block.count }, (_, index) => block.register + index);
        for (const one of block.points) {
          const own = Array.from({ length: one.count }, (_, index) => one.register + index);
          assert.equal(one.table, block.table);
          assert.deepEqual(wordsOf(one, block, words), own);
        }
        if (block.points.some((one) => alone(one))) assert.equal(block.points.length, 1);
      }
    }),
  );
});

const plans: readonly [title: string, points: readonly Point[], reads: readonly string[]][] = [
  ["neighbours", [point("holding", 0, 2), point("holding", 2, 2)], ["holding 0+4"]],
  ["out of order", [point("holding", 2, 2), point("holding", 0, 2)], ["holding 0+4"]],
  ["a small gap", [point("input", 0), point("input", 11)], ["input 0+12"]],
  ["a wide gap", [point("input", 0), point("input", 12)], ["input 0+1", "input 12+1"]],
  ["two bits of one register", [point("holding", 4), point("holding", 4)], ["holding 4+1"]],
  ["a small one within a large one", [point("holding", 4, 4), point("holding", 5)], ["holding 4+4"]],
  [
    "tables apart",
    [point("coil", 0), point("discrete", 0), point("coil", 60)],
    ["coil 0+61", "discrete 0+1"],
  ],
  [
    "more than fits one request",
    Array.from({ length: 63 }, (_, index) => point("holding", index * 2, 2)),
    ["holding 0+124", "holding 124+2"],
  ],
];

for (const [title, wanted, reads] of plans) {
  test(`${title}: ${reads.join(", ")}`, () => {
    const blocks = planReads(wanted, () => false);
    assert.deepEqual(
      blocks.map(({ table, register, count }) => `${table} ${register}+${count}`),
      reads,
    );
  });
}
