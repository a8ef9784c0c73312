import assert from "node:assert/strict";
import { test } from "node:test";
import { shownAttributes } from "./attributes.ts";

test("shows what a reader wants to know of a lamp, once, and no colour of another mode", () => {
  const state = {
    type: "STATE_LIGHT",
    isOn: true,
    transitionMsec: null,
    reachable: true,
    lastSeen: 5,
    brightness: 0.5,
    colorMode: "ct",
    hue: -1,
    saturation: -1,
    temperature: 2900,
    minTemperature: 2000,
    activePower: 4,
    power: 4,
  };
  assert.deepEqual(shownAttributes({ type: "LIGHT", state }), [
    "isOn",
    "reachable",
    "brightness",
    "temperature",
    "activePower",
  ]);
});

test("shows frost for a sensor, and fields that it does not know", () => {
  const state = { temperature: -1, targetTemp: 20, targetTemperature: 20, own_field: "x", rcData: {} };
  assert.deepEqual(shownAttributes({ type: "MULTI_SENSOR", state }), [
    "temperature",
    "targetTemperature",
    "own_field",
  ]);
});
