import assert from "node:assert/strict";
import { test } from "node:test";
import type { Controlled } from "../controls/registry.ts";
import { isLit, mainAttribute, summaryOf } from "./summary.ts";

function device(type: string, state: Controlled["state"]): Controlled {
  return { type, capabilities: { values: [] }, state };
}

const summaries: readonly [type: string, state: Controlled["state"], summary: string][] = [
  ["LIGHT", { isOn: true, brightness: 0.65, temperature: 2900 }, "On, 65\u202f%"],
  ["LIGHT", { isOn: false, brightness: 0.65, temperature: 2900, activePower: 0.4 }, "Off"],
  ["MULTI_SENSOR", { temperature: 21, humidity: 42.5, battery: 41 }, "21\u202f°C, 43\u202f%"],
  ["CONTACT", { open: true, batteryV: 3 }, "Open"],
  ["MOTION", { motion: false, lux: 3, temperature: 20 }, "No motion, 20\u202f°C"],
  ["THERMOSTAT", { targetTemperature: 20.5, temperature: 19 }, "19\u202f°C, set to 20.5\u202f°C"],
  ["THERMOSTAT", { targetTemperature: 20.5, humidity: 40 }, "set to 20.5\u202f°C, 40\u202f%"],
  ["BLINDS", { position: 1 }, "Open"],
  ["BLINDS", { position: 0 }, "Closed"],
  ["BLINDS", { position: 0.4 }, "40\u202f% open"],
  ["LIGHT", { reachable: false, isOn: true }, "out of reach"],
  ["CO2_SENSOR", { co2Ppm: null }, ""],
  ["REMOTE_CONTROL", {}, ""],
  ["ALARM_DEVICE", { isOn: false, sirenOn: false }, "Off"],
];
for (const [type, state, summary] of summaries) {
  test(`says "${summary}" of ${JSON.stringify(state)}`, () => {
    assert.equal(summaryOf(device(type, state)), summary);
  });
}

test("says what a device was told until it reports", () => {
  assert.equal(summaryOf(device("LIGHT", { isOn: false }), { isOn: true }), "On");
  assert.equal(isLit(device("LIGHT", { isOn: false }), { isOn: true }), true);
  assert.equal(isLit(device("LIGHT", { isOn: true }), { isOn: false }), false);
  assert.equal(isLit(device("LIGHT", { isOn: true }), { brightness: 0.5 }), true);
  assert.equal(isLit(device("LIGHT", {}), {}), false);
});

test("knows which attribute says most of a device", () => {
  const of = (type: string, state: Controlled["state"]) => mainAttribute(device(type, state));
  assert.equal(of("LIGHT", { reachable: true, temperature: 2900, brightness: 1, isOn: true }), "isOn");
  assert.equal(of("LIGHT", { reachable: false, isOn: true }), "reachable");
  assert.equal(of("LOCK", { locked: false, isOn: null }), "locked");
  assert.equal(of("LIGHT", { temperature: 2900 }), undefined);
  assert.equal(of("REMOTE_CONTROL", { button: 1 }), undefined);
});
