import assert from "node:assert/strict";
import { test } from "node:test";
import { holdsPolls, nextPoll, nextRetry, pace } from "./pace.ts";

test("asks a hub that holds polls again at once, any other every 2 s, sooner after a command", () => {
  assert.equal(nextPoll(true, Infinity), 0);
  assert.equal(nextPoll(false, Infinity), pace.idle);
  assert.equal(nextPoll(undefined, pace.soonFor), pace.idle);
  assert.equal(nextPoll(false, pace.soonFor - 1), pace.soon);
});

test("learns from idle answers alone whether the hub holds polls", () => {
  assert.equal(holdsPolls(undefined, 25_000, true), true);
  assert.equal(holdsPolls(true, 3, true), false);
  assert.equal(holdsPolls(undefined, 3, false), undefined);
  assert.equal(holdsPolls(true, 3, false), true);
});

test("retries after 0.25 s, doubles up to 10 s, and spreads the clients of a hub that is back", () => {
  assert.deepEqual(
    [1, 2, 3, 6, 7, 5000].map((failures) => nextRetry(failures, 0)),
    [250, 500, 1000, 8000, 10_000, 10_000],
  );
  assert.equal(nextRetry(1, 1), 125);
});
