import assert from "node:assert/strict";
import { test } from "node:test";
import { linesOf, shownCommands } from "./what-if.ts";

test("lists what a rule would have told devices, without the time that a lamp takes", () => {
  const attributes = { isOn: true, brightness: 0.5, transitionMsec: 400 };
  assert.deepEqual(linesOf({ commands: [{ at: 5, device: "lamp", attributes }] }), [
    { at: 5, device: "lamp", attribute: "isOn", value: true },
    { at: 5, device: "lamp", attribute: "brightness", value: 0.5 },
  ]);
});

test("lists the first commands only", () => {
  const commands = Array.from({ length: shownCommands + 5 }, (_, at) => ({
    at,
    device: "lamp",
    attributes: { isOn: true },
  }));
  assert.equal(linesOf({ commands }).length, shownCommands);
  assert.deepEqual(linesOf({ commands: [] }), []);
});
