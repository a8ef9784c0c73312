import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { ClaimWindow } from "./claim-window.ts";

test("a board may be claimed for half an hour after its start, and again when the window is opened", () => {
  const clock = new SimulatedClock();
  const window = new ClaimWindow(clock, {});
  clock.advance(limits.claimWindowMs - 1);
  assert.equal(window.closed(), undefined);
  clock.advance(1);
  assert.match(window.closed() ?? "", /30 minutes after its start.+ledge claim open/);
  window.open();
  clock.advance(limits.claimWindowMs - 1);
  assert.equal(window.closed(), undefined);
  clock.advance(1);
  assert.notEqual(window.closed(), undefined);
});

test("a change of the wall clock does not move the window", () => {
  const clock = new SimulatedClock();
  const window = new ClaimWindow(clock, {});
  clock.stepWall(limits.claimWindowMs * 2);
  assert.equal(window.closed(), undefined);
});

test("a trial hub may be claimed at any time", () => {
  const clock = new SimulatedClock();
  const window = new ClaimWindow(clock, { trial: true });
  clock.advance(limits.claimWindowMs * 2);
  assert.equal(window.closed(), undefined);
});
