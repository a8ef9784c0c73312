import assert from "node:assert/strict";
import { test } from "node:test";
import { cheapest, hoursFrom } from "./prices.ts";

const quarter = 900_000;
const hour = 3_600_000;
/** Four quarters of each hour, the last dearer by 4. */
const slotsOf = (...prices: readonly number[]) =>
  prices.flatMap((price, at) =>
    [0, 1, 2, 3].map((part) => {
      const start = at * hour + part * quarter;
      return { start, end: start + quarter, price: price + (part === 3 ? 4 : 0) };
    }),
  );

test("prices are those of each hour from now on, the mean of its quarters", () => {
  assert.deepEqual(hoursFrom(slotsOf(1, 2, 3), hour + 5), [
    { start: hour, price: 3 },
    { start: 2 * hour, price: 4 },
  ]);
  assert.deepEqual(hoursFrom([], 0), []);
});

test("the cheapest hours are those in a row that cost least, never over a gap", () => {
  const hours = hoursFrom(slotsOf(5, -1, 3, 2, 1), 0);
  assert.deepEqual(cheapest(hours, 2), { start: hour, end: 3 * hour });
  assert.deepEqual(cheapest(hours, 1), { start: hour, end: 2 * hour });
  assert.deepEqual(
    cheapest(
      hours.filter((_, at) => at !== 2),
      2,
    ),
    { start: 3 * hour, end: 5 * hour },
  );
  assert.equal(cheapest(hours, 6), undefined);
});
