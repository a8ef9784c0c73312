import assert from "node:assert/strict";
import { test } from "node:test";
import { roomsByZone } from "./zones.ts";

type Devices = Readonly<Record<string, readonly string[]>>;

const rooms: Devices = { attic: ["a1", "a2"], bath: ["b1", "b2", "b3"], cellar: ["c1"], empty: [] };

const homes: readonly [string, zones: Devices, expected: Devices][] = [
  ["no zones", {}, { "": ["attic", "bath", "cellar", "empty"] }],
  [
    "zones of whole rooms, in the order of the zones",
    { down: ["c1", "b1", "b2", "b3"], up: ["a1", "a2"] },
    { down: ["bath", "cellar"], up: ["attic"], "": ["empty"] },
  ],
  ["a room of which half is in a zone", { up: ["a1"] }, { up: ["attic"], "": ["bath", "cellar", "empty"] }],
  ["a zone across rooms", { heat: ["b1", "x"] }, { "": ["attic", "bath", "cellar", "empty"] }],
  [
    "a room in two zones: the one with more of its devices, else the first",
    { damp: ["b1", "b2", "a1", "a2"], up: ["b1", "b2", "b3", "a1", "a2"] },
    { damp: ["attic"], up: ["bath"], "": ["cellar", "empty"] },
  ],
];
for (const [home, zones, expected] of homes) {
  test(`finds the rooms by zone in a home with ${home}`, () => {
    const places = {
      inRoom: (room: string) => rooms[room] ?? [],
      inZone: (zone: string) => zones[zone] ?? [],
    };
    const found = roomsByZone(Object.keys(rooms), Object.keys(zones), places);
    assert.deepEqual(Object.fromEntries(found.map(({ zone, rooms: of }) => [zone ?? "", of])), expected);
  });
}
