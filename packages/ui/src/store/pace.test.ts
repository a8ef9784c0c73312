import assert from "node:assert/strict";
import { test } from "node:test";
import { createBreath, createBudget, nextPoll, nextRetry, pace } from "./pace.ts";

test("asks again at once, but after 2 s where the hub holds no polls, sooner after a command", () => {
  assert.equal(nextPoll(25_000, true, Infinity), 0);
  assert.equal(nextPoll(3, false, Infinity), 0);
  assert.equal(nextPoll(3, true, pace.soonFor), pace.idle);
  assert.equal(nextPoll(3, true, pace.soonFor - 1), pace.soon);
});

test("lets two pages of a user ask a hub that always has news within the limit of a user", () => {
  const place = createBudget(pace.burst, pace.every);
  let [now, asked] = [0, 0];
  for (; now < 60_000; asked++) now += Math.max(1, place(now));
  assert.ok(asked > pace.burst && 2 * asked < 600, `${asked}`);
  assert.ok(place(now) > 0);
  assert.equal(place(now + pace.burst * pace.every), 0, "after a rest");
});

test("keeps its pace after many polls that waited for no place", () => {
  const place = createBudget(pace.burst, pace.every);
  for (let hurried = 0; hurried < 200; hurried++) place(0);
  assert.equal(place(0), pace.every);
});

test("gives the page a turn once it has worked for 8 ms, and then for 8 ms none", async () => {
  let [now, turns] = [0, 0];
  const breathe = createBreath(
    () => now,
    async () => void turns++,
  );
  await breathe();
  now = 7;
  assert.deepEqual([breathe(), turns], [undefined, 1]);
  now = 8;
  await breathe();
  assert.equal(turns, 2);
});

test("retries after 0.25 s, doubles up to 10 s, and spreads the clients of a hub that is back", () => {
  assert.deepEqual(
    [1, 2, 3, 6, 7, 5000].map((failures) => nextRetry(failures, 0)),
    [250, 500, 1000, 8000, 10_000, 10_000],
  );
  assert.equal(nextRetry(1, 1), 125);
});
