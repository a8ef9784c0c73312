import assert from "node:assert/strict";
import { test } from "node:test";
import { type Controlled, controlsOf, mainControl, valueIn, valuesFor } from "./registry.ts";

function device(values: readonly string[], state: Controlled["state"] = {}): Controlled {
  return { type: "X", capabilities: { values }, state };
}

const kinds: readonly [capabilities: readonly string[], controls: readonly string[]][] = [
  [
    ["DEVICE", "ON_OFF", "BRIGHTNESS"],
    ["switch isOn", "slider brightness"],
  ],
  [
    ["COLOR_TEMP", "COLOR_HS"],
    ["slider temperature", "colour hue"],
  ],
  [["THERMOSTAT", "CONTROL_TEMPERATURE"], ["stepper targetTemperature"]],
  [
    ["AIRCON", "HVAC", "CONTROL_MODE", "FAN_MODE"],
    ["choice mode", "choice fanMode"],
  ],
  [["PLAY", "PAUSE", "NEXT", "SEEK"], ["transport avtData"]],
  [
    ["VU", "VU_FN_FIREPLACE"],
    ["choice mode", "switch fn_fireplace"],
  ],
  [
    ["BLINDS", "LIFT", "TILT"],
    ["cover position", "slider position", "slider tiltPct"],
  ],
  [["ON_OFF", "GENERATE_ALERT"], ["hold sirenOn"]],
  [["LOCK"], ["hold locked"]],
  [
    ["VOLUME", "MUTE"],
    ["slider rcData.volume", "switch rcData.mute"],
  ],
  [["MOTION", "TEMPERATURE", "constructor", "UNKNOWN"], []],
];
for (const [capabilities, expected] of kinds) {
  test(`offers ${expected.join(", ") || "nothing"} for ${capabilities.join(", ")}`, () => {
    const found = controlsOf(device(capabilities)).map(
      ({ kind, attribute, part }) => `${kind} ${attribute}${part === undefined ? "" : `.${part}`}`,
    );
    assert.deepEqual(found, expected);
  });
}

test("an air conditioner has all its modes, and the setpoint that it names", () => {
  const unit = ["AIRCON", "CONTROL_TEMPERATURE"];
  const [mode, setpoint] = controlsOf(device(unit, { targetTemp: 21, mode: 3 }));
  assert.deepEqual(mode, { kind: "choice", attribute: "mode", options: [0, 1, 2, 3, 5, 6] });
  assert.equal(setpoint?.attribute, "targetTemp");
  const both = controlsOf(device(unit, { targetTemp: 21, targetTemperature: 21 }));
  assert.equal(both[1]?.attribute, "targetTemperature");
});

test("offers of a player what it can do, in the order of its buttons", () => {
  const [transport] = controlsOf(device(["NEXT", "PLAY", "SEEK", "PREVIOUS"]));
  assert.deepEqual(transport, {
    kind: "transport",
    attribute: "avtData",
    actions: ["PREVIOUS", "PLAY", "NEXT"],
    canSeek: true,
  });
  assert.partialDeepStrictEqual(controlsOf(device(["PLAY"])), [{ actions: ["PLAY"], canSeek: false }]);
});

test("takes the limits of a lamp's colour temperature from the lamp", () => {
  const [slider] = controlsOf(device(["COLOR_TEMP"], { minTemperature: 2200, maxTemperature: 4000 }));
  assert.deepEqual(slider, { kind: "slider", attribute: "temperature", min: 2200, max: 4000, step: 100 });
});

test("offers a tile the first switch, and none to a device without one or with a siren", () => {
  assert.equal(mainControl(device(["BRIGHTNESS", "ON_OFF"]))?.attribute, "isOn");
  assert.equal(mainControl(device(["ON_OFF", "GENERATE_ALERT"])), undefined);
  assert.equal(mainControl(device(["MOTION"])), undefined);
});

test("reads and writes a field inside a value", () => {
  const [volume] = controlsOf(device(["VOLUME"]));
  assert.ok(volume);
  assert.equal(valueIn({ rcData: { volume: 20 } }, volume), 20);
  assert.equal(valueIn({ rcData: null }, volume), undefined);
  assert.deepEqual(valuesFor(volume, 25), { rcData: { type: "MR_RC_DATA", volume: 25 } });
});
