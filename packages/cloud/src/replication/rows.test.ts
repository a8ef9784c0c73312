import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { removedKey, rowOf } from "./rows.ts";

const lamp = {
  id: "lamp",
  type: "LIGHT",
  name: "Lamp",
  capabilities: { type: "SET", values: ["ON_OFF"] },
  manufacturer: "Ledge",
  model: null,
  timestamp: 5,
};

test("a device of a hub stands in its register under its own id", () => {
  const row = rowOf("hub", "device", lamp, 3);
  assert.ok(row?.kind === "device");
  const { name, type, capabilities, manufacturer, model, createdAt, modifiedAt, routing } = row.device;
  assert.deepEqual(
    [name, type, capabilities, manufacturer, model],
    ["Lamp", "LIGHT", ["ON_OFF"], "Ledge", ""],
  );
  assert.deepEqual([createdAt, modifiedAt, routing.gatewayId, row.source], [3, 5, "hub", "hub"]);
});

test("an object that no register can hold is left out", () => {
  for (const wrong of [
    { id: "hub" },
    { id: "" },
    { id: "a b" },
    { id: "../x" },
    { id: "a\u0000b" },
    { id: "x".repeat(limits.registerDeviceIdChars + 1) },
    { timestamp: -1 },
    { timestamp: 1.5 },
    { timestamp: limits.timestampMax + 1 },
  ])
    for (const kind of ["device", "alarm"] as const)
      assert.equal(rowOf("hub", kind, { ...lamp, ...wrong }, 0), undefined, JSON.stringify(wrong));
  assert.ok(rowOf("hub", "device", { ...lamp, id: "x".repeat(limits.registerDeviceIdChars) }, 0));
});

test("texts of a hub are cut, and what is no text is empty", () => {
  const row = rowOf("hub", "device", { ...lamp, name: "x".repeat(500), type: 7, capabilities: [1] }, 0);
  assert.ok(row?.kind === "device");
  const { name, type, capabilities } = row.device;
  assert.deepEqual([name.length, type, capabilities], [limits.registerTextChars, "", []]);
});

test("a hub removes nothing but its own devices and alarms, and not itself", () => {
  assert.deepEqual(removedKey("hub", { kind: "device", id: "lamp" }), {
    register: "hub",
    kind: "device",
    id: "lamp",
  });
  for (const [kind, id] of [
    ["user", "ann"],
    ["device", "hub"],
    ["device", 7],
    ["device", ""],
  ])
    assert.equal(removedKey("hub", { kind, id }), undefined);
});
