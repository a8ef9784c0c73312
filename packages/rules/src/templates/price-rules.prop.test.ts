import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Device, PriceSlot, RuleState, World } from "@ledge/model";
import { limits, slotAt } from "@ledge/model";
import fc from "fast-check";
import type { Span } from "./parts/price-plan.ts";
import { joined, spent } from "./parts/price-plan.ts";
import { placeOf } from "../schedule/index.ts";
import { machineOf, step } from "../machine/step.ts";
import type { Template } from "../catalogue/template.ts";
import { spotCheapest } from "./spot-cheapest.ts";
import { spotLimit } from "./spot-limit.ts";
import { View } from "../machine/view.ts";

const quarter = limits.priceSlotMs;
const hour = 4 * quarter;
const day = 24 * hour;
const place = placeOf({ timezone: "Europe/Helsinki", location: null });
/** 7:00 on the day before the clocks go back: a window of 25 hours, then one of 24. */
const begin = Date.parse("2026-10-24T07:00+03:00");
const windows = [begin, begin + 25 * hour, begin + 49 * hour] as const;
const end = windows[2];

/** Returns when the load of a rule is on between `begin` and `end`, with all prices known; it is on at first. */
function onTimes(
  template: Template,
  extras: Readonly<Record<string, unknown>>,
  slots: readonly PriceSlot[],
): readonly Span[] {
  const machine = machineOf(template.chart);
  const values = Object.entries(extras).map(([name, value]) => {
    return [name, [{ type: template.extras[name]?.fieldType ?? "", value }]];
  });
  const outputs = { loads: ["load"] };
  const config = { type: "CONFIG", id: "r", name: "r", configType: template.configType, inputs: {}, outputs };
  const rule = {
    id: "r",
    is_on: true,
    config: { ...config, extras: Object.fromEntries(values) },
  } as unknown as RuleState;
  const spans: Span[] = [];
  const timers = new Map<string, number>();
  let [snapshot, isOn, since, now, type] = [machine.initial, true, begin, begin, "rule.on"];
  while (now < end) {
    const load = { id: "load", capabilities: { values: ["ON_OFF"] }, state: { isOn } } as unknown as Device;
    const all = (kind: string) => (kind === "price" ? [["hub", { slots }]] : []);
    const world = {
      now,
      get: (kind: string) => (kind === "device" ? load : undefined),
      all,
    } as unknown as World;
    const stepped = step(machine, snapshot, { type, view: new View(world, template, rule, place) });
    snapshot = stepped.snapshot;
    for (const name of stepped.cancelled) timers.delete(name);
    for (const { name, durationMs } of stepped.timers) timers.set(name, now + durationMs);
    for (const effect of stepped.effects) {
      const wanted = effect.do === "set" && effect.attributes["isOn"] === true;
      if (wanted && !isOn) since = now;
      if (!wanted && isOn) spans.push({ start: since, end: now });
      isOn = wanted;
    }
    const [next] = [...timers].toSorted(([, a], [, b]) => a - b);
    assert.ok(next !== undefined && next[1] > now, "the machine waits for a timer");
    timers.delete(next[0]);
    [type, now] = next;
  }
  if (isOn) spans.push({ start: since, end });
  return joined(spans.filter(({ start, end: last }) => last > start));
}

const priceLists = fc
  .array(fc.integer({ min: -5, max: 15 }), {
    minLength: (end - begin) / quarter,
    maxLength: (end - begin) / quarter,
  })
  .map((prices) =>
    prices.map((price, n): PriceSlot => ({
      start: begin + n * quarter,
      end: begin + (n + 1) * quarter,
      price,
    })),
  );

const during = (spans: readonly Span[], from: number, to: number): number => spent(spans, to, to - from);
const sum = (prices: readonly number[]): number => prices.reduce((all, price) => all + price, 0);

describe("SPOT_CHEAPEST over days of any prices", () => {
  test("runs as long as needed in each window, at the lowest cost", () => {
    fc.assert(
      fc.property(priceLists, fc.integer({ min: 1, max: 96 }), (slots, count) => {
        const spans = onTimes(spotCheapest, { hoursNeeded: count * quarter }, slots);
        for (const [index, from] of [windows[0], windows[1]].entries()) {
          const to = windows[index + 1] ?? end;
          assert.equal(during(spans, from, to), count * quarter);
          const inside = slots.filter(({ start }) => start >= from && start < to);
          const paid = inside.filter(({ start }) => during(spans, start, start + quarter) === quarter);
          const cheapest = inside.map(({ price }) => price).toSorted((a, b) => a - b);
          assert.equal(sum(paid.map(({ price }) => price)), sum(cheapest.slice(0, count)));
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe("SPOT_LIMIT over days of any prices", () => {
  test("stays off no longer than allowed in any 24 hours, and only at high prices", () => {
    fc.assert(
      fc.property(
        priceLists,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: -4, max: 14 }),
        (slots, count, above) => {
          const maxCut = count * quarter;
          const on = onTimes(spotLimit, { cutAbove: above, resumeBelow: above - 2, maxCut }, slots);
          const edges = [begin, ...on.flatMap(({ start, end: last }) => [start, last]), end];
          const off = edges.flatMap((at, index) => {
            const start = edges[index - 1];
            return index % 2 === 0 || start === undefined || at === start ? [] : [{ start, end: at }];
          });
          for (const cut of off) {
            assert.ok(spent(off, cut.end, day) <= maxCut, "no longer than allowed");
            assert.ok((slotAt(slots, cut.start)?.price ?? 0) > above, "begins at a high price");
            for (let at = cut.start; at < cut.end; at += quarter)
              assert.ok((slotAt(slots, at)?.price ?? 0) >= above - 2, "ends at a low price");
          }
          // Every cut that is due and allowed takes place.
          for (const { start, price } of slots) {
            const isOff = off.some((cut) => cut.start <= start && start < cut.end);
            if (price > above && !isOff)
              assert.ok(maxCut - spent(off, start, day) < quarter, "the budget is used up");
          }
        },
      ),
      { numRuns: 20 },
    );
  });
});
