import assert from "node:assert/strict";
import { test } from "node:test";
import { features } from "@ledge/model";
import { settingsNow } from "./adapter-features.ts";

test("the MQTT adapter hears Bluetooth sensors only with the feature BLE", () => {
  const homeWith = (...codes: readonly number[]): Parameters<typeof settingsNow>[2] =>
    ({ all: () => new Map([["hub", { features: codes }]]) }) as unknown as Parameters<typeof settingsNow>[2];
  const broker = { url: "mqtt://127.0.0.1" };
  const settings = { broker, sources: { ble: ["a/#"], tasmota: "t" } };
  assert.equal(settingsNow("mqtt", settings, homeWith(features.MQTT, features.BLE)), settings);
  assert.deepEqual(settingsNow("mqtt", settings, homeWith(features.MQTT)), {
    broker,
    sources: { tasmota: "t" },
  });
  for (const [protocol, other] of [
    ["mbus", settings],
    ["mqtt", { broker }],
    ["mqtt", null],
    ["mqtt", { sources: 7 }],
  ] as const)
    assert.equal(settingsNow(protocol, other, homeWith()), other);
});
