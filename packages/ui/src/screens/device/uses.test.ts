import assert from "node:assert/strict";
import { test } from "node:test";
import { losing, mayRemove, type Naming, usesOf } from "./uses.ts";

const config = { type: "CONFIG", configType: "X", extras: {} } as const;
const preset = (...targetIds: string[]) => ({ type: "PRESET", id: "p", targetIds, state: {} });

const home = {
  rules: [
    { id: "r1", config: { ...config, id: "r1", name: "By motion", inputs: { motion: ["m"] }, outputs: {} } },
    { id: "r2", config: { ...config, id: "r2", name: "Off", inputs: {}, outputs: { devices: ["a", "g1"] } } },
    { id: "r3", config: { ...config, id: "r3", name: "Dim", inputs: {}, outputs: { lights: ["g1"] } } },
  ],
  scenes: [
    { id: "s1", name: "Night", presets: { p: preset("b"), q: preset("a", "c") } },
    { id: "s2", name: "Away", presets: {} },
  ],
  groups: [
    { id: "g1", name: "Ceiling", members: ["a", "b"] },
    { id: "g2", name: "Floor", members: ["c"] },
  ],
} as unknown as Naming;

test("names rules, scenes and groups of a device, and the group by which a rule names it", () => {
  assert.deepEqual(usesOf("a", home), [
    { screen: "rule", id: "r2", name: "Off", by: null },
    { screen: "rule", id: "r3", name: "Dim", by: "Ceiling" },
    { screen: "scene", id: "s1", name: "Night", by: null },
    { screen: "group", id: "g1", name: "Ceiling", by: null },
  ]);
  assert.deepEqual(
    usesOf("m", home).map(({ id }) => id),
    ["r1"],
  );
  assert.deepEqual(usesOf("x", home), []);
});

test("a rule that names a group loses nothing when a member is removed", () => {
  assert.deepEqual(
    losing(usesOf("b", home)).map(({ id }) => id),
    ["s1", "g1"],
  );
});

const rights: readonly [rwx: number, owner: boolean, admin: boolean][] = [
  [509, true, true],
  [493, true, false],
  [365, false, false],
];
for (const [rwx, owner, admin] of rights) {
  test(`a device with the rights ${rwx} is removed by ${owner ? (admin ? "administrators" : "the owner") : "nobody"}`, () => {
    assert.deepEqual([mayRemove(rwx, true), mayRemove(rwx, false)], [owner, admin]);
  });
}
