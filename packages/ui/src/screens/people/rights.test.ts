import assert from "node:assert/strict";
import { test } from "node:test";
import { mayOf, rights } from "./rights.ts";

const roles = (text: string): readonly number[] =>
  mayOf(rights.find((right) => right.text === text) ?? assert.fail(text));

test("all people see the home, and a guest from afar does no more", () => {
  assert.deepEqual(roles("right.see"), [64, 32, 8, 4, 2]);
  assert.deepEqual(roles("right.switch"), [64, 32, 8, 2]);
  assert.deepEqual(
    rights.filter((right) => mayOf(right).includes(4)).map(({ text }) => text),
    ["right.see"],
  );
});

test("higher roles have the rights of lower ones", () => {
  assert.deepEqual(roles("right.past"), [64, 32, 8]);
  assert.deepEqual(roles("right.pair"), [64, 32]);
  assert.deepEqual(roles("right.people"), [64]);
});
