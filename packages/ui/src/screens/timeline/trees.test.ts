import assert from "node:assert/strict";
import { test } from "node:test";
import type { TimelineEntry } from "../../api/past.ts";
import { type Tree, treesOf } from "./trees.ts";

const entry = (ref: string, cause: string | null): TimelineEntry => ({
  ref,
  at: 0,
  type: "",
  kind: "device",
  object: null,
  text: ref,
  origin: "",
  cause,
  change: null,
});

const shape = ({ entry: { ref }, followed }: Tree): unknown =>
  followed.length === 0 ? ref : [ref, followed.map(shape)];

const cases: readonly [title: string, entries: readonly [ref: string, cause: string | null][], unknown][] = [
  ["nothing of nothing", [], []],
  [
    "the newest first",
    [
      ["b", null],
      ["a", null],
    ],
    ["b", "a"],
  ],
  [
    "what followed under its cause, the oldest first",
    [
      ["c", "a"],
      ["b", "a"],
      ["a", null],
    ],
    [["a", ["b", "c"]]],
  ],
  [
    "chains of any depth",
    [
      ["c", "b"],
      ["b", "a"],
      ["a", null],
    ],
    [["a", [["b", ["c"]]]]],
  ],
  [
    "an entry by itself when its cause is on another page",
    [
      ["b", "elsewhere"],
      ["a", null],
    ],
    ["b", "a"],
  ],
  ["an entry once that names itself as its cause", [["a", "a"]], ["a"]],
];
for (const [title, entries, wanted] of cases) {
  test(`shows ${title}`, () =>
    assert.deepEqual(treesOf(entries.map(([ref, cause]) => entry(ref, cause))).map(shape), wanted));
}
