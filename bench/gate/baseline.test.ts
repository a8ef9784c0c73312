import assert from "node:assert/strict";
import { test } from "node:test";
import { leastOf, namesOver, otherTool, problemsWith, readBaseline } from "./baseline.ts";
import type { Counts } from "./counts.ts";

const before: Counts = { node: "24.21.0", qemu: "7.2", instructions: { poll: 1000, touch: 500 } };

const cases: readonly [title: string, now: Counts, problem?: RegExp][] = [
  ["the same passes", before],
  ["fewer instructions pass", { ...before, instructions: { poll: 10, touch: 500 } }],
  ["2 % more pass", { ...before, instructions: { poll: 1020, touch: 500 } }],
  [
    "more than that does not",
    { ...before, instructions: { poll: 1021, touch: 500 } },
    /^poll: 1021 .* 2\.1 %/,
  ],
  ["what is no longer counted is named", { ...before, instructions: { poll: 1000 } }, /^touch: not counted/],
  [
    "what is new is named",
    { ...before, instructions: { ...before.instructions, commit: 1 } },
    /^commit: not in/,
  ],
  ["another node is no comparison", { ...before, node: "26.0.0" }, /for node 24\.21\.0, this is 26/],
  ["another emulator neither", { ...before, qemu: "9.0" }, /for qemu 7\.2, this is 9\.0/],
];

for (const [title, now, problem] of cases) {
  test(title, () => {
    const found = problemsWith(now, before);
    assert.equal(found.length, problem ? 1 : 0, found.join("\n"));
    if (problem) assert.match(found[0] ?? "", problem);
  });
}

test("what is over is counted again, and over when it is so twice", () => {
  const first: Counts = { ...before, instructions: { poll: 1100, touch: 600 } };
  assert.deepEqual(namesOver(first, before), ["poll", "touch"]);
  const again: Counts = { ...before, instructions: { poll: 1001, touch: 601 } };
  const least = leastOf(first, again);
  assert.deepEqual(least.instructions, { poll: 1001, touch: 600 });
  assert.deepEqual(namesOver(least, before), ["touch"]);
});

test("another tool is named before anything is counted", () => {
  assert.equal(otherTool(before, before), undefined);
  assert.match(otherTool({ node: "24.21.0", qemu: "9.0" }, before) ?? "", /for qemu 7\.2, .*--rebaseline/);
});

test("the baseline is for the Node that is pinned", () => {
  const { node, instructions } = readBaseline();
  assert.equal(node, process.versions.node);
  for (const [name, count] of Object.entries(instructions)) assert.ok(count > 0, name);
});
