import assert from "node:assert/strict";
import { test } from "node:test";
import { cronProblem, cronValues } from "@ledge/model";
import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { CronTimes } from "./cron-times.ts";
import { changeDays, places } from "./test-ranges.ts";
import { Zone, zoneOf } from "./zone.ts";

const dayMs = 86_400_000;

const zones = fc.constantFrom(
  ...places.map(({ zone }) => zone),
  // Clocks that change at midnight, by two hours, and around Ramadan.
  "Africa/Cairo",
  "Antarctica/Troll",
  "Africa/Casablanca",
);
const instants = fc
  .tuple(fc.constantFrom(...changeDays, "2026-04-24", "2026-10-29"), fc.integer({ min: -dayMs, max: dayMs }))
  .map(([date, shift]) => Date.parse(`${date}T01:00Z`) + shift);
const cron = fc
  .tuple(
    fc.constantFrom("0", "30", "*/20", "15,45", "5-10"),
    fc.constantFrom("*", "2", "3", "*/2", "0-4", "23,0"),
    fc.constantFrom("*", "*", "*", "0", "1-5"),
  )
  .map(([minutes, hours, days]) => `${minutes} ${hours} * * ${days}`);

test('toInstant agrees with Temporal\'s "compatible" disambiguation', () => {
  fc.assert(
    fc.property(instants, zones, (at, zone) => {
      const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO("UTC").toPlainDateTime();
      const expected = local.toZonedDateTime(zone, { disambiguation: "compatible" }).epochMilliseconds;
      assert.equal(new Zone(zone).toInstant(at), expected);
      const shown = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDateTime();
      assert.equal(new Zone(zone).toLocal(at), shown.toZonedDateTime("UTC").epochMilliseconds);
    }),
    { numRuns: 500 },
  );
});

test("the instants of a cron are its local times as Temporal converts them", () => {
  fc.assert(
    fc.property(cron, instants, zones, (text, from, name) => {
      const zone = zoneOf(name);
      const times = new CronTimes(text);
      const to = from + dayMs;
      const local = new CronTimes(text);
      const expected = new Set<number>();
      // Start early enough for local times that a clock change moves into the tested span.
      const none = new Zone("UTC");
      let wall = local.after(zone.toLocal(from) - dayMs, none);
      for (; wall !== null && wall < zone.toLocal(to) + dayMs; wall = local.after(wall, none)) {
        const instant = zone.toInstant(wall);
        if (instant > from && instant <= to) expected.add(instant);
      }
      const rising = [...expected].toSorted((a, b) => a - b);
      const found: number[] = [];
      for (let at = times.after(from, zone); at !== null && at <= to; at = times.after(at, zone))
        found.push(at);
      assert.deepEqual(found, rising);
      const back: number[] = [];
      for (let at = times.upTo(to, zone); at !== null && at > from; at = times.upTo(at - 1, zone))
        back.push(at);
      assert.deepEqual(back.toReversed(), rising);
    }),
    { numRuns: 150 },
  );
});

/** A cron field that the model accepts, with steps that may be longer than the field. */
function fieldOf(least: number, most: number): fc.Arbitrary<string> {
  const value = fc.integer({ min: least, max: most });
  const step = fc.option(fc.integer({ min: 1, max: 99 }));
  const span = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  const stepped = fc
    .tuple(fc.oneof(fc.constant("*"), span), step)
    .map(([of, by]) => (by === null ? of : `${of}/${by}`));
  const list = fc.array(fc.oneof(value.map(String), stepped), { minLength: 1, maxLength: 3 });
  return fc.oneof(
    fc.constant("*"),
    stepped,
    list.map((items) => items.join(",")),
  );
}

test("every cron that the model accepts has instants, and they match its fields", () => {
  const text = fc
    .tuple(fieldOf(0, 59), fieldOf(0, 23), fieldOf(1, 31), fieldOf(1, 12), fieldOf(0, 6))
    .map((fields) => fields.join(" "))
    .filter((fields) => cronProblem(fields) === undefined);
  const utc = zoneOf("UTC");
  fc.assert(
    fc.property(text, instants, (fields, at) => {
      const times = new CronTimes(fields);
      const [after, upTo] = [times.after(at, utc), times.upTo(at, utc)];
      assert.ok(after !== null && after > at && upTo !== null && upTo <= at);
      assert.equal(times.upTo(after - 1, utc), upTo);
      const [minutes, hours, days, months, weekdays] = fields.split(" ").map(cronValues);
      for (const time of [new Date(after), new Date(upTo)]) {
        assert.ok(minutes?.includes(time.getUTCMinutes()) && hours?.includes(time.getUTCHours()));
        assert.ok(months?.includes(time.getUTCMonth() + 1));
        assert.ok(days?.includes(time.getUTCDate()) || weekdays?.includes(time.getUTCDay()));
      }
    }),
    { numRuns: 300 },
  );
});
