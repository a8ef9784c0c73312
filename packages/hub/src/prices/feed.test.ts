import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alarmId, features, limits } from "@ledge/model";
import type { TestKernel } from "@ledge/testkit";
import { openTestKernel, SimulatedClock } from "@ledge/testkit";
import { createLogger } from "@ledge/host/logger";
import { Notes } from "../notes/notes.ts";
import { PriceFeed } from "./feed.ts";
import { knowsTomorrow, localDay } from "./local-day.ts";
import { PriceProblem } from "./price-problem.ts";
import type { PriceSource } from "./source.ts";

const minute = 60_000;
const hour = 60 * minute;
/** 10:00 in Helsinki. */
const morning = Date.UTC(2026, 10, 21, 8);
/** The prices of days in central Europe, in the published form. */
const days = (first: number, count: number, price = 1) => ({
  area: "FI",
  currency: "EUR",
  unit: "kWh",
  resolution: "PT60M",
  start: new Date(Date.UTC(2026, 10, first - 1, 23)).toISOString(),
  prices: Array<number>(24 * count).fill(price),
});

/** A source that answers as the test sets. */
class Simulated implements PriceSource {
  readonly isNear: boolean;
  says: unknown;
  asked: number[] = [];
  forgotten = 0;
  #now: () => number;

  constructor(isNear: boolean, now: () => number) {
    this.isNear = isNear;
    this.#now = now;
  }

  read(): Promise<unknown> {
    this.asked.push(this.#now());
    return this.says instanceof Error ? Promise.reject(this.says) : Promise.resolve(this.says);
  }

  forget(): void {
    this.forgotten++;
  }
}

interface Home extends TestKernel {
  readonly id: string;
  readonly source: Simulated;
  readonly feed: PriceFeed;
}

async function home({
  isNear = false,
  on = [features.SPOT_PRICES] as number[],
  more = {},
} = {}): Promise<Home> {
  const clock = new SimulatedClock(morning);
  const hub = openTestKernel({ clock, ...more });
  const id = await hub.accept({ type: "CREATE_HUB", name: "Home", timezone: "Europe/Helsinki" });
  await hub.accept({ type: "SET_FEATURES", id, features: on });
  const logger = createLogger("silent");
  const notes = new Notes(hub.kernel, clock, logger);
  const source = new Simulated(isNear, () => clock.wall());
  const host = { kernel: hub.kernel, clock, notes, logger, hubId: id, random: () => 0 };
  const feed = new PriceFeed({ source: "x", publishedHour: 14 }, source, host);
  return { ...hub, id, source, feed };
}

const known = ({ kernel, id }: Home): number => kernel.get("price", id)?.slots.length ?? 0;
const alarm = ({ kernel, id }: Home): string => {
  const { closed, facts } = kernel.get("alarm", alarmId("PRICES_MISSING", id)) ?? {};
  if (closed === undefined) return "none";
  return closed ? "closed" : `open: ${facts?.["detail"]}`;
};

describe("an address", () => {
  test("is asked when no price is known for now, then for tomorrow after the published hour", async () => {
    const hub = await home();
    hub.source.says = days(21, 1);
    hub.feed.start();
    await hub.clock.pass(4 * hour - minute);
    assert.deepEqual([hub.source.asked.length, known(hub)], [1, 96]);
    hub.source.says = days(22, 1);
    await hub.clock.pass(2 * minute);
    assert.deepEqual([hub.source.asked.length, known(hub)], [2, 192]);
    await hub.clock.pass(20 * hour);
    assert.equal(hub.source.asked.length, 2, "until the day after tomorrow is published");
    await hub.clock.pass(5 * hour);
    assert.ok(hub.source.asked.length > 2);
    hub.feed.stop();
  });

  test("is asked with growing pauses while it has nothing new", async () => {
    const hub = await home();
    hub.source.says = days(21, 1);
    hub.feed.start();
    await hub.clock.pass(4 * hour);
    const before = hub.source.asked.length;
    hub.source.says = undefined;
    await hub.clock.pass(4 * hour);
    const times = hub.source.asked.slice(before);
    const waits = times.slice(1).map((at, n) => at - (times[n] ?? 0));
    assert.ok(waits.length >= 3, waits.join());
    assert.ok(
      waits.every((ms, n) => ms >= (waits[n - 1] ?? 0) && ms <= limits.priceRetryMaxMs + minute),
      waits.join(),
    );
    assert.equal(waits.at(-1), limits.priceRetryMaxMs);
    hub.feed.stop();
  });
});

test("checks a file all the time, and keeps the known prices when it turns bad", async () => {
  const hub = await home({ isNear: true });
  hub.source.says = days(21, 2);
  hub.feed.start();
  await hub.clock.pass(minute);
  assert.equal(known(hub), 192);
  for (const bad of [
    new PriceProblem("prices.json holds no JSON"),
    { area: "FI" },
    [days(21, 2, 5), days(22, 1, 5)],
    [days(21, 1), { ...days(21, 1), currency: "SEK" }],
  ]) {
    hub.source.says = bad;
    await hub.clock.pass(2 * minute);
    assert.equal(known(hub), 192);
    assert.equal(hub.kernel.get("price", hub.id)?.slots[0]?.price, 1);
  }
  assert.equal(hub.source.forgotten, 0);
  hub.source.says = days(21, 2, 7);
  await hub.clock.pass(2 * minute);
  assert.equal(hub.kernel.get("price", hub.id)?.slots[0]?.price, 7);
  hub.feed.stop();
});

test("reads prices again when they could not be stored", async () => {
  const hub = await home({ isNear: true });
  hub.kernel.suspend("the disk is full");
  hub.source.says = days(21, 2);
  hub.feed.start();
  await hub.clock.pass(2 * minute);
  assert.deepEqual([known(hub), hub.source.forgotten > 0], [0, true]);
  hub.kernel.resume();
  await hub.clock.pass(2 * minute);
  assert.equal(known(hub), 192);
  hub.feed.stop();
});

test("reads nothing without the feature or without a trusted clock", async () => {
  for (const options of [{ on: [] }, { more: { timeTrusted: () => false } }]) {
    const hub = await home(options);
    hub.source.says = days(21, 1);
    hub.feed.start();
    await hub.clock.pass(24 * hour);
    assert.deepEqual([hub.source.asked.length, known(hub), alarm(hub)], [0, 0, "none"]);
    hub.feed.stop();
  }
});

test("raises an alarm when tomorrow's prices are late, once a day, and closes it when they arrive", async () => {
  const hub = await home();
  hub.source.says = days(21, 1);
  hub.feed.start();
  await hub.clock.pass(2 * hour);
  hub.source.says = new PriceProblem("the source of prices answered 500");
  await hub.clock.pass(2 * hour + limits.pricesLateMs - 2 * minute);
  assert.equal(alarm(hub), "none");
  await hub.clock.pass(3 * minute);
  assert.equal(alarm(hub), "open: the source of prices answered 500");
  await hub.accept({ type: "CLOSE_ALARM", id: alarmId("PRICES_MISSING", hub.id) });
  await hub.clock.pass(2 * hour);
  assert.equal(alarm(hub), "closed", "whoever has closed it knows");
  await hub.clock.pass(24 * hour);
  assert.equal(alarm(hub), "open: the source of prices answered 500");
  hub.source.says = days(22, 2);
  await hub.clock.pass(2 * hour);
  assert.equal(alarm(hub), "closed");
  hub.feed.stop();
});

test("gives the date and minutes of a local day in summer, in winter and at clock changes", () => {
  const zone = "Europe/Helsinki";
  assert.deepEqual(localDay(morning, zone), { date: "2026-11-21", minutes: 600 });
  assert.deepEqual(localDay(Date.UTC(2026, 6, 1, 21), zone), { date: "2026-07-02", minutes: 0 });
  assert.deepEqual(localDay(Date.UTC(2026, 2, 29, 1), zone), { date: "2026-03-29", minutes: 240 });
  assert.deepEqual(localDay(Date.UTC(2026, 11, 31, 23), "UTC"), { date: "2026-12-31", minutes: 1380 });
});

test("knows tomorrow when the prices reach its noon, whatever the time and the length of the days", () => {
  for (const [change, zone] of [
    [Date.UTC(2026, 2, 29), "Europe/Helsinki"],
    [Date.UTC(2026, 9, 25), "Europe/Helsinki"],
    [Date.UTC(2026, 10, 21), "America/St_Johns"],
    [Date.UTC(2026, 11, 31), "Pacific/Auckland"],
  ] as const) {
    for (let now = change - 36 * hour; now < change + 36 * hour; now += 3 * hour) {
      const today = localDay(now, zone).date;
      const slots = (from: number, count: number) =>
        Array.from({ length: count * 4 }, (_, n) => {
          const start = from + n * limits.priceSlotMs;
          return { start, end: start + limits.priceSlotMs, price: 1 };
        });
      const all = slots(now - 6 * hour, 60);
      const todays = all.filter(({ start }) => localDay(start, zone).date <= today);
      assert.equal(knowsTomorrow(todays, now, zone), false, `${zone} ${now}`);
      assert.equal(knowsTomorrow(all, now, zone), true, `${zone} ${now}`);
    }
  }
});
