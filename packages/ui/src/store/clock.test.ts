import assert from "node:assert/strict";
import { test } from "node:test";
import { createHubClock } from "./clock.ts";

test("takes our own clock until the hub has told a time", () => {
  assert.equal(createHubClock().at(1000), 1000);
});

test("takes the answer that was the least late", () => {
  const clock = createHubClock();
  for (const late of [900, 30, 4000]) clock.note(10_000, 60_000 + late);
  assert.equal(clock.at(60_030), 10_000);
});

test("forgets old readings, so that it follows a clock that was set", () => {
  const clock = createHubClock();
  clock.note(0, 10);
  for (let reading = 0; reading < 8; reading++) clock.note(0, 500);
  assert.equal(clock.at(500), 0);
});
