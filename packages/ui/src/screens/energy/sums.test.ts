import assert from "node:assert/strict";
import { test } from "node:test";
import type { SummedHistory } from "../../api/energy.ts";
import { byTime, csvOf, inAll, joined, meterOf, otherId, powerNow, shares, wholeAndParts } from "./sums.ts";

const point = (kWh: number, cost: number | null = null) => ({
  kWh,
  cost,
  unpriced: cost === null ? kWh : 0,
});
const found: SummedHistory = {
  timezone: "UTC",
  starts: [0, 3_600_000],
  end: 7_200_000,
  currency: "EUR",
  series: [
    { deviceId: "a", attribute: "totalPower", points: [point(1, 0.2), point(2)] },
    { deviceId: "b", attribute: "power", points: [null, point(4, -0.1)] },
  ],
};
const nameOf = (id: string): string => `Device ${id}`;
const device = (id: string): { id: string; name: string } => ({ id, name: nameOf(id) });

test("adds up by time and in all, and tells what had no price", () => {
  assert.deepEqual(byTime(found), [
    { kWh: 1, cost: 0.2, unpriced: 0 },
    { kWh: 6, cost: -0.1, unpriced: 2 },
  ]);
  assert.deepEqual(inAll(found), { kWh: 7, cost: 0.1, unpriced: 2 });
  assert.deepEqual(inAll({ ...found, series: [] }), { kWh: 0, cost: null, unpriced: 0 });
});

test("shares are those of devices or rooms, of all or of one time, the most first", () => {
  const told = (place: number | null): unknown =>
    shares(found, device, place).map(({ id, kWh }) => [id, kWh]);
  assert.deepEqual(told(null), [
    ["b", 4],
    ["a", 3],
  ]);
  assert.deepEqual(told(0), [
    ["a", 1],
    ["b", 0],
  ]);
  const [room, ...others] = shares(found, () => ({ id: "r", name: "Hall" }), null);
  assert.deepEqual([room?.kWh, others], [7, []]);
});

test("the meter of a device is the one that never begins anew, else its power", () => {
  const meter = (state: object): string | undefined => meterOf({ id: "a", state })?.attribute;
  assert.equal(meter({ activePower: 5, powerToday: 1, totalPower: 9 }), "totalPower");
  assert.equal(meter({ activePower: 5, powerToday: 1, totalPower: null }), "powerToday");
  assert.equal(meter({ power: 5 }), "power");
  assert.equal(meter({ isOn: true }), undefined);
  assert.equal(
    powerNow([
      { id: "a", state: { activePower: 5 } },
      { id: "b", state: { power: 2 } },
    ]),
    7,
  );
  assert.equal(powerNow([{ id: "a", state: {} }]), undefined);
});

test("a table for other programs quotes names, and makes no formula of one", () => {
  const table = csvOf(found, (id) => (id === "a" ? '=1+"x"' : "Plug, hall"));
  assert.equal(
    table,
    [
      "device,from,kWh,cost EUR",
      '"\'=1+""x""",1970-01-01T00:00:00.000Z,1.0000,0.2000',
      '"\'=1+""x""",1970-01-01T01:00:00.000Z,2.0000,',
      '"Plug, hall",1970-01-01T00:00:00.000Z,0.0000,',
      '"Plug, hall",1970-01-01T01:00:00.000Z,4.0000,-0.1000',
      "",
    ].join("\r\n"),
  );
});

test("answers about the same hours are joined", () => {
  assert.equal(joined([]), undefined);
  assert.equal(joined([found, found])?.series.length, 4);
});

test("a main meter is the whole, devices are its parts, and the rest is one part more", () => {
  const main = { deviceId: "m", attribute: "totalPower", points: [point(4, 0.8), point(5)] };
  const { whole, parts } = wholeAndParts({ ...found, series: [...found.series, main] }, "m");
  assert.equal(inAll(whole).kWh, 9);
  assert.deepEqual(
    shares(parts, device, null).map(({ id, kWh }) => [id, kWh]),
    [
      ["b", 4],
      ["a", 3],
      [otherId, 3],
    ],
  );
  const other = shares(parts, device, 0).find(({ id }) => id === otherId);
  assert.deepEqual([other?.kWh, other?.cost], [3, 0.6000000000000001]);
  assert.equal(shares(parts, device, 1).find(({ id }) => id === otherId)?.kWh, 0, "the parts say more");
  assert.deepEqual(wholeAndParts(found, undefined), { whole: found, parts: found });
  assert.deepEqual(wholeAndParts(found, "gone"), { whole: found, parts: found });
});

test("the power of a home is that of its main meter", () => {
  const plug = { id: "a", state: { activePower: 5 } };
  assert.equal(powerNow([plug, { id: "m", state: { power: 20 } }], "m"), 20);
  assert.equal(powerNow([plug, { id: "m", state: { totalPower: 20 } }], "m"), 5);
});
