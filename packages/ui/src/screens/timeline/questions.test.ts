import assert from "node:assert/strict";
import { test } from "node:test";
import { attributeOf } from "./questions.ts";

const object = { kind: "device", id: "lamp", name: "Lamp" };

test("asks about the first value of a report that is news", () => {
  const change = { lastSeen: 5, extras: {}, isOn: true, brightness: 1 };
  assert.equal(attributeOf({ type: "DeviceReported", object, change }), "isOn");
  assert.equal(attributeOf({ type: "DeviceReported", object, change: { lastSeen: 5 } }), undefined);
});

test("asks about what an event has changed, and not about other events", () => {
  assert.equal(attributeOf({ type: "DeviceMoved", object, change: null }), "room");
  assert.equal(attributeOf({ type: "RuleStepped", object, change: null }), undefined);
  assert.equal(attributeOf({ type: "AlarmRaised", object: null, change: null }), undefined);
});
