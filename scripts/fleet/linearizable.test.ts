import assert from "node:assert/strict";
import { test } from "node:test";
import { type Call, notLinearizable } from "./linearizable.ts";

const call = (kind: Call["kind"], value: string | null, begun: number, ended: number): Call => ({
  register: "r",
  kind,
  value,
  begun,
  ended,
});
const isBroken = (...calls: Call[]): boolean => notLinearizable(calls).length > 0;

test("accepts calls that one order explains", () => {
  assert.ok(!isBroken(call("read", null, 0, 1), call("write", "a", 2, 3), call("read", "a", 4, 5)));
  assert.ok(!isBroken(call("write", "a", 0, 9), call("read", "a", 1, 2), call("read", "a", 3, 4)));
  assert.ok(!isBroken(call("write", "a", 0, 5), call("write", "b", 1, 4), call("read", "a", 6, 7)));
});

test("accepts a write without an answer that counts late, or never", () => {
  const lost = call("write", "b", 0, Infinity);
  const before = call("write", "a", 0, 1);
  assert.ok(!isBroken(before, lost, call("read", "a", 2, 3), call("read", "b", 50, 51)));
  assert.ok(!isBroken(before, lost, call("read", "a", 2, 3)));
  assert.ok(!isBroken(lost));
});

for (const [what, calls] of [
  ["a lost write", [call("write", "a", 0, 1), call("read", null, 2, 3)]],
  [
    "a read of what was overwritten",
    [call("write", "a", 0, 1), call("write", "b", 2, 3), call("read", "a", 4, 5)],
  ],
  ["a value that nobody wrote", [call("write", "a", 0, 1), call("read", "c", 2, 3)]],
  ["a value that is read before it is written", [call("read", "a", 0, 1), call("write", "a", 2, 3)]],
  [
    "reads that disagree about the order",
    [
      call("write", "a", 0, 9),
      call("write", "b", 0, 9),
      call("read", "a", 10, 11),
      call("read", "b", 12, 13),
    ],
  ],
  [
    "a write of a second writer that vanishes again, as with a split brain",
    [
      call("write", "a", 0, 1),
      call("write", "b", 2, 3),
      call("read", "b", 4, 5),
      call("write", "c", 6, Infinity),
      call("read", "a", 8, 9),
    ],
  ],
] as const)
  test(`catches ${what}`, () => assert.ok(isBroken(...calls)));

test("names the registers that are broken, among others", () => {
  const fine = { ...call("write", "a", 0, 1), register: "fine" };
  assert.deepEqual(notLinearizable([fine, call("read", "x", 0, 1)]), ["r"]);
});

test("searches a long history with many lost writes in no time", () => {
  const calls = Array.from({ length: 300 }, (_, at) => [
    call("write", `w${at}`, at * 10, at % 20 === 0 ? Infinity : at * 10 + 4),
    call("read", `w${at}`, at * 10 + 5, at * 10 + 6),
  ]).flat();
  assert.ok(!isBroken(...calls));
  assert.ok(isBroken(...calls, call("read", "w0", 9000, 9001)));
});
