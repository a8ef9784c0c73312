import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "@ledge/testkit";
import { ChunkBuilder } from "./chunk.ts";
import type { Chunk } from "./history-index.ts";
import type { Sample } from "./sample.ts";
import { sumsOf } from "./spans.ts";

function samplesOf(...values: readonly (readonly [timestamp: number, value: unknown])[]): Sample[] {
  return values.map(([timestamp, value], index) => ({ timestamp, value, index, origin: "device" }));
}

const alone = (tail: readonly Sample[], before?: Sample): Parameters<typeof sumsOf>[0] => ({
  before,
  chunks: [],
  tail,
});
const free = (): void => {};

test("a meter's rise counts where it was reported, and goes on when it begins anew", () => {
  const [before] = samplesOf([5, 100]);
  const tail = samplesOf([12, 103], [25, 104], [26, 0], [27, 2], [40, 5]);
  const [first, second, third] = sumsOf(alone(tail, before), [10, 20, 30, 41], 41, free);
  assert.deepEqual([first?.rise, second?.rise, third?.rise], [3, 3, 3]);
  assert.deepEqual([first?.first, first?.last, second?.last, third?.last], [100, 103, 2, 5]);
  assert.equal(second?.count, 3);
});

test("the mean is weighted by time, and only by the time in which a value is known", () => {
  const tail = samplesOf([10, 4], [18, 8], [20, null], [25, 1]);
  const [first, second, third] = sumsOf(alone(tail), [10, 20, 30, 40], 32, free);
  assert.deepEqual([first?.avg, first?.ms], [(4 * 8 + 8 * 2) / 10, 10]);
  assert.deepEqual([second?.avg, second?.ms, second?.first], [1, 5, 1]);
  assert.deepEqual([third?.avg, third?.ms], [1, 2]);
});

test("a span without a known value is null, as is a value that is no number", () => {
  const tail = samplesOf([15, "auto"], [25, true]);
  assert.deepEqual(sumsOf(alone(tail), [10, 20, 30], 30, free), [null, null]);
  assert.deepEqual(sumsOf(alone([]), [10], 30, free), []);
});

test("chunks are summed up like their samples, and most are not read SEED=7", () => {
  const random = seededRandom(7);
  const values: [number, number][] = [];
  let [at, meter] = [1000, 50];
  for (let i = 0; i < 2000; i++) values.push([(at += random(9) + 1), (meter += random(3))]);
  const all = samplesOf(...values);
  const bounds = [0, 1, 2, 3, 4, 5].map((part) => 1000 + part * 2500);
  let read = 0;
  const chunks: Chunk[] = [];
  for (let i = 0; i < all.length; i += 50) {
    const part = all.slice(i, i + 50);
    const within = part.filter(({ timestamp }) => timestamp < 13_500);
    const chunk = { head: new ChunkBuilder("numbers", part).head(), isWhole: within.length === part.length };
    chunks.push({ ...chunk, samples: () => within });
  }
  const series = { before: undefined, chunks, tail: [] };
  const sums = sumsOf(series, bounds, 13_500, () => void read++);
  const plain = sumsOf(alone(all), bounds, 13_500, free);
  assert.ok(read < chunks.length / 3, `${read} of ${chunks.length}`);
  for (const [index, sum] of sums.entries()) {
    const expected = plain[index];
    assert.ok(sum !== null && expected !== null && expected !== undefined);
    assert.ok(Math.abs(sum.avg - expected.avg) < 1e-9);
    assert.deepEqual({ ...sum, avg: 0 }, { ...expected, avg: 0 });
  }
});
