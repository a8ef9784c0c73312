import assert from "node:assert/strict";
import { test } from "node:test";
import { lineAt, rangeOfLine, sourceFaults, testsIn } from "./source.ts";

test("takes the line out of the hub's message", () => {
  const errors = [
    { field: "machine.states", message: "at least one state is wanted (line 12)" },
    { field: "template.name", message: "a name is wanted" },
    { field: "", message: "(line 3) is no JSON" },
  ];
  assert.deepEqual(sourceFaults(errors), [
    { path: "machine.states", message: "at least one state is wanted", line: 12 },
    { path: "template.name", message: "a name is wanted", line: null },
    { path: "", message: "(line 3) is no JSON", line: null },
  ]);
});

const text = "one\ntwo\n\nfour";
const lines: readonly [line: number, of: string][] = [
  [1, "one"],
  [2, "two"],
  [3, ""],
  [4, "four"],
  [9, ""],
];
for (const [line, of] of lines) {
  test(`finds line ${line} of a source`, () => {
    const [from, to] = rangeOfLine(text, line);
    assert.equal(text.slice(from, to), of);
    if (line < 9) assert.equal(lineAt(text, from), line);
  });
}

test("counts the tests of a source", () => {
  assert.equal(testsIn('{"tests":[{},{}]}'), 2);
  assert.deepEqual([testsIn("{"), testsIn("{}"), testsIn('{"tests":5}')], [0, 0, 0]);
});
