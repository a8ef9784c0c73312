import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ChunkBuilder } from "./chunk.ts";
import type { Chunk } from "./history-index.ts";
import { overview, type Series, type Span } from "./overview.ts";
import type { Sample } from "./sample.ts";

const number = fc.oneof({ weight: 6, arbitrary: fc.integer({ min: -50, max: 50 }) }, fc.constant(null));
const text = fc.constantFrom("on", "off", true, false, null, 3);

/** A series of samples within 1000..1400 ms, partly in chunks and partly after them, with a span of it. */
function cases(value: fc.Arbitrary<unknown>): fc.Arbitrary<{ all: Sample[]; series: Series; span: Span }> {
  return fc
    .record({
      values: fc.array(fc.tuple(fc.nat(12), value), { maxLength: 60 }),
      before: fc.option(value),
      chunk: fc.integer({ min: 1, max: 20 }),
      tail: fc.nat(5),
      from: fc.integer({ min: 1000, max: 1200 }),
      length: fc.integer({ min: 1, max: 400 }),
      points: fc.integer({ min: 1, max: 30 }),
    })
    .map(({ values, before, chunk, tail, from, length, points }) => {
      let timestamp = 1000;
      const to = from + length;
      const all = values.map(([gap, one], index): Sample => ({
        timestamp: (timestamp += gap),
        index,
        value: one,
        origin: "device",
      }));
      const inside = all.filter((sample) => sample.timestamp >= from && sample.timestamp <= to);
      const last = all.findLast((sample) => sample.timestamp < from);
      const first: Sample | undefined =
        before === null ? undefined : { timestamp: 1, index: 0, value: before, origin: "device" };
      const indexed = all.slice(0, Math.max(0, all.length - tail));
      const chunks: Chunk[] = [];
      for (let i = 0; i < indexed.length; i += chunk) {
        const part = indexed.slice(i, i + chunk);
        const isNumbers = part.every((sample) => sample.value === null || typeof sample.value === "number");
        const head = new ChunkBuilder(isNumbers ? "numbers" : "values", part).head();
        const within = part.filter((sample) => inside.includes(sample));
        if (within.length > 0)
          chunks.push({ head, isWhole: within.length === part.length, samples: () => within });
      }
      const span = { from, to, until: to, points };
      const held = last ?? first;
      const behind = all.slice(indexed.length).filter((sample) => inside.includes(sample));
      return {
        all: held === undefined ? inside : [held, ...inside],
        series: { before: held, chunks, tail: behind },
        span,
      };
    });
}

/** Returns the value at a time (ms), after all samples at that time. */
const at = (all: readonly Sample[], timestamp: number): unknown =>
  all.findLast((sample) => sample.timestamp <= timestamp)?.value ?? null;

test("summarises numbers like a walk over each millisecond", () => {
  fc.assert(
    fc.property(cases(number), ({ all, series, span }) => {
      const { from, to, points } = span;
      const inside = all.filter(({ timestamp }) => timestamp >= from);
      const found = overview(series, span, () => {});
      if (found.form === "samples") {
        assert.ok(inside.length <= points);
        assert.deepEqual(
          found.points,
          inside.map(({ timestamp, value }) => ({ timestamp, value })),
        );
        return;
      }
      assert.ok(found.form === "buckets" && inside.length > points && found.points.length <= points);
      const width = Math.ceil((to - from + 1) / points);
      const expected = [];
      for (let start = from; start <= to; start += width) {
        const end = Math.min(start + width, to + 1);
        const own = inside.filter(({ timestamp }) => timestamp >= start && timestamp < end);
        // A value from before counts in a bucket, unless the bucket's first millisecond has a sample.
        const carried = own[0]?.timestamp === start ? [] : [at(all, start)];
        const held = [...carried, ...own.map(({ value }) => value)].filter(
          (value) => value !== null,
        ) as number[];
        const each: number[] = [];
        for (let t = start; t < Math.min(end, to); t++) {
          const value = at(all, t);
          if (typeof value === "number") each.push(value);
        }
        // A value without duration does not count.
        if (held.length === 0 || (own.length === 0 && each.length === 0)) continue;
        const [min, max, last] = [Math.min(...held), Math.max(...held), held.at(-1)];
        const avg = each.length > 0 ? each.reduce((sum, value) => sum + value, 0) / each.length : last;
        expected.push({ from: start, min, max, avg, first: held[0], last, count: own.length });
      }
      assert.deepEqual(rounded(found.points), rounded(expected));
    }),
    { numRuns: 2000 },
  );
});

const rounded = (points: readonly { avg?: number | undefined }[]): unknown[] =>
  points.map((point) => ({ ...point, avg: Number(point.avg?.toFixed(6)) }));

test("summarises other values as changes, or as how long each one held", () => {
  fc.assert(
    fc.property(cases(text), ({ all, series, span }) => {
      const { from, to, points } = span;
      const found = overview(series, span, () => {});
      if (found.form === "samples" || found.form === "buckets") return;
      const changes: { from: number; value: unknown; ms: number }[] = [];
      for (const { timestamp, value } of all) {
        const last = changes.at(-1);
        if (last !== undefined && JSON.stringify(last.value) === JSON.stringify(value)) continue;
        if (last !== undefined) last.ms = Math.max(from, timestamp) - last.from;
        changes.push({ from: Math.max(from, timestamp), value, ms: 0 });
      }
      const last = changes.at(-1);
      if (last !== undefined) last.ms = to - last.from;
      if (found.form === "changes") {
        assert.ok(changes.length <= points);
        assert.deepEqual(found.points, changes);
        return;
      }
      assert.ok(changes.length > points && found.points.length <= points);
      const sum = (list: readonly { value: unknown; ms: number }[]): Map<string, number> => {
        const sums = new Map<string, number>();
        for (const { value, ms } of list)
          if (ms > 0) sums.set(JSON.stringify(value), (sums.get(JSON.stringify(value)) ?? 0) + ms);
        return new Map([...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)));
      };
      assert.deepEqual(sum(found.points.flatMap(({ values }) => values)), sum(changes));
      const held = series.before === undefined ? 0 : 1;
      assert.equal(
        found.points.reduce((count, share) => count + share.count, 0),
        changes.length - held,
      );
    }),
    { numRuns: 2000 },
  );
});
