import assert from "node:assert/strict";
import { test } from "node:test";
import { newsOf, shownOf, shows } from "./evidence.ts";

const wanted = { isOn: true, brightness: 0.5, hue: -1, transitionMsec: 400 };

test("a device is to show what it is told, and not how or what sets nothing", () => {
  assert.deepEqual(shownOf(wanted), ["isOn", "brightness"]);
});

test("news is what it does not show yet, as far as values mean the same", () => {
  assert.deepEqual(newsOf(wanted, { isOn: true, brightness: 0.2 }), ["brightness"]);
  assert.deepEqual(newsOf(wanted, { isOn: true, brightness: 0.498 }), []);
  assert.deepEqual(newsOf(wanted, {}), ["isOn", "brightness"]);
});

for (const [what, names, said, before, expected] of [
  ["what it was told", ["isOn"], { isOn: true }, { isOn: false }, true],
  ["what was before", ["isOn"], { isOn: false }, { isOn: false }, false],
  ["something else", ["isOn"], { brightness: 0.5 }, { isOn: false }, false],
  ["a value as rounded", ["brightness"], { brightness: 0.502 }, {}, true],
  ["another value", ["brightness"], { brightness: 0.6 }, {}, false],
  ["a value on the way", ["brightness"], { brightness: 0.3 }, { brightness: 0.2 }, true],
  ["a value on the way back", ["brightness"], { brightness: 0.1 }, { brightness: 0.2 }, false],
  ["one of two", ["isOn", "brightness"], { isOn: true }, { brightness: 0.2 }, false],
  ["both of two", ["isOn", "brightness"], { isOn: true, brightness: 0.5 }, {}, true],
] as const) {
  test(`who says ${what} has ${expected ? "" : "not "}taken it`, () => {
    assert.equal(shows(names, said, wanted, before), expected);
  });
}

test("hues are near across zero, temperatures in mired", () => {
  assert.ok(shows(["hue"], { hue: 6.27 }, { hue: 0.01 }, {}));
  assert.ok(shows(["temperature"], { temperature: 2710 }, { temperature: 2700 }, {}));
  assert.ok(!shows(["temperature"], { temperature: 3000 }, { temperature: 2700 }, {}));
});
