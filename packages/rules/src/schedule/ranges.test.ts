import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { limits, type StoredRange, type SunEvent, type TimeRange } from "@ledge/model";
import { compileRange, edges, rangesAt } from "./ranges.ts";
import { clock, crons, helsinki, places, range } from "./test-ranges.ts";
import { Zone } from "./zone.ts";

const dayMs = 86_400_000;
const zone = new Zone("Europe/Helsinki");

/** Returns the edges of ranges as "start 28. 22:00" in Helsinki time, from one midnight to another. */
function told(ranges: readonly StoredRange[], from: string, to: string, place = helsinki): string[] {
  const [first, last] = [from, to].map((day) => zone.toInstant(Date.parse(`${day}T00:00Z`)) - 1);
  return edges(ranges, first ?? 0, last ?? 0, place).edges.map(({ at, edge }) => {
    const local = new Date(zone.toLocal(at)).toISOString();
    return `${edge} ${local.slice(8, 10)}. ${local.slice(11, 16)}`;
  });
}

const hours = (ranges: readonly StoredRange[], at: string): number => {
  const { active, next } = rangesAt(ranges, Date.parse(at), helsinki);
  return ((next ?? 0) - (active[0]?.since ?? 0)) / 3_600_000;
};

describe("a RULETIME", () => {
  test("holds from its start to its stop", () => {
    const ranges = [crons("0 15 * * 1", "0 22 * * 1")];
    assert.deepEqual(told(ranges, "2026-03-01", "2026-03-15"), [
      "start 02. 15:00",
      "stop 02. 22:00",
      "start 09. 15:00",
      "stop 09. 22:00",
    ]);
    const since = Date.parse("2026-03-02T13:00Z");
    const until = Date.parse("2026-03-02T20:00Z");
    const later = Date.parse("2026-03-09T13:00Z");
    assert.deepEqual(rangesAt(ranges, since - 1, helsinki), { active: [], next: since });
    assert.deepEqual(rangesAt(ranges, since, helsinki), { active: [{ index: 0, since }], next: until });
    assert.deepEqual(rangesAt(ranges, until - 1, helsinki), { active: [{ index: 0, since }], next: until });
    assert.deepEqual(rangesAt(ranges, until, helsinki), { active: [], next: later });
  });

  test("moves a start that the clocks skip forward by the change", () => {
    const ranges = [crons("30 3 * * *", "0 6 * * *")];
    assert.deepEqual(told(ranges, "2026-03-28", "2026-03-31"), [
      "start 28. 03:30",
      "stop 28. 06:00",
      "start 29. 04:30",
      "stop 29. 06:00",
      "start 30. 03:30",
      "stop 30. 06:00",
    ]);
  });

  test("starts once, at the first of a repeated local time", () => {
    const ranges = [crons("30 3 * * *", "0 6 * * *")];
    const { edges: found } = edges(
      ranges,
      Date.parse("2026-10-24T12:00Z"),
      Date.parse("2026-10-25T12:00Z"),
      helsinki,
    );
    assert.deepEqual(
      found.map(({ at }) => new Date(at).toISOString().slice(11, 16)),
      ["00:30", "04:00"],
    );
  });

  test("has no edge at a stop while it does not hold", () => {
    const ranges = [crons("30 8 * * 1", "0 * * * *")];
    assert.deepEqual(told(ranges, "2026-03-02", "2026-03-09"), ["start 02. 08:30", "stop 02. 09:00"]);
  });

  test("has an edge when it starts again while it holds", () => {
    const ranges = [crons("0 8,9 * * *", "0 10 * * *")];
    assert.deepEqual(told(ranges, "2026-03-02", "2026-03-03"), [
      "start 02. 08:00",
      "start 02. 09:00",
      "stop 02. 10:00",
    ]);
  });

  test("does not hold when it starts and stops at once", () => {
    const ranges = [crons("0 8 * * *", "0 8 * * *")];
    const at = Date.parse("2026-03-02T06:00Z");
    assert.deepEqual(rangesAt(ranges, at, helsinki), { active: [], next: at + dayMs });
  });

  test("matches once in a field that is shorter than its step", () => {
    const ranges = [crons("*/99 8 * * *", "10-40/60 8 * * *")];
    assert.deepEqual(told(ranges, "2026-03-02", "2026-03-03"), ["start 02. 08:00", "stop 02. 08:10"]);
  });

  test("finds a leap day years ahead", () => {
    const ranges = [crons("0 0 29 2 *", "0 12 29 2 *")];
    const { next } = rangesAt(ranges, Date.parse("2024-03-01T00:00Z"), helsinki);
    assert.equal(next, Date.parse("2028-02-28T22:00Z"));
  });
});

describe("a TIME_RANGE", () => {
  const night = range(clock("22:00"), clock("06:00"));

  test("ends on the next day when its end is not after its start", () => {
    assert.deepEqual(told([night], "2026-03-02", "2026-03-03"), ["stop 02. 06:00", "start 02. 22:00"]);
    const whole = range(clock("06:00"), clock("06:00"));
    assert.equal(hours([whole], "2026-03-02T12:00Z"), 24);
    assert.deepEqual(told([whole], "2026-03-02", "2026-03-04"), ["start 02. 06:00", "start 03. 06:00"]);
  });

  test("is an hour shorter or longer overnight when the clocks change", () => {
    assert.equal(hours([night], "2026-03-27T23:00Z"), 8);
    assert.equal(hours([night], "2026-03-28T23:00Z"), 7);
    assert.equal(hours([night], "2026-10-24T23:00Z"), 9);
  });

  test("takes the weekday of its start", () => {
    const friday = { ...night, weekdays: [5] };
    assert.deepEqual(told([friday], "2026-03-02", "2026-03-09"), ["start 06. 22:00", "stop 07. 06:00"]);
    assert.deepEqual(told([{ ...night, weekdays: [7] }], "2026-03-02", "2026-03-10"), [
      "stop 02. 06:00",
      "start 08. 22:00",
      "stop 09. 06:00",
    ]);
  });

  test("is valid from its first to its last day, inclusive", () => {
    const valid = { ...night, validFrom: "2026-03-03", validTo: "2026-03-04" };
    assert.deepEqual(told([valid], "2026-03-01", "2026-03-09"), [
      "start 03. 22:00",
      "stop 04. 06:00",
      "start 04. 22:00",
      "stop 05. 06:00",
    ]);
    const first = Date.parse("2026-03-03T20:00Z");
    assert.equal(rangesAt([valid], Date.parse("2020-01-01T00:00Z"), helsinki).next, first);
    assert.deepEqual(rangesAt([valid], Date.parse("2030-01-01T00:00Z"), helsinki), {
      active: [],
      next: null,
    });
    const last = { at: Date.parse("2026-03-05T04:00Z"), edge: "stop" };
    assert.deepEqual(compileRange(valid).edgeBefore(Date.parse("2030-01-01T00:00Z"), helsinki), last);
  });

  test("without an end has an edge and never holds", () => {
    const moment = range(clock("07:15"), null, { weekdays: [1, 2] });
    assert.deepEqual(told([moment], "2026-03-02", "2026-03-09"), ["start 02. 07:15", "start 03. 07:15"]);
    const at = Date.parse("2026-03-02T05:15Z");
    assert.deepEqual(rangesAt([moment], at, helsinki), { active: [], next: at + dayMs });
  });

  test("has no edge when it is disabled", () => {
    const never = { active: [], next: null };
    for (const off of [
      { ...night, enabled: false },
      { ...crons("0 8 * * *", "0 9 * * *"), enabled: false },
    ]) {
      assert.deepEqual(rangesAt([off], Date.parse("2026-03-02T23:00Z"), helsinki), never);
      assert.deepEqual(edges([off], 0, Date.parse("2026-03-02T23:00Z"), helsinki), {
        edges: [],
        complete: true,
      });
    }
  });

  test("is left out on a day when the clocks skip all of it", () => {
    const early = range(clock("03:30"), clock("04:00"));
    assert.deepEqual(told([early], "2026-03-29", "2026-03-31"), ["start 30. 03:30", "stop 30. 04:00"]);
  });
});

describe("a TIME_RANGE by the sun", () => {
  const sun = (event: SunEvent["event"], fields: Partial<SunEvent> = {}): SunEvent => ({
    type: "SUN_EVENT",
    event,
    offsetMs: 0,
    ...fields,
  });
  const dark = range(sun("SUNSET"), sun("SUNRISE"));
  const light = range(sun("SUNRISE"), sun("SUNSET"));
  const utsjoki = { ...helsinki, latitude: 69.91, longitude: 27.03 };
  const holds = (of: TimeRange, day: string): boolean[] =>
    ["00:30", "06:00", "10:12", "12:00", "18:00"].map(
      (time) => rangesAt([of], Date.parse(`${day}T${time}Z`), utsjoki).active.length > 0,
    );

  test("runs from one event to the next", () => {
    assert.deepEqual(told([dark], "2026-03-02", "2026-03-03"), ["stop 02. 07:16", "start 02. 17:49"]);
    assert.deepEqual(told([light], "2026-03-02", "2026-03-03"), ["start 02. 07:16", "stop 02. 17:49"]);
  });

  test("applies its offset and keeps within its times of day", () => {
    const later = sun("SUNSET", { offsetMs: 1_800_000 });
    const at = (start: SunEvent): string | undefined =>
      told([range(start, clock("23:00"))], "2026-03-02", "2026-03-03")[0];
    assert.equal(at(later), "start 02. 18:19");
    assert.equal(at({ ...later, earliest: 1110 }), "start 02. 18:30");
    assert.equal(at({ ...later, latest: 1080 }), "start 02. 18:00");
    assert.equal(at({ ...later, earliest: 1080, latest: 1140 }), "start 02. 18:19");
    assert.equal(at({ ...later, earliest: null, latest: null }), "start 02. 18:19");
  });

  test("has night all day during polar night, and none during the midnight sun", () => {
    assert.deepEqual(holds(dark, "2026-12-21"), [true, true, true, true, true]);
    assert.deepEqual(holds(light, "2026-12-21"), [false, false, false, false, false]);
    assert.deepEqual(holds(dark, "2026-06-21"), [false, false, false, false, false]);
    assert.deepEqual(holds(light, "2026-06-21"), [true, true, true, true, true]);
    // An offset around a sunset that does not happen is not a night.
    const wide = range(sun("SUNSET", { offsetMs: -1_800_000 }), sun("SUNRISE", { offsetMs: 1_800_000 }));
    assert.deepEqual(told([wide], "2026-06-20", "2026-06-25", utsjoki), []);
    // The next night in Utsjoki is at the end of July.
    const { next } = rangesAt([dark], Date.parse("2026-06-21T00:00Z"), utsjoki);
    assert.match(new Date(next ?? 0).toISOString(), /^2026-07-2[5-9]/);
  });

  test("is left out when the sun sets after its end, and not extended to the next day", () => {
    const evening = range(sun("SUNSET"), clock("22:00"));
    assert.deepEqual(told([evening], "2026-06-20", "2026-06-22"), []);
    assert.deepEqual(told([evening], "2026-03-02", "2026-03-03"), ["start 02. 17:49", "stop 02. 22:00"]);
    const morning = range(clock("05:00"), sun("SUNRISE"));
    assert.deepEqual(told([morning], "2026-06-20", "2026-06-22"), []);
    const late = range(sun("DUSK"), clock("01:00"));
    assert.deepEqual(told([late], "2026-03-02", "2026-03-03"), ["stop 02. 01:00", "start 02. 18:31"]);
  });
});

describe("rangesAt and edges", () => {
  test("list active ranges by their newest start", () => {
    const all = [
      range(clock("08:00"), clock("20:00")),
      range(clock("10:00"), clock("12:00")),
      crons("0 9 * * *", "0 19 * * *"),
      range(clock("08:00"), clock("18:00")),
      range(clock("13:00"), clock("14:00")),
    ];
    const { active, next } = rangesAt(all, Date.parse("2026-03-02T09:00Z"), helsinki);
    assert.deepEqual(
      active.map(({ index }) => index),
      [1, 2, 0, 3],
    );
    assert.equal(next, Date.parse("2026-03-02T10:00Z"));
    assert.deepEqual(rangesAt([], 0, helsinki), { active: [], next: null });
  });

  test("answer for each place separately, and backwards in time too", () => {
    const night = [range(clock("22:00"), clock("06:00"))];
    const at = Date.parse("2026-03-02T23:00Z");
    const since = places.map((place) => rangesAt(night, at, place).active[0]?.since);
    assert.deepEqual(
      since.map((start) => start !== undefined && (at - start) / 3_600_000),
      [3, false, false, 6.5, 1],
    );
    assert.equal(rangesAt(night, at, helsinki).active.length, 1);
    assert.equal(rangesAt(night, at - dayMs / 2, helsinki).active.length, 0);
  });

  test("keep the newest of too many edges", () => {
    const to = Date.parse("2026-03-02T00:00Z");
    const minutely = crons("* * * * *", "59 23 31 12 *");
    const daily = range(clock("12:00"), null);
    const from = to - limits.scheduleEdges * 60_000;
    const whole = edges([minutely], from, to, helsinki);
    assert.deepEqual([whole.edges.length, whole.complete], [limits.scheduleEdges, true]);
    assert.deepEqual(edges([minutely], from - 60_000, to, helsinki), { ...whole, complete: false });
    const years = edges([minutely, daily], 0, to, helsinki);
    assert.deepEqual([years.edges.length, years.complete], [limits.scheduleEdges, false]);
    assert.deepEqual(years.edges.at(-1), { at: to, edge: "start", index: 0 });
    assert.ok(years.edges.some(({ index }) => index === 1));
  });
});
