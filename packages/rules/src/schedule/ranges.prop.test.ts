import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoredRange, TimePoint } from "@ledge/model";
import fc from "fast-check";
import { edges, type RangeEdge, rangesAt } from "./ranges.ts";
import { changeDays, crons, places, range } from "./test-ranges.ts";

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** Days on which northern or southern clocks change in either direction, and days without a change. */
const instants = fc
  .tuple(fc.constantFrom(...changeDays), fc.integer({ min: -dayMs, max: dayMs }))
  .map(([date, shift]) => Date.parse(`${date}T01:00Z`) + shift);
const place = fc.constantFrom(...places);

const minute = fc.oneof(fc.integer({ min: 0, max: 1439 }), fc.constantFrom(90, 120, 150, 180, 210, 240));
const offset = fc.integer({ min: -180, max: 180 }).map((minutes) => minutes * minuteMs);
const point: fc.Arbitrary<TimePoint> = fc.oneof(
  { weight: 2, arbitrary: minute.map((value) => ({ type: "TIME_OF_DAY" as const, value })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom("SUNRISE" as const, "SUNSET" as const, "DAWN" as const, "DUSK" as const),
        offset,
        fc.option(minute),
        fc.option(minute),
      )
      .map(([event, offsetMs, one, two]) => {
        const [earliest, latest] = one !== null && two !== null && one > two ? [two, one] : [one, two];
        return { type: "SUN_EVENT" as const, event, offsetMs, earliest, latest };
      }),
  },
);
const weekdays = fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { maxLength: 7 });
const timeRange = fc
  .tuple(point, fc.option(point), weekdays)
  .map(([start, end, days]) => range(start, end, { weekdays: days }));
const cronField = fc.tuple(
  fc.constantFrom("0", "30", "*/20", "15,45", "5-10"),
  fc.constantFrom("*", "2", "3", "*/2", "1-4"),
  fc.constantFrom("*", "*", "*", "0", "1-5"),
);
const cron = cronField.map(([minutes, hours, days]) => `${minutes} ${hours} * * ${days}`);
const ruleTime = fc.tuple(cron, cron).map(([start, stop]) => crons(start, stop));
const ranges: fc.Arbitrary<readonly StoredRange[]> = fc.array(fc.oneof(timeRange, ruleTime), {
  minLength: 1,
  maxLength: 4,
});

test("following `next` visits all edges, and nothing changes in between", () => {
  fc.assert(
    fc.property(ranges, instants, place, (of, from, where) => {
      const to = from + 2 * dayMs;
      const { edges: found, complete } = edges(of, from, to, where);
      assert.ok(complete);
      const expected = [...new Set(found.map(({ at }) => at))];
      let at = from;
      for (const edge of expected) {
        const { active, next } = rangesAt(of, at, where);
        assert.equal(next, edge);
        assert.deepEqual(rangesAt(of, edge - 1, where), { active, next });
        at = edge;
      }
      // Copies of the ranges, without cached answers, give the same result.
      assert.deepEqual(rangesAt(structuredClone(of), at, where), rangesAt(of, at, where));
      const { next } = rangesAt(of, at, where);
      assert.ok(next === null || next > to);
    }),
    { numRuns: 100 },
  );
});

test("the edges of a range ascend, and it holds from each start to the next stop", () => {
  fc.assert(
    fc.property(ranges, instants, place, (of, from, where) => {
      const { edges: found } = edges(of, from, from + 2 * dayMs, where);
      for (const [index, one] of of.entries()) {
        const own: RangeEdge[] = found.filter((edge) => edge.index === index);
        for (const [place_, edge] of own.entries()) {
          assert.ok(edge.at > (own[place_ - 1]?.at ?? from));
          const { active } = rangesAt([one], edge.at, where);
          const isMoment = one.type === "TIME_RANGE" && one.end === null;
          const holds = edge.edge === "start" && !isMoment;
          assert.deepEqual(active, holds ? [{ index: 0, since: edge.at }] : []);
        }
      }
    }),
    { numRuns: 100 },
  );
});
