import assert from "node:assert/strict";
import { test } from "node:test";
import { Cursors, type Page, type PageFields } from "./cursors.ts";
import { Failed } from "./errors.ts";

const cursors = new Cursors(Buffer.alloc(32, 7));
const listing = (names: readonly string[], name = "names") => {
  return { name, items: names, placeOf: (one: string) => ({ value: one, id: one }) };
};
const page = (names: readonly string[], fields: PageFields, name?: string): Page<string> => {
  const found = cursors.page(listing(names, name), fields);
  return found instanceof Failed ? assert.fail(found.error.message) : found;
};

test("a cursor goes on where an item was removed or added", () => {
  const { links } = page(["a", "b", "c", "d"], { pageSize: 2 });
  assert.deepEqual(page(["a", "bb", "c", "d"], { pageSize: 2, next: links.next }).data, ["bb", "c"]);
});

test("a cursor that was altered, or is of another list, is invalid", () => {
  const { next } = page(["a", "b"], { pageSize: 1 }).links;
  const bytes = Buffer.from(next ?? assert.fail(), "base64url");
  const [signature, content] = [bytes.subarray(0, 16), bytes.subarray(16)];
  const forged = Buffer.from(content.toString().replaceAll('"a"', '"b"'));
  assert.notDeepEqual(forged, content);
  for (const wrong of [
    "",
    ".",
    content.toString("base64url"),
    signature.toString("base64url"),
    Buffer.concat([signature, forged]).toString("base64url"),
    `${next}x`,
  ]) {
    const failed = cursors.page(listing(["a", "b"]), { next: wrong });
    assert.ok(failed instanceof Failed);
    assert.deepEqual([failed.error.code, failed.error.details?.["field"]], ["E_INVALID", "next"]);
  }
  assert.ok(cursors.page(listing(["a", "b"], "others"), { prev: next }) instanceof Failed);
  assert.ok(cursors.page(listing(["a", "b"]), { next, prev: next }) instanceof Failed);
});
