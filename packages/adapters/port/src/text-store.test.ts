import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import fc from "fast-check";
import { TextStore } from "./text-store.ts";

class Values {
  readonly values = new Map<string, unknown>();
  /** How many puts succeed before the process dies. */
  left = Infinity;
  get(key: string): unknown {
    return this.values.get(key);
  }
  async put(key: string, value: unknown): Promise<void> {
    if (this.left === 0) throw new Error("killed");
    this.left -= 1;
    assert.ok(Buffer.byteLength(JSON.stringify(value)) <= limits.adapterValueBytes);
    this.values.set(key, value);
  }
}

test("returns a text of any length and content unchanged", async () => {
  const piece = fc.constantFrom("\u0001", '"', "ä", "a", "€", "😀");
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(piece, fc.nat(9000)), { maxLength: 8 }), async (pieces) => {
      const texts = new TextStore(new Values());
      const text = pieces.map(([one, times]) => one.repeat(times)).join("");
      await texts.put("key", text);
      assert.equal(texts.get("key"), text);
    }),
    { numRuns: 50 },
  );
});

test("a crash during a put leaves either the old or the new text", async () => {
  const before = "a".repeat(40_000);
  const after = "b".repeat(70_000);
  for (let left = 0; ; left += 1) {
    const values = new Values();
    const texts = new TextStore(values);
    await texts.put("key", before);
    values.left = left;
    const isDone = await texts.put("key", after).then(
      () => true,
      () => false,
    );
    const text = texts.get("key");
    assert.ok(text === before || text === after, `after ${left} writes`);
    if (!isDone) continue;
    assert.equal(text, after);
    const room = [...values.values.values()].filter((value) => value !== null).length;
    assert.equal(room, 1 + Math.ceil(after.length / 10_858), "the old text takes no room");
    return;
  }
});

test("removes a text with all its parts", async () => {
  const values = new Values();
  const texts = new TextStore(values);
  await texts.put("key", "x".repeat(30_000));
  await texts.remove("key");
  assert.equal(texts.get("key"), undefined);
  assert.deepEqual(
    [...values.values.values()].filter((value) => value !== null),
    [],
  );
  await texts.remove("none");
  assert.equal(values.values.has("none"), false);
});
