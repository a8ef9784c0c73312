import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Arena, type Fragment } from "./arena.ts";

function textOf({ chunk, start, end }: Fragment): string {
  const text = chunk.bytes.toString("utf8", start, end);
  assert.equal(text.at(-1), ",");
  return text.slice(0, -1);
}

test("places the newest fragment right before the one added before it", () => {
  const arena = new Arena();
  const [older, newer] = [arena.add("1"), arena.add('"ö"')];
  assert.deepEqual([newer.chunk === older.chunk, newer.end], [true, older.start]);
  assert.equal(Buffer.from(newer.view(newer.start, older.end)).toString(), '"ö",1,');
});

test("keeps a view for the next call with the same range", () => {
  const arena = new Arena();
  const older = arena.add("1");
  const newer = arena.add("2");
  const both = newer.view(newer.start, older.end);
  assert.equal(newer.view(newer.start, older.end), both);
  assert.equal(Buffer.from(newer.view(newer.start, newer.end)).toString(), "2,");
  assert.equal(Buffer.from(newer.view(newer.start, older.end)).toString(), "2,1,");
});

test("writes a lead before the newest fragment only", () => {
  const arena = new Arena();
  const [lead, other] = [Buffer.from("[["), Buffer.from("(")];
  const older = arena.add("1");
  const newer = arena.add("2");
  const { chunk } = newer;
  assert.equal(chunk.leads(lead, older.start), false);
  assert.equal(chunk.leads(lead, newer.start), true);
  assert.equal(Buffer.from(newer.view(newer.start - 2, older.end)).toString(), "[[2,1,");
  assert.equal(chunk.leads(other, newer.start), true);
  assert.equal(Buffer.from(newer.view(newer.start - 1, older.end)).toString(), "(2,1,");
  assert.equal(chunk.leads(lead, newer.start), true);
  assert.equal(Buffer.from(newer.view(newer.start - 2, newer.end)).toString(), "[[2,");
  const newest = arena.add("3");
  assert.equal(chunk.leads(lead, newer.start), false);
  assert.equal(Buffer.from(newest.view(newest.start, older.end)).toString(), "3,2,1,");
  assert.equal(chunk.leads(Buffer.alloc(newest.start), newest.start), true);
  assert.equal(chunk.leads(Buffer.alloc(newest.start + 1), newest.start), false, "longer than the free room");
});

test("moves no fragment while others are added", () => {
  const arena = new Arena();
  const kept = arena.add("kept");
  const { chunk, start } = kept;
  for (let index = 0; index < 14; index++) arena.add("a".repeat(1000)).drop();
  const later = Array.from({ length: 20 }, () => arena.add("b".repeat(1000)));
  assert.deepEqual([kept.chunk === chunk, kept.start], [true, start]);
  later[0]?.drop();
  assert.equal(textOf(kept), "kept");
  assert.notEqual(kept.chunk, chunk);
});

/** Adds a text of this many bytes, or drops one of the fragments added so far. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ add: fc.oneof(fc.nat(700), fc.nat(5000), fc.constant(40_000)) }) },
  { weight: 2, arbitrary: fc.record({ drop: fc.nat() }) },
);

test("keeps the bytes of fragments, and at least half of each full chunk in use", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 200, maxLength: 600 }), (steps) => {
      const arena = new Arena();
      const held: { readonly text: string; readonly fragment: Fragment }[] = [];
      steps.forEach((it, at) => {
        if ("add" in it) {
          const text = `${at}${"ä".repeat(it.add / 2)}`;
          held.push({ text, fragment: arena.add(text) });
        } else held.splice(it.drop % (held.length + 1), 1)[0]?.fragment.drop();
      });
      // The next drop moves fragments out of chunks that were half empty when they filled up.
      arena.add("").drop();
      for (const { text, fragment } of held) assert.equal(textOf(fragment), text);
      const sizes = new Map(held.map(({ fragment: { chunk } }) => [chunk, chunk.bytes.length]));
      const [taken, used] = [
        [...sizes.values()].reduce((sum, size) => sum + size, 0),
        held.reduce((sum, { fragment: { start, end } }) => sum + end - start, 0),
      ];
      const ofNewest = 2 * 16 * 1024;
      assert.ok(taken <= 2 * used + ofNewest, `${taken} bytes for ${used}`);
    }),
  );
});
