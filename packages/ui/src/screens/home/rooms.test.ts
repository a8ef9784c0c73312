import assert from "node:assert/strict";
import { test } from "node:test";
import { effectOf, suggestedRooms } from "./rooms.ts";

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

test("counts new rooms and devices that get into one, and names all else that the hub would change", () => {
  const differences = [
    { object: "room", change: "create", name: "Kitchen" },
    { object: "device", change: "change", name: "Kitchen ceiling" },
    { object: "device", change: "change", name: "Kitchen motion" },
    { object: "room", change: "remove", name: "Old room" },
    { object: "group", change: "change", name: "Lights" },
  ] as const;
  assert.deepEqual(effectOf(differences), { rooms: 1, devices: 2, others: ["Old room", "Lights"] });
  assert.deepEqual(effectOf([]), { rooms: 0, devices: 0, others: [] });
});
