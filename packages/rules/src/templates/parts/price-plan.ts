import type { PriceSlot } from "@ledge/model";
import { limits } from "@ledge/model";

/** A time span, ms since the epoch: `start` inclusive, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface SlotsWanted {
  /** How many slots; if there are fewer, all of them. */
  readonly count: number;
  /** Only slots that end after `from` and not after `until` (ms since the epoch). */
  readonly from: number;
  readonly until: number;
  /** In a row; if no row is long enough, the longest one. */
  readonly contiguous?: boolean;
  /** The highest price to accept. */
  readonly maxPrice?: number | undefined;
}

/** Sums that differ by less count as equal. */
const noise = 1e-9;

/**
 * Returns the cheapest slots; among equal prices the earlier.
 * @param slots in order of time, as those of Prices; there may be gaps
 * @returns in order of time
 */
export function cheapestSlots(slots: readonly PriceSlot[], wanted: SlotsWanted): readonly PriceSlot[] {
  const { count, from, until, contiguous = false, maxPrice = Infinity } = wanted;
  const open = slots.filter(
    ({ start, end, price }) => end > from && end <= until && price <= maxPrice && start < end,
  );
  if (count <= 0) return [];
  if (contiguous) return cheapestRow(open, count);
  const cheapest = open.toSorted((a, b) => a.price - b.price || a.start - b.start).slice(0, count);
  return cheapest.toSorted((a, b) => a.start - b.start);
}

/** Merges adjoining slots into spans. */
export function joined(slots: readonly Span[]): readonly Span[] {
  const spans: Span[] = [];
  for (const { start, end } of slots) {
    const last = spans.at(-1);
    if (last?.end === start) spans[spans.length - 1] = { start: last.start, end };
    else spans.push({ start, end });
  }
  return spans;
}

/** Returns whether prices are known for every whole slot up to a time. */
export function isKnownUntil(slots: readonly PriceSlot[], until: number): boolean {
  return (slots.at(-1)?.end ?? -Infinity) > until - limits.priceSlotMs;
}

/** Returns how much (ms) of the `windowMs` before `at` the spans cover. */
export function spent(spans: readonly Span[], at: number, windowMs: number): number {
  return spans.reduce((sum, { start, end }) => {
    const from = Math.max(start, at - windowMs);
    return sum + Math.max(0, Math.min(end, at) - from);
  }, 0);
}

function cheapestRow(slots: readonly PriceSlot[], count: number): readonly PriceSlot[] {
  const rows: PriceSlot[][] = [];
  for (const slot of slots) {
    const row = rows.at(-1);
    if (row?.at(-1)?.end === slot.start) row.push(slot);
    else rows.push([slot]);
  }
  const length = Math.min(count, Math.max(0, ...rows.map((row) => row.length)));
  let best: { readonly sum: number; readonly row: readonly PriceSlot[] } = { sum: Infinity, row: [] };
  for (const row of rows) {
    for (let at = 0; at + length <= row.length; at++) {
      const part = row.slice(at, at + length);
      const sum = part.reduce((total, { price }) => total + price, 0);
      if (sum < best.sum - noise) best = { sum, row: part };
    }
  }
  return best.row;
}
