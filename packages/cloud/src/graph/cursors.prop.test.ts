import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Cursors, type Page, type PageFields } from "./cursors.ts";
import { Failed } from "./errors.ts";

const cursors = new Cursors(Buffer.alloc(32, 7));

function page(items: readonly string[], fields: PageFields): Page<string> {
  const found = cursors.page(
    { name: "names", items, placeOf: (one: string) => ({ value: one, id: one }) },
    fields,
  );
  return found instanceof Failed ? assert.fail(found.error.message) : found;
}

test("cursors meet each item once, forwards and backwards", () => {
  const names = fc.uniqueArray(fc.string({ maxLength: 6 }), { maxLength: 40 });
  fc.assert(
    fc.property(names, fc.integer({ min: 1, max: 9 }), (given, pageSize) => {
      const sorted = given.toSorted((a, b) => (a < b ? -1 : 1));
      let at = page(given, { pageSize });
      const forwards = [...at.data];
      const pages = [at];
      while (at.links.next !== null) {
        at = page(given, { pageSize, next: at.links.next });
        pages.push(at);
        forwards.push(...at.data);
      }
      assert.deepEqual(forwards, sorted);
      const backwards = [...at.data];
      while (at.links.prev !== null) {
        at = page(given, { pageSize, prev: at.links.prev });
        backwards.unshift(...at.data);
      }
      assert.deepEqual(backwards, sorted);
    }),
    { numRuns: 60 },
  );
});
