import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { ClaimWindow } from "./claim-window.ts";

test("a board may be claimed for half an hour after its start, and again when the window is opened", () => {
  const clock = new SimulatedClock();
  const window = new ClaimWindow(clock, {}, randomBytes);
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
  const window = new ClaimWindow(clock, {}, randomBytes);
  clock.stepWall(limits.claimWindowMs * 2);
  assert.equal(window.closed(), undefined);
});

test("a trial hub may be claimed at any time", () => {
  const clock = new SimulatedClock();
  const window = new ClaimWindow(clock, { trial: true }, randomBytes);
  clock.advance(limits.claimWindowMs * 2);
  assert.equal(window.closed(), undefined);
});

test("only the code of this window claims the hub, however it is typed", () => {
  const window = new ClaimWindow(new SimulatedClock(), {}, randomBytes);
  const { code } = window;
  assert.match(code, /^[BCDFGHJKLMNPQRSTVWXZ]{7}$/);
  for (const typed of [code, code.toLowerCase(), `${code.slice(0, 3)}-${code.slice(3)} `])
    assert.equal(window.wrongCode(typed), undefined);
  for (const typed of ["", code.slice(1), `${code}B`, "ÄÖÅ", "BCDFGHJ".repeat(9)])
    assert.equal(window.wrongCode(typed)?.status, 403, typed);
  window.open();
  assert.notEqual(window.code, code);
  assert.equal(window.wrongCode(code)?.status, 403);
});

test("too many wrong codes end the code, until the window is opened again", () => {
  const window = new ClaimWindow(new SimulatedClock(), {}, randomBytes);
  for (let tries = 0; tries < limits.setupTries; tries++)
    assert.match(window.wrongCode("A")?.message ?? "", /not the code/);
  assert.match(window.wrongCode(window.code)?.message ?? "", /ledge claim open/);
  window.open();
  assert.equal(window.wrongCode(window.code), undefined);
});

test("tells how long the window stays open", () => {
  const clock = new SimulatedClock();
  const window = new ClaimWindow(clock, {}, randomBytes);
  clock.advance(1000);
  assert.equal(window.openForMs(), limits.claimWindowMs - 1000);
  clock.advance(limits.claimWindowMs);
  assert.equal(window.openForMs(), 0);
});
