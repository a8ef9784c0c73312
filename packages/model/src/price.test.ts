import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { given, testNow } from "@ledge/testkit";
import { limits } from "./limits.ts";
import type { PriceSlot } from "./price.ts";
import { slotAt } from "./price.ts";

const quarter = limits.priceSlotMs;
const hub = { type: "HubCreated", id: "h", name: "Hub", timezone: "UTC" };
/** Returns slots of a quarter of an hour each, in a row. */
const slots = (start: number, ...prices: number[]): PriceSlot[] =>
  prices.map((price, n) => ({ start: start + n * quarter, end: start + (n + 1) * quarter, price }));
const set = (of: readonly object[], fields: object = {}) => {
  return { type: "SET_PRICES", id: "h", area: "FI", currency: "EUR", unit: "kWh", slots: of, ...fields };
};
const received = (of: readonly PriceSlot[], fields: object = {}) => {
  return { type: "PricesReceived", id: "h", area: "FI", currency: "EUR", slots: of, ...fields };
};

describe("prices", () => {
  test("are stored by the quarter of an hour; an hour becomes four slots", () => {
    const hour = { start: testNow, end: testNow + 4 * quarter, price: -0.01 };
    const after = given([hub])
      .when(set([hour]))
      .then([received(slots(testNow, -0.01, -0.01, -0.01, -0.01))]);
    assert.deepEqual(after.state("price", "h"), {
      type: "PRICES",
      area: "FI",
      currency: "EUR",
      unit: "kWh",
      slots: slots(testNow, -0.01, -0.01, -0.01, -0.01),
      timestamp: testNow,
    });
  });

  test("change nothing when they are known already", () => {
    const known = [hub, received(slots(testNow, 1, 2))];
    given(known)
      .when(set(slots(testNow, 1, 2)))
      .then([]);
    given(known).when(set([])).then([]);
  });

  test("replace those of the same time and leave the others", () => {
    given([hub, received(slots(testNow, 1, 2, 3))])
      .when(set(slots(testNow + quarter, 5)))
      .then([received(slots(testNow, 1, 5, 3))]);
    given([hub, received(slots(testNow + 8 * quarter, 9))])
      .when(set(slots(testNow, 1)))
      .then([received([...slots(testNow, 1), ...slots(testNow + 8 * quarter, 9)])]);
  });

  test("of another area or currency replace all", () => {
    for (const market of [{ area: "SE3" }, { currency: "SEK" }]) {
      given([hub, received(slots(testNow, 1, 2))])
        .when(set(slots(testNow, 1), market))
        .then([received(slots(testNow, 1), market)]);
    }
  });

  test("are kept from yesterday to two days ahead", () => {
    const past = testNow - limits.pricesPastMs;
    const ahead = testNow + limits.pricesAheadMs;
    const offered = [...slots(past - quarter, 1, 2), ...slots(ahead - quarter, 3, 4)];
    const kept = [...slots(past, 2), ...slots(ahead - quarter, 3)];
    given([hub])
      .when(set(offered))
      .then([received(kept)]);
    given([hub, received([...slots(past - quarter, 1), ...slots(testNow, 1)])])
      .when(set(slots(testNow, 2)))
      .then([received(slots(testNow, 2))]);
    given([hub])
      .when(set(slots(ahead, 1)))
      .then([]);
  });

  const wrong: readonly [what: string, command: object, field: string][] = [
    ["of another length", set([{ start: 0, end: quarter + 1, price: 1 }]), "slots.0"],
    ["that ends before it begins", set([{ start: quarter, end: 0, price: 1 }]), "slots.0"],
    ["off the quarter", set([{ start: 1, end: 1 + quarter, price: 1 }]), "slots.0"],
    ["over another", set([...slots(0, 1, 2), ...slots(quarter, 3)]), "slots.2"],
    ["out of order", set([...slots(quarter, 1), ...slots(0, 2)]), "slots.1"],
    ["without a price", set([{ start: 0, end: quarter }]), "slots.0"],
    ["of an invalid currency", set([], { currency: "euro" }), "currency"],
    ["for another unit", set([], { unit: "MWh" }), "unit"],
    ["of too many", set(slots(0, ...Array<number>(limits.priceSlots + 1).fill(1))), "slots"],
  ];
  for (const [what, command, field] of wrong) {
    test(`are unchanged after a slot ${what} is refused`, () => {
      const known = [hub, received(slots(testNow, 1))];
      const after = given(known)
        .when(command as ReturnType<typeof set>)
        .then({ rejected: "invalid", field });
      assert.deepEqual(after.state("price", "h")?.slots, slots(testNow, 1));
    });
  }

  test("are accepted up to the limit", () => {
    const most = slots(testNow - limits.pricesPastMs, ...Array<number>(limits.priceSlots).fill(1));
    const after = given([hub])
      .when(set(most))
      .then([received(most.slice(0, (limits.pricesPastMs + limits.pricesAheadMs) / quarter))]);
    assert.equal(after.state("price", "h")?.slots.length, 480);
  });

  test("of an unknown hub are refused", () => {
    given().when(set([])).then({ rejected: "not-found", field: "id" });
  });
});

test("slotAt finds the slot of a time from its first to its last ms, and none in a gap", () => {
  const known = [...slots(0, 1, 2), ...slots(4 * quarter, 3)];
  const at = (time: number): number | undefined => slotAt(known, time)?.price;
  assert.deepEqual([-1, 0, quarter - 1, quarter, 2 * quarter - 1].map(at), [undefined, 1, 1, 2, 2]);
  assert.deepEqual([2 * quarter, 4 * quarter - 1, 4 * quarter, 5 * quarter].map(at), [
    undefined,
    undefined,
    3,
    undefined,
  ]);
  assert.equal(slotAt([], 0), undefined);
});
