import assert from "node:assert/strict";
import { test } from "node:test";
import type { Controlled } from "../../controls/registry.ts";
import { wallControls } from "./shown.ts";

function device(type: string, values: readonly string[], state: Controlled["state"] = {}): Controlled {
  return { type, capabilities: { values }, state };
}

const controls: readonly [of: string, Controlled, attributes: readonly string[]][] = [
  [
    "a coloured lamp: switch and brightness",
    device("LIGHT", ["ON_OFF", "COLOR_HS", "COLOR_TEMP", "BRIGHTNESS"]),
    ["isOn", "brightness"],
  ],
  ["a thermostat: the wanted temperature", device("HVAC", ["HVAC", "THERMOSTAT"]), ["targetTemperature"]],
  ["a lock: the button that is held", device("LOCK", ["LOCK"]), ["locked"]],
  ["blinds: their buttons alone", device("BLIND", ["BLINDS", "LIFT"]), ["position"]],
  ["a loudspeaker: its volume", device("AUDIO", ["MUTE", "VOLUME", "BASS"]), ["rcData"]],
  ["a sensor: nothing", device("SENSOR", ["TEMPERATURE", "MOTION"]), []],
];
for (const [of, subject, attributes] of controls) {
  test(`a panel has of ${of}`, () => {
    assert.deepEqual(
      wallControls(subject).map(({ attribute }) => attribute),
      attributes,
    );
  });
}
