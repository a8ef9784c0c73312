import assert from "node:assert/strict";
import { test } from "node:test";
import { given, testNow } from "@ledge/testkit";

const note = (state: string, reason: string | null = null) => ({
  type: "NOTE_ADAPTER",
  id: "sim",
  state,
  reason,
});
const started = { type: "AdapterStarted", id: "sim" };
const failed = { type: "AdapterFailed", id: "sim", reason: "crash" };

test("NOTE_ADAPTER notes each start and stop once", () => {
  const stopped = { type: "AdapterStopped", id: "sim" };
  const shown = given().when(note("running")).then([started]).state("adapter", "sim");
  const fresh = {
    id: "sim",
    state: "running",
    reason: null,
    failures: 0,
    dropped: 0,
    values: {},
    timestamp: testNow,
  };
  assert.deepEqual(shown, fresh);
  given([started]).when(note("running")).then([]);
  given([started, stopped]).when(note("stopped")).then([]);
  assert.equal(
    given([started]).when(note("stopped")).then([stopped]).state("adapter", "sim")?.state,
    "stopped",
  );
  given().when(note("stopped")).then([stopped]);
});

test("NOTE_ADAPTER counts failures until the adapter starts again", () => {
  const rested = { type: "AdapterRested", id: "sim", reason: "too often" };
  const again = given([started, failed]).when(note("failed", "crash")).then([failed]).state("adapter", "sim");
  assert.deepEqual([again?.state, again?.reason, again?.failures], ["failed", "crash", 2]);
  const resting = given([failed]).when(note("resting", "too often")).then([rested]).state("adapter", "sim");
  assert.deepEqual([resting?.state, resting?.reason, resting?.failures], ["resting", "too often", 1]);
  const back = given([failed, rested]).when(note("running")).then([started]).state("adapter", "sim");
  assert.deepEqual([back?.state, back?.reason, back?.failures], ["running", null, 1]);
  given()
    .when(note("failed"))
    .then([{ ...failed, reason: "unknown" }]);
  given()
    .when(note("resting"))
    .then([{ ...rested, reason: "unknown" }]);
});

test("NOTE_ADAPTER keeps the reason of a failure for people and for programs", () => {
  const crash = { ...note("failed", "signal SIGSEGV"), failure: "signal" };
  given()
    .when(crash)
    .then([{ ...failed, reason: "signal SIGSEGV", failure: "signal" }]);
  given()
    .when({ ...crash, state: "resting" })
    .then([{ type: "AdapterRested", id: "sim", reason: "signal SIGSEGV", failure: "signal" }]);
});

test("NOTE_DROPPED adds up lost reports", () => {
  const dropped = (count: number) => ({ type: "ReportsDropped", id: "sim", dropped: count });
  const drop = (count: number) => ({ type: "NOTE_DROPPED", id: "sim", dropped: count });
  const after = given([dropped(3)])
    .when(drop(4))
    .then([dropped(4)]);
  assert.equal(after.state("adapter", "sim")?.dropped, 7);
  given().when(drop(0)).then([]);
  given().when(drop(-1)).then([]);
});

test("STORE_VALUE keeps values by key, across restarts of the adapter", () => {
  const stored = (key: string, value: unknown) => ({ type: "AdapterValueStored", id: "sim", key, value });
  const store = (key: string, value?: unknown) => ({ type: "STORE_VALUE", id: "sim", key, value });
  const home = given([stored("a", { n: 1 }), stored("b", 5), started]);
  const after = home.when(store("a", [2])).then([stored("a", [2])]);
  assert.deepEqual(after.state("adapter", "sim")?.values, { a: [2], b: 5 });
  assert.equal(after.state("adapter", "sim")?.state, "running");
  const none = home.when(store("a")).then([stored("a", null)]);
  assert.deepEqual(none.state("adapter", "sim")?.values, { a: null, b: 5 });
});

test("STORE_VALUE accepts any key, even __proto__", () => {
  const stored = { type: "AdapterValueStored", id: "sim", key: "__proto__", value: 1 };
  const after = given().when({ type: "STORE_VALUE", id: "sim", key: "__proto__", value: 1 }).then([stored]);
  assert.deepEqual(Object.entries(after.state("adapter", "sim")?.values ?? {}), [["__proto__", 1]]);
});
