import assert from "node:assert/strict";
import { test } from "node:test";
import { newsOf, shownOf, shows, whenOut } from "./evidence.ts";

const wanted = { isOn: true, brightness: 0.5, hue: -1, transitionMsec: 400 };

test("expects a device to report targets, not modifiers or values that set nothing", () => {
  assert.deepEqual(shownOf(wanted), ["isOn", "brightness"]);
});

test("finds the attributes that a device does not have yet, within the tolerance", () => {
  assert.deepEqual(newsOf(wanted, { isOn: true, brightness: 0.2 }), ["brightness"]);
  assert.deepEqual(newsOf(wanted, { isOn: true, brightness: 0.498 }), []);
  assert.deepEqual(newsOf(wanted, {}), ["isOn", "brightness"]);
});

for (const [what, names, said, before, expected] of [
  ["the wanted value", ["isOn"], { isOn: true }, { isOn: false }, true],
  ["the previous value", ["isOn"], { isOn: false }, { isOn: false }, false],
  ["another attribute", ["isOn"], { brightness: 0.5 }, { isOn: false }, false],
  ["a rounded value", ["brightness"], { brightness: 0.502 }, {}, true],
  ["another value", ["brightness"], { brightness: 0.6 }, {}, false],
  ["a value on the way to the target", ["brightness"], { brightness: 0.3 }, { brightness: 0.2 }, true],
  ["a value away from the target", ["brightness"], { brightness: 0.1 }, { brightness: 0.2 }, false],
  ["one of two", ["isOn", "brightness"], { isOn: true }, { brightness: 0.2 }, false],
  ["both of two", ["isOn", "brightness"], { isOn: true, brightness: 0.5 }, {}, true],
] as const) {
  test(`reporting ${what} does ${expected ? "" : "not "}show that the device accepted the command`, () => {
    assert.equal(shows(names, said, wanted, before), expected);
  });
}

test("compares hues across zero and temperatures in mired", () => {
  assert.ok(shows(["hue"], { hue: 6.27 }, { hue: 0.01 }, {}));
  assert.ok(shows(["temperature"], { temperature: 2710 }, { temperature: 2700 }, {}));
  assert.ok(!shows(["temperature"], { temperature: 3000 }, { temperature: 2700 }, {}));
});

test("a frame is out when one member shows what it wants, although the library has not said so", async () => {
  const [sent, first, second] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<true>(),
    Promise.withResolvers<true>(),
  ];
  const out = whenOut(sent.promise, [first.promise, second.promise]);
  second.resolve(true);
  await out;
  sent.reject(new Error("too late to matter"));
});

test("a frame is out when the library says so, and fails when it could not be sent", async () => {
  const silent = [new Promise<true>(() => {})];
  await whenOut(Promise.resolve(), silent);
  await assert.rejects(whenOut(Promise.reject(new Error("BUFFER_FULL")), silent), /BUFFER_FULL/);
});
