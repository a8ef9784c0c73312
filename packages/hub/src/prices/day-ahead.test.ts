import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { readDayAhead } from "./day-ahead.ts";

const quarter = limits.priceSlotMs;
const part = {
  area: "FI",
  currency: "EUR",
  unit: "kWh",
  resolution: "PT15M",
  start: "2026-11-21T23:00:00Z",
  prices: [0.0312, -0.01],
};
const at = Date.UTC(2026, 10, 21, 23);
const market = { area: "FI", currency: "EUR", unit: "kWh" };

test("reads prices by the hour or the quarter hour, from the start on", () => {
  const slot = (start: number, length: number, price: number) => ({ start, end: start + length, price });
  assert.deepEqual(readDayAhead(part, undefined), {
    ...market,
    slots: [slot(at, quarter, 0.0312), slot(at + quarter, quarter, -0.01)],
  });
  const hourly = { ...part, resolution: "PT60M", start: "2026-11-22T01:00:00+02:00", prices: [1, 2] };
  assert.deepEqual(readDayAhead(hourly, "FI"), {
    ...market,
    slots: [slot(at, 4 * quarter, 1), slot(at + 4 * quarter, 4 * quarter, 2)],
  });
});

test("takes the parts of a list that are for the area, earliest first", () => {
  const next = { ...part, start: "2026-11-22T23:00:00Z", prices: [3] };
  const other = { ...part, area: "SE3", currency: "SEK" };
  const { area, slots } = readDayAhead([next, other, part], "FI");
  assert.equal(area, "FI");
  assert.deepEqual(
    slots.map(({ price }) => price),
    [0.0312, -0.01, 3],
  );
});

const wrong: readonly [what: string, json: unknown, area: string | undefined, problem: RegExp][] = [
  ["no object", 7, undefined, /object/],
  ["an empty list", [], undefined, /^no prices$/],
  ["another unit", { ...part, unit: "MWh" }, undefined, /^unit /],
  ["another resolution", { ...part, resolution: "PT30M" }, undefined, /^resolution /],
  ["a time without its offset", { ...part, start: "2026-11-21T23:00:00" }, undefined, /^start /],
  ["no time", { ...part, start: "2026-13-41T23:00:00Z" }, undefined, /^start is no time$/],
  ["no prices", { ...part, prices: [] }, undefined, /^prices /],
  ["a price that is none", { ...part, prices: [1, "2"] }, undefined, /^prices\.1 /],
  ["too many prices", { ...part, prices: Array(limits.priceSlots + 1).fill(1) }, undefined, /^prices /],
  ["a bad one in a list", [part, { ...part, currency: 1 }], undefined, /^1\.currency /],
  ["two areas and no choice", [part, { ...part, area: "SE3" }], undefined, /FI, SE3/],
  ["another area", [part], "SE3", /^no prices of SE3, but of FI$/],
  ["two currencies", [part, { ...part, currency: "SEK" }], undefined, /several currencies/],
];
test("quotes only a part of a long answer in the problem", () => {
  const long = { ...part, area: "x".repeat(633_000) };
  assert.throws(
    () => readDayAhead(long, "FI"),
    (error: Error) => {
      return error.message.length === limits.priceProblemChars && error.message.startsWith("no prices of FI");
    },
  );
});

for (const [what, json, area, problem] of wrong) {
  test(`refuses ${what}, with a reason`, () => {
    assert.throws(() => readDayAhead(json, area), { name: "PriceProblem", message: problem });
  });
}
