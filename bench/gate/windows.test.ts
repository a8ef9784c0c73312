import assert from "node:assert/strict";
import { test } from "node:test";
import { marksIn, perTurn, windows } from "./windows.ts";

test("marks are found among what else is printed", () => {
  assert.deepEqual(marksIn("a\ninstructions 12\nwarning: instructions 5\ninstructions 30\n"), [12, 30]);
});

test("one turn takes what the middle window took, whatever came before and however long one window was", () => {
  const marks = [1, 2, 3];
  let count = 1_000_000;
  marks.push(count);
  for (let window = 0; window < windows; window++)
    marks.push((count += window === 4 ? 9_000_000 : 5000 + window));
  assert.equal(perTurn(marks, 100), 50.06);
  assert.equal(perTurn(marks, 100, "least"), 50);
});

test("too few marks are no measurement", () => {
  assert.throws(() => perTurn([1, 2, 3], 100), /3 marks/);
});
