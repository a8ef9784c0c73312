import type { PriceSlot } from "@ledge/model";

/** The mean price of an hour, which begins at `start` (ms). */
export interface HourPrice {
  readonly start: number;
  readonly price: number;
}

const hourMs = 3_600_000;

/** Returns the known prices by the hour, from the hour of a time (ms) on. */
export function hoursFrom(slots: readonly PriceSlot[], now: number): readonly HourPrice[] {
  const first = Math.floor(now / hourMs) * hourMs;
  const hours = new Map<number, number[]>();
  for (const { start, price } of slots) {
    if (start < first) continue;
    const hour = Math.floor(start / hourMs) * hourMs;
    hours.set(hour, [...(hours.get(hour) ?? []), price]);
  }
  return [...hours]
    .map(([start, prices]) => ({ start, price: prices.reduce((a, b) => a + b, 0) / prices.length }))
    .toSorted((a, b) => a.start - b.start);
}

/** Returns when so many hours in a row cost least (ms); undefined when fewer are known in a row. */
export function cheapest(
  hours: readonly HourPrice[],
  count: number,
): { readonly start: number; readonly end: number } | undefined {
  let best: { readonly start: number; readonly sum: number } | undefined;
  for (let at = 0; at + count <= hours.length; at++) {
    const run = hours.slice(at, at + count);
    const [{ start }] = run as [HourPrice];
    if (run.some((hour, place) => hour.start !== start + place * hourMs)) continue;
    const sum = run.reduce((total, { price }) => total + price, 0);
    if (best === undefined || sum < best.sum) best = { start, sum };
  }
  return best && { start: best.start, end: best.start + count * hourMs };
}
