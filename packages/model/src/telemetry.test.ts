import assert from "node:assert/strict";
import { test } from "node:test";
import { eventDefinitions } from "./aggregates.ts";

test("only these events are telemetry; all others are kept forever", () => {
  const telemetry = [...eventDefinitions.values()].filter((definition) => definition.telemetry !== undefined);
  assert.deepEqual(telemetry.map(({ type }) => type).toSorted(), [
    "AdapterAway",
    "AdapterStarted",
    "AdapterStopped",
    "AdapterValueStored",
    "CascadeCarriedOn",
    "CascadeCut",
    "CommandDeferred",
    "CommandExpired",
    "CommandFailed",
    "CommandIssued",
    "CommandSucceeded",
    "CommandSuppressed",
    "DeviceReported",
    "DevicesSeen",
    "HomePreferencesSet",
    "MessageDropped",
    "MessageFailed",
    "MessageQueued",
    "MessageSent",
    "OutputHeld",
    "OutputWished",
    "PreferencesSet",
    "PricesReceived",
    "RemoteCalled",
    "RuleFaulted",
    "RuleRunEnded",
    "RuleSaid",
    "RuleStepped",
    "SenderSettled",
    "SenderSpent",
    "TimerCancelled",
    "TimerFired",
    "TimerSet",
    "TimerSkipped",
    "UpgradeReported",
    "UserConnected",
    "UserDisconnected",
  ]);
});

function writes(type: string, fields: object, state?: unknown): string[] {
  const event = { type, id: "x", ...fields };
  return [
    ...(eventDefinitions.get(type)?.telemetry?.(event, state) ?? assert.fail(`${type} is no telemetry`)),
  ];
}

test("a report sets its attributes, and lastSeen unless that is newer already", () => {
  const report = (attributes: object, at: number, lastSeen: number | null): string[] =>
    writes("DeviceReported", { attributes, at }, { state: { lastSeen } });
  assert.deepEqual(report({ isOn: true, brightness: 1 }, 10, null), ["isOn", "brightness", "lastSeen"]);
  assert.deepEqual(report({ isOn: true }, 10, 10), ["isOn", "lastSeen"]);
  assert.deepEqual(report({ isOn: true }, 10, 11), ["isOn"]);
  assert.deepEqual(report({ reachable: false }, 10, 5), ["reachable"]);
});

test("tells which fields the other telemetry events set", () => {
  assert.deepEqual(writes("DevicesSeen", { at: { a: 1, b: 2 }, gone: ["c"] }), ["a", "b", "c"]);
  assert.deepEqual(writes("AdapterValueStored", { key: "k", value: 1 }), ["values.k"]);
  assert.deepEqual(writes("UserConnected", {}), ["connected"]);
  assert.deepEqual(writes("UpgradeReported", {}), ["report"]);
  assert.deepEqual(writes("MessageQueued", {}), ["text"]);
  assert.deepEqual(writes("MessageSent", { channel: "sms" }), ["channels.sms"]);
  assert.deepEqual(writes("MessageFailed", { channel: "sms" }), ["channels.sms"]);
  assert.deepEqual(writes("TimerSet", {}), []);
});
