import assert from "node:assert/strict";
import { test } from "node:test";
import type { FirstStep } from "../../store/first-steps.ts";
import { type HomeFacts, openSteps } from "./first-steps.ts";

const empty: HomeFacts = { devices: 0, placed: 0, suggested: 0, rules: 0, sticks: 0 };

const homes: readonly [string, readonly FirstStep[], Partial<HomeFacts>, readonly FirstStep[]][] = [
  ["an empty home", [], {}, ["place", "pair"]],
  ["a stick that nothing uses", [], { sticks: 1 }, ["place", "sticks", "pair"]],
  ["devices", [], { devices: 2 }, ["place", "pair", "rooms", "rules"]],
  ["devices in rooms", ["place"], { devices: 2, placed: 1 }, ["pair", "rules"]],
  [
    "a device in a room, and names that suggest another",
    ["place"],
    { devices: 3, placed: 1, suggested: 1 },
    ["pair", "rooms", "rules"],
  ],
  ["a rule", ["place", "pair"], { devices: 2, rules: 1 }, ["rooms"]],
  ["all that is left out", ["rules", "rooms", "pair", "place"], { devices: 2 }, []],
];
for (const [home, finished, facts, open] of homes) {
  test(`a home with ${home} has ${open.join(", ") || "nothing"} to do`, () => {
    assert.deepEqual(openSteps(finished, { ...empty, ...facts }), open);
  });
}
