import assert from "node:assert/strict";
import { test } from "node:test";
import { suggestedRooms } from "./rooms.ts";

function suggested(...names: string[]): Record<string, readonly string[]> {
  const rooms = suggestedRooms(names.map((name) => ({ id: name, name })));
  return Object.fromEntries(rooms.map(({ name, ids }) => [name, ids]));
}

test("suggests the words that names of devices begin with", () => {
  assert.deepEqual(suggested("Kitchen ceiling", "Kitchen motion", "Hall lamp", "Siren"), {
    Kitchen: ["Kitchen ceiling", "Kitchen motion"],
  });
});

test("takes the longest beginning that devices share", () => {
  assert.deepEqual(suggested("Living room ceiling", "Living room motion", "Living  room  climate"), {
    "Living room": ["Living room ceiling", "Living room motion", "Living  room  climate"],
  });
});

test("suggests no room for one device, a whole name, or no name", () => {
  assert.deepEqual(suggested("Kitchen ceiling", "Kitchen", "Hall lamp", "", "  "), {});
});

test("puts a device into one room at most", () => {
  const rooms = suggested("Up hall lamp", "Up hall motion", "Up bath lamp", "Up bath leak");
  assert.deepEqual(Object.keys(rooms), ["Up bath", "Up hall"]);
});
