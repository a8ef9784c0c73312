import { limits, type LoggedEvent, type PriceSlot, type PricesReceived } from "@ledge/model";
import type { Reader } from "../reader.ts";

/** What energy cost, by the quarter of an hour. */
export interface PricesThen {
  readonly currency: string | null;
  /** Returns the price of a kWh at a time (ms); undefined while none was known. */
  at(time: number): number | undefined;
}

const priced = "PricesReceived";

/** Reads the prices of a span from the log; of another currency than the newest they do not count. */
export function pricesThen(reader: Reader, from: number, to: number): PricesThen {
  const wants = (bytes: Buffer, start: number, end: number): boolean =>
    bytes.subarray(start, end).includes(priced);
  let currency: string | null = null;
  let slots = new Map<number, PriceSlot>();
  for (const { events } of reader.log.read(Math.max(0, from - limits.pricesAheadMs), to, wants)) {
    reader.spend();
    for (const event of events) {
      if (!isPriced(event)) continue;
      if (event.currency !== currency) slots = new Map();
      ({ currency } = event);
      for (const slot of event.slots) slots.set(slot.start, slot);
    }
  }
  return { currency, at: (time) => slots.get(time - (time % limits.priceSlotMs))?.price };
}

function isPriced(event: LoggedEvent): event is LoggedEvent & PricesReceived {
  return event.type === priced;
}
