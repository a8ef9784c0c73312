import assert from "node:assert/strict";
import { test } from "node:test";
import { isYoung, linesOf, shownCommands } from "./what-if.ts";

const motion = { device: "sensor", attribute: "motion", value: true };

test("lists what a rule would have told devices and why, without the time that a lamp takes", () => {
  const attributes = { isOn: true, brightness: 0.5, transitionMsec: 400 };
  const line = { at: 5, device: "lamp", because: motion, isLate: false };
  assert.deepEqual(linesOf([{ at: 5, device: "lamp", attributes, because: motion }]), [
    { ...line, attribute: "isOn", value: true },
    { ...line, attribute: "brightness", value: 0.5 },
  ]);
});

test("says what a timer goes back to, and that nothing led to a rule's beginning", () => {
  const off = { at: 5, device: "lamp", attributes: { isOn: false } };
  const shown = { at: 5, device: "lamp", attribute: "isOn", value: false };
  const because = { ...motion, timer: "timeout" };
  assert.deepEqual(linesOf([{ ...off, because }]), [{ ...shown, because: motion, isLate: true }]);
  assert.deepEqual(linesOf([{ ...off, because: {} }, off]), [
    { ...shown, because: null, isLate: false },
    { ...shown, because: null, isLate: false },
  ]);
});

test("lists the first commands only", () => {
  const commands = Array.from({ length: shownCommands + 5 }, (_, at) => ({
    at,
    device: "lamp",
    attributes: { isOn: true },
  }));
  assert.equal(linesOf(commands).length, shownCommands);
  assert.deepEqual(linesOf([]), []);
});

test("says that a hub is young while it knows less than six days of a home", () => {
  const dayMs = 86_400_000;
  assert.equal(isYoung({ from: 0, to: 6 * dayMs - 1 }), true);
  assert.equal(isYoung({ from: 0, to: 6 * dayMs }), false);
});
