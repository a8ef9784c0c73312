import { csvOf } from "../../parts/csv.ts";
import type { Scale } from "../../format.ts";
import type { Stretch } from "./trend.ts";
import type { Span } from "./zoom.ts";

/** The words of the table's head. */
export interface Head {
  readonly from: string;
  readonly to: string;
  /** The name of what was measured. */
  readonly value: string;
  readonly least: string;
  readonly mean: string;
  readonly greatest: string;
}

/** More digits are of the arithmetic. */
const digits = 6;

/**
 * Returns what a drawing shows as CSV: a line for each of its points, with the least, mean and greatest value where a point
 * stands for several.
 * @param shown the time that is shown @param stampOf writes a time (ms)
 */
export function trendTable(
  stretches: readonly Stretch[],
  shown: Span,
  { unit, factor }: Scale,
  head: Head,
  stampOf: (ms: number) => string,
): string {
  const inSight = stretches.filter(({ from, to }) => from < shown.to && to > shown.from);
  const isExact = inSight.every(({ min, max }) => min === max);
  const written = (value: number): number => Number((value * factor).toFixed(digits));
  const title = unit === "" ? head.value : `${head.value} (${unit})`;
  const titles = isExact
    ? [title]
    : [head.least, head.mean, head.greatest].map((each) => `${title}, ${each}`);
  const lines = inSight.map(({ from, to, min, mean, max }) => [
    stampOf(from),
    stampOf(to),
    ...(isExact ? [mean] : [min, mean, max]).map(written),
  ]);
  return csvOf([[head.from, head.to, ...titles], ...lines]);
}
