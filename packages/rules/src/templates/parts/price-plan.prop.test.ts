import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { limits } from "@ledge/model";
import type { PriceSlot } from "@ledge/model";
import fc from "fast-check";
import type { SlotsWanted } from "./price-plan.ts";
import { cheapestSlots, isKnownUntil, joined, spent } from "./price-plan.ts";
import { daily, clock } from "../../schedule/daily.ts";
import { edges, placeOf } from "../../schedule/index.ts";

const quarter = limits.priceSlotMs;

/** Slots in order with gaps, and with few different prices, so that many are equal. */
const slotLists = fc
  .array(fc.record({ price: fc.integer({ min: -4, max: 6 }), gap: fc.constantFrom(0, 0, 0, 0, 1, 3) }), {
    maxLength: 40,
  })
  .map((parts) => {
    let at = 0;
    return parts.map(({ price, gap }): PriceSlot => {
      const start = at + gap * quarter;
      at = start + quarter;
      return { start, end: at, price: price / 10 };
    });
  });
const wishes: fc.Arbitrary<SlotsWanted> = fc.record({
  count: fc.integer({ min: 0, max: 20 }),
  from: fc.integer({ min: -quarter, max: 20 * quarter }),
  until: fc.integer({ min: 0, max: 60 * quarter }),
  contiguous: fc.boolean(),
  maxPrice: fc.option(
    fc.integer({ min: -4, max: 6 }).map((price) => price / 10),
    { nil: undefined },
  ),
});

const open = (slots: readonly PriceSlot[], { from, until, maxPrice = Infinity }: SlotsWanted) =>
  slots.filter(({ end, price }) => end > from && end <= until && price <= maxPrice);
const total = (slots: readonly PriceSlot[]) => slots.reduce((sum, { price }) => sum + price, 0);
const isRow = (slots: readonly PriceSlot[]) =>
  slots.every(({ start }, index) => index === 0 || slots[index - 1]?.end === start);

/** Returns every series of `length` slots in a row. */
function rows(slots: readonly PriceSlot[], length: number): PriceSlot[][] {
  return slots
    .map((_, at) => slots.slice(at, at + length))
    .filter((row) => row.length === length && isRow(row));
}

describe("the cheapest slots", () => {
  test("are in their window, in order, within the price limit, and as many as possible", () => {
    fc.assert(
      fc.property(slotLists, wishes, (slots, wanted) => {
        const chosen = cheapestSlots(slots, wanted);
        const able = open(slots, wanted);
        assert.deepEqual(
          chosen,
          able.filter((slot) => chosen.includes(slot)),
          "some of them, in order",
        );
        if (!wanted.contiguous) assert.equal(chosen.length, Math.min(wanted.count, able.length));
      }),
    );
  });

  test("are never dearer or later than a slot that was left out", () => {
    fc.assert(
      fc.property(slotLists, wishes, (slots, wish) => {
        const wanted = { ...wish, contiguous: false };
        const chosen = cheapestSlots(slots, wanted);
        for (const left of open(slots, wanted).filter((slot) => !chosen.includes(slot))) {
          for (const { price, start } of chosen) {
            assert.ok(price < left.price || (price === left.price && start < left.start));
          }
        }
      }),
    );
  });

  test("in a row: no other row of that length is cheaper, or as cheap and earlier; none is longer", () => {
    fc.assert(
      fc.property(slotLists, wishes, (slots, wish) => {
        const wanted = { ...wish, contiguous: true };
        const chosen = cheapestSlots(slots, wanted);
        const able = open(slots, wanted);
        assert.ok(isRow(chosen));
        if (chosen.length < wanted.count) assert.deepEqual(rows(able, chosen.length + 1), []);
        for (const row of chosen.length === 0 ? [] : rows(able, chosen.length)) {
          const dearer = total(row) - total(chosen);
          const isLater = (row[0]?.start ?? 0) >= (chosen[0]?.start ?? 0);
          assert.ok(dearer > 1e-9 || (dearer > -1e-9 && isLater));
        }
      }),
    );
  });

  test("stay the same for the rest of the plan when the first slots are over", () => {
    fc.assert(
      fc.property(slotLists, wishes, fc.nat(20), (slots, wish, passed) => {
        const wanted = { ...wish, contiguous: false };
        const chosen = cheapestSlots(slots, wanted);
        const from = chosen[Math.min(passed, chosen.length - 1)]?.start;
        if (from === undefined) return;
        const rest = chosen.filter(({ start }) => start >= from);
        assert.deepEqual(cheapestSlots(slots, { ...wanted, from, count: rest.length }), rest);
      }),
    );
  });

  test("number 92 or 100 on a day when the clocks change", () => {
    const place = placeOf({ timezone: "Europe/Helsinki", location: null });
    for (const [day, length] of [
      ["2026-03-28T22:00:00Z", 92],
      ["2026-10-24T21:00:00Z", 100],
      ["2026-01-14T22:00:00Z", 96],
    ] as const) {
      const from = Date.parse(day);
      const [midnight] = edges([daily(clock(0), null)], from, from + 30 * 4 * quarter, place).edges;
      const slots = Array.from({ length: 200 }, (_, n) => {
        return { start: from + n * quarter, end: from + (n + 1) * quarter, price: -n };
      });
      const all = cheapestSlots(slots, { from, until: midnight?.at ?? 0, count: 200 });
      assert.equal(all.length, length, day);
    }
  });
});

test("joined merges adjoining slots", () => {
  fc.assert(
    fc.property(slotLists, (slots) => {
      const spans = joined(slots);
      const sum = (of: readonly { start: number; end: number }[]) =>
        of.reduce((ms, { start, end }) => ms + end - start, 0);
      assert.equal(sum(spans), sum(slots));
      for (const [index, { start }] of spans.entries()) {
        if (index > 0) assert.ok(start > (spans[index - 1]?.end ?? Infinity), "with a gap before it");
      }
    }),
  );
});

test("isKnownUntil needs every whole slot up to the time", () => {
  const slots = [{ start: 0, end: quarter, price: 1 }];
  assert.equal(isKnownUntil(slots, quarter), true);
  assert.equal(isKnownUntil(slots, 2 * quarter - 1), true);
  assert.equal(isKnownUntil(slots, 2 * quarter), false);
  assert.equal(isKnownUntil([], 0), false);
});

test("spent counts the part of the spans within the window", () => {
  const spans = [
    { start: 0, end: 10 },
    { start: 20, end: 30 },
    { start: 50, end: 60 },
  ];
  assert.equal(spent(spans, 60, 100), 30);
  assert.equal(spent(spans, 60, 35), 15);
  assert.equal(spent(spans, 25, 100), 15);
  assert.equal(spent(spans, 200, 100), 0);
});
