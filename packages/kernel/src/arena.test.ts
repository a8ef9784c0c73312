import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Arena, type Fragment } from "./arena.ts";

function textOf({ chunk, start, end }: Fragment): string {
  const text = chunk.bytes.toString("utf8", start, end);
  assert.equal(text.at(-1), ",");
  return text.slice(0, -1);
}

test("what was added last stands right before what was added before it", () => {
  const arena = new Arena();
  const [older, newer] = [arena.add("1"), arena.add('"ö"')];
  assert.deepEqual([newer.chunk === older.chunk, newer.end], [true, older.start]);
  assert.equal(Buffer.from(newer.view(newer.start, older.end)).toString(), '"ö",1,');
});

test("a view is kept for whoever asks for the same again", () => {
  const arena = new Arena();
  const older = arena.add("1");
  const newer = arena.add("2");
  const both = newer.view(newer.start, older.end);
  assert.equal(newer.view(newer.start, older.end), both);
  assert.equal(Buffer.from(newer.view(newer.start, newer.end)).toString(), "2,");
  assert.equal(Buffer.from(newer.view(newer.start, older.end)).toString(), "2,1,");
});

test("only the newest fragment can be led, until another comes", () => {
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
  assert.equal(
    chunk.leads(Buffer.alloc(newest.start + 1), newest.start),
    false,
    "more than there is room for",
  );
});

test("nothing moves while something is added", () => {
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

/** Adds a text of so many bytes, or drops one of those that were added. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ add: fc.oneof(fc.nat(700), fc.nat(5000), fc.constant(40_000)) }) },
  { weight: 2, arbitrary: fc.record({ drop: fc.nat() }) },
);

test("fragments keep their bytes, and chunks that are full are at least half in use", () => {
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
      // What was half empty when it became full moves with the next drop.
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
