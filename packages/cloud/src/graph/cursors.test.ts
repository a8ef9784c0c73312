import assert from "node:assert/strict";
import { test } from "node:test";
import { Digests } from "../keys/digests.ts";
import { Cursors, type Page, type PageFields } from "./cursors.ts";
import { Failed } from "./errors.ts";

const cursors = new Cursors(new Digests(Buffer.alloc(32, 7).toString("base64url")));
const listing = (names: readonly string[], name = "names") => {
  return { name, items: names, placeOf: (one: string) => [one, one] as const };
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
  const [content = "", signature = ""] = (next ?? assert.fail()).split(".");
  const forged = Buffer.from(JSON.stringify({ list: "x", place: ["a", "a"] })).toString("base64url");
  for (const wrong of [
    "",
    ".",
    content,
    `${content}.`,
    `${forged}.${signature}`,
    `${content}.${signature}x`,
  ]) {
    const failed = cursors.page(listing(["a", "b"]), { next: wrong });
    assert.ok(failed instanceof Failed);
    assert.deepEqual([failed.error.code, failed.error.details?.["field"]], ["E_INVALID", "next"]);
  }
  assert.ok(cursors.page(listing(["a", "b"], "others"), { prev: next }) instanceof Failed);
  assert.ok(cursors.page(listing(["a", "b"]), { next, prev: next }) instanceof Failed);
});
