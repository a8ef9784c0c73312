import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { type Pace, type Place, Places } from "./places.ts";

const bounds = {
  egressAtOnce: 2,
  egressNewAtOnce: 2,
  egressSlowAtOnce: 2,
  egressFailingAtOnce: 2,
  egressOverdueAtOnce: 3,
  egressOverdueBytes: 100,
};

/** Places, and how many have got one. */
function crowd() {
  const places = new Places(bounds);
  const entered: Place[] = [];
  /** Lets so many ask for a place. @returns how many have one then, of all */
  const enter = async (pace: Pace, count = 1): Promise<number> => {
    for (let left = count; left > 0; left--)
      void places.enter(pace).then((place) => void entered.push(place));
    await setImmediate();
    return entered.length;
  };
  const at = (index: number): Place => entered[index] ?? assert.fail("no place");
  return { enter, at };
}

test("receivers wait for those of their own pace only", async () => {
  const { enter, at } = crowd();
  assert.equal(await enter("failing", 9), 2);
  assert.equal(await enter("slow", 9), 4);
  assert.equal(await enter("new", 9), 6);
  assert.equal(await enter("quick", 9), 8);
  at(0).leave();
  assert.equal(await enter("quick", 0), 9);
});

test("a request that is overdue lets another have its place, as long as not too many are", async () => {
  const { enter, at } = crowd();
  assert.equal(await enter("quick", 9), 2);
  at(0).overdue(10);
  at(0).overdue(10);
  assert.equal(await enter("quick", 0), 3);
  at(1).overdue(10);
  at(2).overdue(10);
  assert.equal(await enter("quick", 0), 5);
  at(3).overdue(10);
  assert.equal(await enter("quick", 0), 5);
  // One that was overdue has nobody waiting for its place, but leaves room for another that is overdue.
  at(0).leave();
  assert.equal(await enter("quick", 0), 5);
  at(3).overdue(10);
  assert.equal(await enter("quick", 0), 6);
  at(3).leave();
  at(4).leave();
  assert.equal(await enter("quick", 0), 7);
});

test("what overdue requests keep is bounded, too", async () => {
  const { enter, at } = crowd();
  assert.equal(await enter("new", 9), 2);
  at(0).overdue(60);
  at(1).overdue(41);
  assert.equal(await enter("new", 0), 3);
  at(1).overdue(40);
  assert.equal(await enter("new", 0), 4);
  at(0).leave();
  at(2).overdue(60);
  assert.equal(await enter("new", 0), 5);
});

test("a place that is known to be kept for long is not left early", async () => {
  const { enter, at } = crowd();
  for (const pace of ["slow", "failing"] as const) await enter(pace, 2);
  for (let index = 0; index < 4; index++) at(index).overdue(1);
  assert.equal(await enter("slow", 1), 4);
});
