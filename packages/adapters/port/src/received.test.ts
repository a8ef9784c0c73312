import assert from "node:assert/strict";
import test from "node:test";
import { limits } from "@ledge/model";
import type { FromAdapter } from "./messages.ts";
import { receivedMessage } from "./received.ts";

const device = {
  native: "a",
  radio: "air",
  class: "LIGHT",
  capabilities: ["DEVICE"],
  name: "A",
  manufacturer: null,
  model: "M",
} as const;
const report = { native: "a", attributes: { isOn: true } };

/** Returns objects nested `depth` deep. */
function nested(depth: number): Record<string, unknown> {
  let value: Record<string, unknown> = {};
  for (let level = 1; level < depth; level += 1) value = { value };
  return value;
}

const offers = { pairing: true, groupcast: ["air"], protocolCommands: ["PAIR_MODBUS"], requests: [] };
const found = {
  native: "a",
  description: null,
  status: "CONNECTING",
  actionRequired: true,
  help: null,
} as const;

const messages: readonly FromAdapter[] = [
  { type: "started", protocol: "p", inFlight: 1, offers },
  { type: "inFlight", count: 1 },
  { type: "found", device: found },
  { type: "found", device: { ...found, description: device, help: "pairing.wait", status: "COMPLETE" } },
  { type: "found", device: { ...found, help: "pairing.zwave-pin", helpValues: { dsk: "-12345" } } },
  { type: "lost", native: "a" },
  { type: "outcome", id: 1, ok: true, value: nested(limits.bodyDepth) },
  { type: "failed", code: "settings", message: "no port" },
  { type: "stopped" },
  { type: "announce", device },
  { type: "announce", device: { ...device, extras: nested(limits.bodyDepth) } },
  { type: "announce", device: { ...device, configuration: { items: [], values: {} } } },
  { type: "reports", reports: [report, { ...report, at: 1.5 }], dropped: 0 },
  { type: "reports", reports: [], dropped: 3 },
  { type: "outcome", id: 1, ok: true },
  { type: "outcome", id: 1, ok: false, code: "timeout", message: "" },
  { type: "answered", id: 1, native: "a", ok: true },
  { type: "answered", id: 1, native: "a", ok: false, code: "timeout", message: "" },
  { type: "pong", id: 0 },
  { type: "store", id: 1, key: "k", value: { a: [1] } },
  { type: "store", id: 1, key: "k", value: undefined },
  { type: "store", id: 1, key: "k".repeat(limits.nativeChars), value: null },
  { type: "store", id: 1, key: "k", value: "v".repeat(limits.adapterValueBytes - 2) },
  { type: "log", level: "warn", message: "m" },
  { type: "log", level: "error", message: "m", fields: { a: 1 } },
  { type: "log", level: "error", message: "m", fields: nested(limits.bodyDepth) },
];
for (const message of messages) {
  test(`accepts ${JSON.stringify(message).slice(0, 80)}`, () => {
    assert.equal(receivedMessage(message), message);
  });
}

const others: readonly unknown[] = [
  undefined,
  null,
  1,
  "pong",
  [],
  {},
  { type: "toString" },
  { type: "start" },
  { type: 5 },
  { type: "started", protocol: "p", inFlight: 0, offers },
  { type: "started", protocol: 1, inFlight: 1, offers },
  { type: "started", protocol: "p", inFlight: 1 },
  { type: "started", protocol: "p", inFlight: 1, offers: { ...offers, pairing: 1 } },
  { type: "started", protocol: "p", inFlight: 1, offers: { ...offers, requests: [7] } },
  { type: "started", protocol: "p", inFlight: 1, offers: { ...offers, protocolCommands: "ALL" } },
  { type: "started", protocol: "p", inFlight: 1, offers: { ...offers, groupcast: true } },
  { type: "inFlight", count: 0 },
  { type: "inFlight", count: 1.5 },
  { type: "inFlight" },
  { type: "answered", id: 1, native: "a" },
  { type: "answered", id: 1, native: "", ok: true },
  { type: "answered", id: 1, native: "a", ok: false, code: "late", message: "" },
  { type: "announce", device: { ...device, configuration: [] } },
  { type: "announce", device: { ...device, configuration: { items: {} } } },
  { type: "announce", device: { ...device, configuration: { items: [], values: 1 } } },
  { type: "announce", device: { ...device, configuration: { items: [nested(limits.bodyDepth)] } } },
  { type: "announce", device: { ...device, upgrade: "AVAILABLE" } },
  { type: "announce", device: { ...device, upgrade: null } },
  { type: "found" },
  { type: "found", device: { ...found, native: "" } },
  { type: "found", device: { ...found, description: undefined } },
  { type: "found", device: { ...found, description: { ...device, native: "b" } } },
  { type: "found", device: { ...found, status: "PAIRED" } },
  { type: "found", device: { ...found, actionRequired: 1 } },
  { type: "found", device: { ...found, help: 1 } },
  { type: "found", device: { ...found, helpValues: "dsk" } },
  { type: "found", device: { ...found, helpValues: { dsk: 1 } } },
  { type: "lost" },
  { type: "outcome", id: 1, ok: true, value: nested(limits.bodyDepth + 1) },
  { type: "failed", code: "broken", message: "m" },
  { type: "failed", code: "settings" },
  { type: "announce" },
  { type: "announce", device: { ...device, native: "" } },
  { type: "announce", device: { ...device, native: "n".repeat(limits.nativeChars + 1) } },
  { type: "announce", device: { ...device, radio: 1 } },
  { type: "announce", device: { ...device, class: undefined } },
  { type: "announce", device: { ...device, capabilities: "DEVICE" } },
  { type: "announce", device: { ...device, capabilities: [1] } },
  { type: "announce", device: { ...device, name: null } },
  { type: "announce", device: { ...device, model: 5 } },
  { type: "announce", device: { ...device, extras: [] } },
  { type: "announce", device: { ...device, extras: nested(limits.bodyDepth + 1) } },
  { type: "reports", reports: "all", dropped: 0 },
  { type: "reports", reports: [null], dropped: 0 },
  { type: "reports", reports: [{ native: "a" }], dropped: 0 },
  { type: "reports", reports: [{ ...report, at: "now" }], dropped: 0 },
  { type: "reports", reports: [{ ...report, at: -1 }], dropped: 0 },
  { type: "reports", reports: [{ ...report, at: 1e300 }], dropped: 0 },
  { type: "reports", reports: [{ ...report, attributes: nested(limits.bodyDepth + 1) }], dropped: 0 },
  { type: "reports", reports: [report] },
  { type: "reports", reports: [report], dropped: -1 },
  { type: "outcome", id: 1 },
  { type: "outcome", id: "1", ok: true },
  { type: "outcome", id: 1, ok: false, code: "timeout" },
  { type: "pong" },
  { type: "store", id: 1, key: "", value: 1 },
  { type: "store", id: 1, key: "k".repeat(limits.nativeChars + 1), value: 1 },
  { type: "store", id: 1, key: "k", value: "v".repeat(limits.adapterValueBytes - 1) },
  { type: "store", id: 1, key: "k", value: nested(10_000) },
  { type: "log", level: "fatal", message: "m" },
  { type: "log", level: "warn", message: {} },
  { type: "log", level: "warn", message: "m", fields: [] },
];
for (const other of others) {
  test(`refuses ${(safeJson(other) ?? "undefined").slice(0, 80)}`, () => {
    assert.equal(receivedMessage(other), undefined);
  });
}

/** Returns a title even for a value nested too deep for JSON. */
function safeJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return "something nested";
  }
}
