// What devices came to by hour, day and month, over HTTP. The hub's clock runs ahead on request.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { SummedHistory } from "@ledge/api";
import { type Command, limits } from "@ledge/model";
import { addLamp } from "@ledge/testkit";
import { bareProfile, eventually, temporaryFolder } from "../testdata/hub-process.ts";
import { OpenHub } from "../testdata/open-hub.ts";
import { HourlyMeter, hourMs } from "./testdata/hourly-meter.ts";

const folder = temporaryFolder();
let hub: OpenHub;
let key = "";
let meter = "";
let ahead = 0;
/** The beginning of an hour some time after the hub was made. */
let hour = 0;

const clock = (): number => Date.now() + ahead;
const run = async (command: object): Promise<string> => {
  const done = await hub.hub.kernel.submit({ commands: [command as Command], origin: "system" });
  assert.ok(done.accepted, JSON.stringify(done));
  const [result] = done.results;
  return result !== undefined && "id" in result ? (result.id ?? "") : "";
};
/** Reports what the meter and the lamp say at a time (ms). */
const report = async (at: number, attributes: object): Promise<void> => {
  ahead = at - Date.now();
  await run({ type: "REPORT_DEVICE", id: meter, attributes, at });
};
const ask = async (body: object): Promise<{ status: number; json: unknown }> =>
  hub.call("POST", "/devices/history", key, body);
const sums = async (body: object): Promise<SummedHistory> =>
  eventually("an answer", async () => {
    const { status, json } = await ask(body);
    if (status === 429 || status === 503) return undefined;
    assert.equal(status, 200, JSON.stringify(json));
    return json as SummedHistory;
  });

before(async () => {
  const profile = bareProfile(folder.path, { history: false });
  hub = await OpenHub.open({
    folder: folder.path,
    profile,
    cloud: "http://127.0.0.1:9",
    ahead: () => ahead,
  });
  key = await hub.recoveredKey("owner@localhost");
  await hub.call("PUT", "/hub/tz?timezone=Asia/Kolkata", key);
  meter = await run({ ...addLamp(), capabilities: ["DEVICE", "ON_OFF", "POWER_CONSUMPTION"] });
  // An hour of Kolkata begins at half past.
  hour = Math.ceil(clock() / hourMs) * hourMs + hourMs / 2;
  await report(hour - 60_000, { totalPower: 100 });
  const slots = [
    { start: hour, end: hour + hourMs / 4, price: 0.1 },
    { start: hour + hourMs / 4, end: hour + hourMs / 2, price: -0.2 },
  ];
  const market = { area: "FI", currency: "EUR", unit: "kWh" };
  await run({ type: "SET_PRICES", id: hub.hub.hubId, ...market, slots });
  await report(hour + 60_000, { totalPower: 103 });
  await report(hour + hourMs / 4 + 60_000, { totalPower: 104 });
  await report(hour + hourMs / 2 + 60_000, { totalPower: 109 });
  await report(hour + hourMs + 60_000, { totalPower: 110, activePower: 500 });
  await report(hour + 2 * hourMs, { activePower: 0 });
});
after(async () => {
  await hub.close();
  folder.remove();
});

const series = (...attributes: readonly string[]): object[] =>
  attributes.map((attribute) => ({ deviceId: meter, attribute }));

test("sums up by the hour of the hub's zone, and prices each quarter as it was then", async () => {
  const found = await sums({
    series: series("totalPower", "activePower", "isOn"),
    bucket: "hour",
    from: hour,
    to: hour + 2 * hourMs - 1,
    prices: true,
  });
  assert.deepEqual([found.timezone, found.bucket, found.currency], ["Asia/Kolkata", "hour", "EUR"]);
  assert.deepEqual([found.starts, found.end], [[hour, hour + hourMs], hour + 2 * hourMs]);
  const [meters, power, switches] = found.series;
  const [first, second] = meters?.points ?? [];
  assert.deepEqual([first?.first, first?.last, first?.count, first?.kWh], [100, 109, 3, 9]);
  // 3 kWh at 0.1, 1 kWh at -0.2, and 5 kWh without a price.
  assert.ok(Math.abs((first?.cost ?? 0) - (0.3 - 0.2)) < 1e-9, JSON.stringify(first));
  assert.equal(first?.unpriced, 5);
  assert.deepEqual([second?.kWh, second?.cost, second?.unpriced], [1, null, 1]);
  assert.equal(power?.points[0], null);
  assert.ok(Math.abs((power?.points[1]?.kWh ?? 0) - 0.5 * (59 / 60)) < 1e-9);
  assert.deepEqual(switches?.points[1]?.kWh ?? null, null);
});

test("sums up by the day and the month, without prices unless they are asked for", async () => {
  for (const bucket of ["day", "month"]) {
    const found = await sums({ series: series("totalPower"), bucket, from: hour, to: hour + 2 * hourMs });
    assert.equal(found.currency, null);
    const points = found.series[0]?.points.filter((point) => point !== null) ?? [];
    const kWh = points.reduce((sum, point) => sum + (point.kWh ?? 0), 0);
    // The first report of all is no rise.
    assert.equal(kWh, 10, bucket);
    assert.equal(points[0]?.cost, null);
  }
});

test("refuses what is too much, turned around, ahead, unknown, or not for the caller", async () => {
  const one = { series: series("totalPower"), bucket: "day", from: hour };
  const many = Array.from({ length: limits.historySeries + 1 }, () => one.series[0]);
  for (const [body, status, message] of [
    [{ ...one, series: [] }, 422, /series/],
    [{ ...one, series: many }, 422, /series/],
    [{ ...one, bucket: "week" }, 422, /bucket/],
    [{ ...one, to: hour - 1 }, 422, /behind to/],
    [{ ...one, from: clock() + hourMs }, 422, /lies ahead/],
    [
      { ...one, bucket: "hour", from: hour - limits.historySpans * hourMs, to: hour },
      422,
      /more than 800 hours/,
    ],
    [{ ...one, from: hour - 200 * 24 * hourMs, to: hour, prices: true }, 422, /quarters of an hour/],
    [{ ...one, series: [{ deviceId: "gone", attribute: "x" }] }, 404, /no device gone/],
  ] as const) {
    const answer = await eventually("an answer", async () => {
      const found = await ask(body);
      return found.status === 429 ? undefined : found;
    });
    assert.equal(answer.status, status, JSON.stringify([body, answer.json]));
    assert.match(JSON.stringify(answer.json), message);
  }
});

/** Returns the beginning of the next month of Kolkata that has 31 days. */
function longMonth(): number {
  const zoneMs = 5.5 * hourMs;
  for (let date = new Date(clock() + zoneMs); ;) {
    date = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1));
    const end = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
    if (end - date.getTime() === 31 * 24 * hourMs) return date.getTime() - zoneMs;
  }
}

test("a month of a meter that is read by the hour is summed up, and why names a reading", async () => {
  const month = longMonth();
  const hours = 31 * 24;
  const offset = 5 * 60_000;
  // What is counted in each hour: more in the evening, and more as the month goes on.
  const countedIn = (index: number): number => (index % 24 >= 18 ? 3 : 1) + Math.floor(index / 24 / 7);
  const heat = await run({ ...addLamp("Heat", "heat"), capabilities: ["DEVICE", "POWER_METER"] });
  const store = async (index: number, attributes: object): Promise<void> => {
    const at = month + index * hourMs + offset;
    ahead = at - Date.now();
    await run({ type: "REPORT_DEVICE", id: heat, attributes, at });
  };
  let kwh = 1000;
  const hourly = await HourlyMeter.start(month - hourMs + offset, kwh);
  await store(-1, (await hourly.first).attributes);
  for (let index = 0; index < hours; index++) {
    kwh += countedIn(index);
    await store(index, (await hourly.read(kwh)).attributes);
  }
  await hourly.stop();
  // A key does not last for two months.
  key = await hub.recoveredKey("owner@localhost");
  const counted = Array.from({ length: hours }, (_, index) => countedIn(index));
  const total = (some: readonly number[]): number => some.reduce((sum, each) => sum + each, 0);
  const risesBy = async (bucket: string): Promise<unknown> => {
    const asked = { series: [{ deviceId: heat, attribute: "totalPower" }], bucket };
    const found = await sums({ ...asked, from: month, to: month + hours * hourMs - 1 });
    return found.series[0]?.points.map((point) => point?.kWh);
  };
  assert.deepEqual(await risesBy("hour"), counted);
  const days = Array.from({ length: 31 }, (_, day) => total(counted.slice(day * 24, (day + 1) * 24)));
  assert.deepEqual(await risesBy("day"), days);
  assert.deepEqual(await risesBy("month"), [total(counted)]);
  assert.equal(kwh, 1000 + total(counted));

  const query = new URLSearchParams({ id: heat, attribute: "totalPower" });
  const { json } = await hub.call("GET", `/why?${query.toString()}`, key);
  const { value, links } = json as { value: number; links: { type: string; text: string; at: number }[] };
  const last = month + (hours - 1) * hourMs + offset;
  assert.equal(value, kwh);
  const [reading, ...earlier] = links;
  assert.deepEqual([reading?.type, reading?.text], ["DeviceReported", `Heat: now energy ${kwh} kWh`]);
  assert.ok(Math.abs((reading?.at ?? 0) - last) < hourMs / 2, "the last reading");
  assert.deepEqual(earlier, []);
});
