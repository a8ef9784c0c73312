import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { Pace } from "./pace.ts";

const quick = { isQuick: true, hasMore: false, changed: 0 };

test("asks again at once while a hub has news, and after a pause when it answered quickly without any", () => {
  const pace = new Pace(() => 0);
  assert.equal(pace.afterAnswer({ ...quick, changed: 1 }), 0);
  assert.equal(pace.afterAnswer({ ...quick, hasMore: true }), 0);
  assert.equal(pace.afterAnswer({ ...quick, isQuick: false }), 0);
  assert.equal(pace.afterAnswer(quick), limits.changesIdleMs);
  assert.equal(pace.afterAnswer(undefined), limits.changesBackoffMaxMs);
});

test("slows down for a hub that always has more and tells nothing", () => {
  const pace = new Pace(() => 0);
  const more = { ...quick, hasMore: true };
  for (let answers = 0; answers < limits.changesFruitless; answers++) assert.equal(pace.afterAnswer(more), 0);
  assert.equal(pace.afterAnswer(more), limits.changesIdleMs);
  assert.equal(pace.afterAnswer({ ...more, changed: 1 }), 0);
  assert.equal(pace.afterAnswer(more), 0);
});

test("backs off longer with each failure in a row, up to a limit and by chance", () => {
  const { changesBackoffMinMs, changesBackoffMaxMs } = limits;
  const [least, most] = [new Pace(() => 0), new Pace(() => 0.999_999)];
  for (const doubled of [1, 2, 4, 8]) {
    assert.equal(least.afterFailure(), (doubled * changesBackoffMinMs) / 2);
    assert.equal(Math.round(most.afterFailure()), doubled * changesBackoffMinMs);
  }
  for (let failures = 0; failures < 100; failures++) least.afterFailure();
  assert.deepEqual([least.afterFailure(), least.failures], [changesBackoffMaxMs / 2, 105]);
  least.afterAnswer(quick);
  assert.deepEqual([least.failures, least.afterFailure()], [0, changesBackoffMinMs / 2]);
});
