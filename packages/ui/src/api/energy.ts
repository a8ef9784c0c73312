// What energy devices used, and what it cost.
import type { Prices } from "@ledge/model";
import { type Answer, call } from "./call.ts";
import { askPast } from "./turns.ts";

export interface SeriesName {
  readonly deviceId: string;
  readonly attribute: string;
}

/** What came together in an hour or a day. */
export interface EnergyPoint {
  readonly kWh: number | null;
  /** Null where no price was known. */
  readonly cost: number | null;
  /** How much of it had no known price (kWh). */
  readonly unpriced: number;
}

/** SUMMED_HISTORY; times in ms since the epoch. */
export interface SummedHistory {
  readonly timezone: string;
  readonly starts: readonly number[];
  readonly end: number;
  readonly currency: string | null;
  readonly series: readonly (SeriesName & { readonly points: readonly (EnergyPoint | null)[] })[];
}

export interface EnergyQuestion {
  readonly series: readonly SeriesName[];
  readonly bucket: "hour" | "day";
  readonly from: number;
  readonly to: number;
  readonly prices: boolean;
}

export function summedHistory(body: EnergyQuestion, signal: AbortSignal): Promise<Answer<SummedHistory>> {
  return askPast("/devices/history", { method: "POST", body, signal });
}

/** What energy costs by the quarter of an hour, earlier and to come; null where the hub knows no price. */
export function knownPrices(signal: AbortSignal): Promise<Answer<Pick<Prices, "currency" | "slots"> | null>> {
  return call("/hub/prices", { signal });
}
