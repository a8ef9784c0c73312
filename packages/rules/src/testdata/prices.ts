import type { PriceSlot } from "@ledge/model";
import { limits } from "@ledge/model";

const minute = 60_000;

/** Returns prices for quarters of an hour, from a time on (ISO 8601 with its offset). */
export function quarters(from: string, ...prices: readonly number[]): readonly PriceSlot[] {
  const first = Date.parse(from);
  return prices.map((price, index) => {
    const start = first + index * limits.priceSlotMs;
    return { start, end: start + limits.priceSlotMs, price };
  });
}

/**
 * Returns prices for all quarters of an hour between two times: `usual`, except for `others`.
 * @param others prices by the minute since `from`
 */
export function pricesFrom(
  from: string,
  to: string,
  usual: number,
  others: Readonly<Record<number, number>> = {},
): readonly PriceSlot[] {
  const length = (Date.parse(to) - Date.parse(from)) / limits.priceSlotMs;
  const all = Array.from({ length }, (_, index) => {
    return others[(index * limits.priceSlotMs) / minute] ?? usual;
  });
  return quarters(from, ...all);
}
