import type { PriceSlot } from "@ledge/model";
import { limits } from "@ledge/model";

/** A time, ms since the epoch: `start` inclusive, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface SlotsWanted {
  /** How many; of fewer that there are, all. */
  readonly count: number;
  /** Slots count that end behind `from` and not behind `until` (ms since the epoch). */
  readonly from: number;
  readonly until: number;
  /** One right after the other; where no such row is long enough, the longest that there is. */
  readonly contiguous?: boolean;
  /** Slots that cost more are not taken. */
  readonly maxPrice?: number | undefined;
}

/** Sums that differ by less are the same. */
const noise = 1e-9;

/**
 * The cheapest slots, the earlier of those that cost the same.
 * @param slots the earliest first, as those of Prices; there may be gaps
 * @returns the earliest first
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

/** Slots as the times that they make together. */
export function joined(slots: readonly Span[]): readonly Span[] {
  const spans: Span[] = [];
  for (const { start, end } of slots) {
    const last = spans.at(-1);
    if (last?.end === start) spans[spans.length - 1] = { start: last.start, end };
    else spans.push({ start, end });
  }
  return spans;
}

/** Whether prices are known up to a time: up to the last slot that ends by then. */
export function isKnownUntil(slots: readonly PriceSlot[], until: number): boolean {
  return (slots.at(-1)?.end ?? -Infinity) > until - limits.priceSlotMs;
}

/** How much (ms) of the `windowMs` before `at` lies in spans. */
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
