import assert from "node:assert/strict";
import { test } from "node:test";
import { limits, type LoggedEvent, type Origin } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { LogShares } from "./log-shares.ts";

const dayMs = 86_400_000;

function eventOf(type: string, origin: Origin): LoggedEvent {
  const fields = { id: "ada", jti: "x".repeat(1000) };
  return { type, version: 1, origin, depth: 0, ...fields };
}

test("counts only permanent events, sessions included, and renews a share a day after it began", () => {
  const clock = new SimulatedClock();
  const shares = new LogShares(clock);
  const spend = (type: string, origin: Origin = "user:ada"): void =>
    shares.spend(
      origin,
      Array.from({ length: 100 }, () => eventOf(type, origin)),
    );
  const rounds = Math.ceil(limits.accountLogBytesPerDay / 100_000);
  for (let round = 0; round < rounds; round++) {
    spend("HubSeen");
    spend("SessionStarted", "system");
    spend("SessionStarted", "user:bo");
    assert.equal(shares.secondsUntil("ada"), 0);
  }
  clock.advance(1000);
  for (let round = 0; round < rounds; round++) spend("SessionStarted");
  assert.equal(shares.secondsUntil("ada"), dayMs / 1000);
  clock.advance(dayMs - 1000);
  assert.equal(shares.secondsUntil("ada"), 1);
  clock.advance(1000);
  assert.equal(shares.secondsUntil("ada"), 0);
  spend("SessionStarted");
  assert.equal(shares.secondsUntil("ada"), 0, "a new day is a new share");
});
