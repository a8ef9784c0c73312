import type { PriceSlot, SetPrices } from "@ledge/model";
import { limits, lazyValidator } from "@ledge/model";
import Type from "typebox";
import { PriceProblem } from "./price-problem.ts";

/** Consecutive prices from `start` on, for an hour or a quarter of an hour each. */
const DayAhead = Type.Object({
  area: Type.String({ minLength: 1 }),
  currency: Type.String(),
  unit: Type.Literal("kWh"),
  resolution: Type.Union([Type.Literal("PT15M"), Type.Literal("PT60M")]),
  /** ISO 8601 with its offset, such as `2026-11-21T23:00:00Z`. */
  start: Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d.*(?:Z|[+-]\\d\\d:?\\d\\d)$" }),
  prices: Type.Array(Type.Number(), { minItems: 1, maxItems: limits.priceSlots }),
});
type DayAhead = Type.Static<typeof DayAhead>;

const one = lazyValidator(DayAhead);

/**
 * Reads the prices of an area from one `DayAhead` or a list of them.
 * @param area undefined when the source has only one area
 * @throws PriceProblem
 */
export function readDayAhead(json: unknown, area: string | undefined): Omit<SetPrices, "type" | "id"> {
  const list: unknown[] = Array.isArray(json) ? json : [json];
  const parts = list.map((part, index) => checked(part, Array.isArray(json) ? `${index}.` : ""));
  const areas = [...new Set(parts.map((part) => part.area))];
  const wanted = area ?? areas[0];
  if (area === undefined && areas.length > 1)
    throw new PriceProblem(`prices of ${areas.join(", ")}: the profile has to say which area`);
  const [first, ...others] = parts
    .filter((part) => part.area === wanted)
    .toSorted((a, b) => Date.parse(a.start) - Date.parse(b.start));
  if (first === undefined)
    throw new PriceProblem(
      area === undefined ? "no prices" : `no prices of ${area}, but of ${areas.join(", ")}`,
    );
  const { currency, unit } = first;
  if (others.some((part) => part.currency !== currency))
    throw new PriceProblem("prices in several currencies");
  return { area: first.area, currency, unit, slots: [first, ...others].flatMap(slotsOf) };
}

function checked(part: unknown, prefix: string): DayAhead {
  if (!one.Check(part)) {
    const [error] = one.Errors(part);
    const field = error?.instancePath.slice(1).replaceAll("/", ".") ?? "";
    throw new PriceProblem(`${prefix}${field} ${error?.message}`.trim());
  }
  if (Number.isNaN(Date.parse(part.start))) throw new PriceProblem(`${prefix}start is no time`);
  return part;
}

function slotsOf({ start, resolution, prices }: DayAhead): PriceSlot[] {
  const lengthMs = resolution === "PT15M" ? limits.priceSlotMs : 4 * limits.priceSlotMs;
  const from = Date.parse(start);
  return prices.map((price, n) => ({ start: from + n * lengthMs, end: from + (n + 1) * lengthMs, price }));
}
