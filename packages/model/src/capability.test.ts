import assert from "node:assert/strict";
import { test } from "node:test";
import { isWellFormed } from "@ledge/testkit";
import type { PulseTimes } from "./capability.ts";
import { attribute, attributes, capabilities, deviceClasses, pulseTimes } from "./capability.ts";

test("each capability is listed once, and attributes name only known capabilities", () => {
  assert.equal(new Set(capabilities).size, capabilities.length);
  const known = new Set<string>(capabilities);
  for (const [name, { settableBy }] of Object.entries(attributes)) {
    for (const capability of settableBy) assert.ok(known.has(capability), `${name}: ${capability}`);
  }
});

test("has the 41 capabilities of the wire facts and those of hub-api 2.5", () => {
  const seen =
    "ACTIVE_POWER ALERT BASS BATTERY_U BRIGHTNESS COLOR_HS COLOR_LOOP COLOR_TEMP CONTACT CONTROL_LIGHT CONTROL_POWER " +
    "DEVICE DIMMER_CONTROL GENERATE_ALERT HUE_SWITCH HUMIDITY IDENTIFY IKEA_RC LOUDNESS LUX MEASURE_POWER MOISTURE " +
    "MOTION MUTE NEXT ON_OFF PAUSE PLAY PREVIOUS PUSH_NOTIFICATION REMOTE_CONTROL SEEK SMOKE STOP TEMPERATURE " +
    "TRANSITION TREBLE TWILIGHT UPGRADE USER_PRESENCE VOLUME SELF_MOTION CONFIGURABLE SIGNAL VOX NOX PM25";
  const known = new Set<string>(capabilities);
  assert.deepEqual(
    seen.split(" ").filter((name) => !known.has(name)),
    [],
  );
});

test("the fixed keys of each class are attributes with valid values or null", () => {
  const states = Object.values(deviceClasses).map(({ state }) => state);
  assert.equal(new Set(states).size, states.length, "the state's type identifies the class");
  for (const [type, { state, keys }] of Object.entries(deviceClasses)) {
    assert.match(state, /^STATE_[A-Z0-9_]+$/);
    for (const [name, value] of Object.entries(keys)) {
      const declared = attribute(name);
      assert.ok(declared, `${type}.${name}`);
      assert.ok(value === null || isWellFormed(declared.value, value), `${type}.${name}`);
    }
  }
});

test("the times of pulses are attributes that hold times", () => {
  for (const [name, times] of Object.entries(pulseTimes) as [string, PulseTimes][]) {
    assert.equal(attribute(name)?.cadence, "pulse");
    for (const time of Object.values(times)) {
      const declared = attribute(time);
      assert.ok(declared && isWellFormed(declared.value, 1_768_471_200_000), time);
      assert.ok(!isWellFormed(declared.value, true), time);
    }
  }
});

test("attribute() looks up names from outside safely", () => {
  assert.equal(attribute("isOn"), attributes.isOn);
  for (const name of ["", "colour", "constructor", "__proto__", "toString"])
    assert.equal(attribute(name), undefined);
});

for (const [name, good, bad] of [
  ["brightness", [0, 0.5, 1], [-0.1, 1.1, "1", null, NaN]],
  ["hue", [0, 6.28, -1], [-0.5, 6.3, -2]],
  ["saturation", [0, 1, -1], [2, -0.5]],
  ["colorMode", ["hs", "ct"], ["xy", 1, null]],
  ["humidity", [0, 100], [-1, 101]],
  ["targetTemp", [-50, 21.5, 150], [-51, 151, "21"]],
  ["mode", [0, 6], [7, -1, 1.5]],
  ["preset", [0, 2], [3]],
  ["fanMode", [0, 6], [7]],
  ["tiltPct", [0, 100], [101]],
  ["position", [0, 1], [1.5]],
  ["stop", [true], [false, 1, null]],
  ["button", [0, 5], [-1, 1.5, null]],
  ["modifiers", [[], ["longpress"]], [[1], "stop", Array.from({ length: 9 }, () => "a")]],
  [
    "rcData",
    [{ volume: 0 }, { mute: null }, { bass: -10, treble: 10 }],
    [{ volume: 101 }, { bass: 11 }, { mute: 1 }, 5],
  ],
  ["lastMotion", [0, 1_768_471_200_000], [-1, 0.5, null]],
] as const) {
  test(`${name} has limits`, () => {
    const { value } = attributes[name];
    for (const one of good) assert.ok(isWellFormed(value, one), JSON.stringify(one));
    for (const one of bad) assert.ok(!isWellFormed(value, one), JSON.stringify(one));
  });
}
