/** What a value information field means. */
export interface Quantity {
  readonly quantity: string;
  /** Empty for counts, codes and texts. */
  readonly unit: string;
  /** A value is in units of 10^exponent. */
  readonly exponent: number;
  /** A value counts this many units, such as 3600 seconds. */
  readonly factor?: number;
  readonly type?: "date" | "dateTime" | "unsigned";
  /** Added by a later edition than EN 13757-3:2004, which has the code as reserved. */
  readonly isNewer?: true;
}

export type Table = ReadonlyMap<number, Quantity>;
export type Row = readonly [code: number, of: Quantity];

/** Consecutive codes, each ten times the unit of the one before. */
export function decades(
  first: number,
  count: number,
  exponent: number,
  unit: string,
  quantity: string,
  more: Partial<Quantity> = {},
): readonly Row[] {
  return Array.from({ length: count }, (_, i) => [
    first + i,
    { quantity, unit, exponent: exponent + i, ...more },
  ]);
}

const secondsOf = { s: 1, min: 60, h: 3600, d: 86_400 } as const;
type Period = keyof typeof secondsOf | "month" | "year";

/** Consecutive codes of a duration, each in the next of these periods. Months and years stay units of their own. */
export function periods(
  first: number,
  of: readonly Period[],
  quantity: string,
  more: Partial<Quantity> = {},
): readonly Row[] {
  return of.map((period, i) => [
    first + i,
    period === "month" || period === "year"
      ? { quantity, unit: period, exponent: 0, ...more }
      : { quantity, unit: "s", exponent: 0, factor: secondsOf[period], ...more },
  ]);
}

/** A code without an exponent. */
export function plain(code: number, quantity: string, unit = "", more: Partial<Quantity> = {}): Row {
  return [code, { quantity, unit, exponent: 0, ...more }];
}

export const reserved: Quantity = { quantity: "Reserved", unit: "Reserved", exponent: 0 };
