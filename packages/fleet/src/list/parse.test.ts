import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { readCursor, signCursor } from "./cursor.ts";
import { type ListRequest, parseList } from "./parse.ts";

const key = new Uint8Array(32).fill(1);

function fieldsRefused(request: ListRequest): readonly string[] {
  const parsed = parseList("home", request, key);
  return "errors" in parsed ? parsed.errors.map(({ field }) => field) : [];
}

test("a request without fields asks for the first 50 devices by id", () => {
  const query = { orderBy: "id", descending: false, search: undefined, filters: {}, pageSize: 50 };
  const expected = { query: { ...query, from: undefined, backward: false } };
  assert.deepEqual(parseList("home", {}, key), expected);
  const nulls = { pageSize: null, next: null, prev: null, orderBy: null, descending: null };
  assert.deepEqual(parseList("home", { ...nulls, search: null, filters: null }, key), expected);
});

test("refuses a page size that is not an integer from 1 to 2000", () => {
  for (const pageSize of [1, 2000]) assert.deepEqual(fieldsRefused({ pageSize }), []);
  for (const pageSize of [0, 2001, -1, 1.5, Number.NaN, "50", true, [50]])
    assert.deepEqual(fieldsRefused({ pageSize }), ["pageSize"], String(pageSize));
});

test("refuses a search with fewer than 3 or more than 100 characters", () => {
  for (const search of ["abc", "a".repeat(100)]) assert.deepEqual(fieldsRefused({ search }), []);
  for (const search of ["", "ab", "a".repeat(101), 123, ["abc"]])
    assert.deepEqual(fieldsRefused({ search }), ["search"], String(search));
});

test("refuses an unknown order and a direction that is no boolean", () => {
  for (const orderBy of ["Name", "serialNumber", "modifiedAt", "", 1, "__proto__"])
    assert.deepEqual(fieldsRefused({ orderBy }), ["orderBy"], String(orderBy));
  for (const descending of ["true", 1, {}]) assert.deepEqual(fieldsRefused({ descending }), ["descending"]);
});

test("refuses filters of wrong shape, each by its name", () => {
  for (const filters of ["id", 1, ["id"]]) assert.deepEqual(fieldsRefused({ filters }), ["filters"]);
  const long = "a".repeat(limits.filterChars + 1);
  const filters = { id: 1, name: long, routing: {}, tags: [1], capabilities: Array(51).fill("a") };
  assert.deepEqual(fieldsRefused({ filters }), [
    "filters.id",
    "filters.name",
    "filters.routing",
    "filters.tags",
    "filters.capabilities",
  ]);
  assert.deepEqual(
    fieldsRefused({ filters: { unknown: 1, tags: [], capabilities: Array(50).fill("a") } }),
    [],
  );
});

test("reports all wrong fields at once", () => {
  assert.deepEqual(fieldsRefused({ pageSize: 0, search: "a", next: "x" }), ["pageSize", "search", "next"]);
});

test("refuses both cursors in one request", () => {
  assert.deepEqual(fieldsRefused({ next: "a", prev: "a" }), ["prev"]);
});

test("reads back a signed cursor, and refuses one that was altered or signed with another key", () => {
  const from = { value: "n\u{1F4A1}", id: "d1" };
  const cursor = { list: "h", from };
  const text = signCursor(key, cursor);
  assert.match(text, /^[-_A-Za-z0-9]+$/);
  assert.deepEqual(readCursor(key, text), cursor);
  assert.equal(readCursor(new Uint8Array(32), text), undefined);
  for (let at = 0; at < text.length; at++) {
    const other = text[at] === "A" ? "B" : "A";
    assert.equal(readCursor(key, text.slice(0, at) + other + text.slice(at + 1)), undefined, `at ${at}`);
  }
  for (const wrong of ["", "A", `${text}=`, ` ${text}`, "\u0000", text.slice(0, -2), "A".repeat(100_000)])
    assert.equal(readCursor(key, wrong), undefined);
});
