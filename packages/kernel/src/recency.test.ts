import assert from "node:assert/strict";
import { test } from "node:test";
import type { DeltaCategory } from "@ledge/model";
import { accessMasks, roles } from "@ledge/model";
import fc from "fast-check";
import type { Category } from "./recency.ts";
import { RecencyList } from "./recency.ts";
import type { Viewer } from "./viewer.ts";

interface Thing {
  readonly mask?: number;
  readonly reader?: string;
}

const rules: DeltaCategory<unknown> = {
  type: "ROOM_DELTA",
  readMask: (state) => (state as Thing).mask ?? accessMasks.GUEST,
  reader: (state) => (state as Thing).reader ?? null,
};

function categoryOf(): Category {
  const row = { index: 0, type: "ROOM_DELTA", field: "rooms", kind: "room", rules } as const;
  return { ...row, audience: accessMasks.ANONYMOUS, entries: new Map(), forGuests: undefined };
}

/** Returns ids from the newest change to the oldest, deleted ones in parentheses. */
function order(list: RecencyList): string[] {
  const ids: string[] = [];
  for (let entry = list.head; entry !== undefined; entry = entry.older) {
    ids.push(entry.deleted ? `(${entry.id})` : entry.id);
    assert.equal(entry.older?.newer ?? entry, entry, "the list is linked in both directions");
  }
  return ids;
}

function viewer(role: number, user: string | null = null): Viewer {
  return { role, user, since: 0 };
}

test("puts the last change first, including deletions", () => {
  const list = new RecencyList(10);
  const category = categoryOf();
  for (const [at, id] of ["a", "b", "c", "a"].entries()) list.put(category, id, {}, at + 1);
  assert.deepEqual(order(list), ["a", "c", "b"]);
  list.put(category, "c", undefined, 5);
  assert.deepEqual(order(list), ["(c)", "a", "b"]);
  list.put(category, "c", {}, 6);
  assert.deepEqual(order(list), ["c", "a", "b"]);
  list.put(category, "never", undefined, 7);
  assert.deepEqual(order(list), ["c", "a", "b"], "an object that never existed leaves no tombstone");
  assert.deepEqual(
    [...list.rows()].map(({ id }) => id),
    ["b", "a", "c"],
  );
});

test("forgets the oldest deletions beyond the limit and moves the horizon", () => {
  const list = new RecencyList(2);
  const category = categoryOf();
  for (const [at, id] of ["a", "b", "c", "d"].entries()) list.put(category, id, {}, at + 1);
  list.put(category, "b", undefined, 10);
  list.put(category, "a", undefined, 11);
  assert.equal(list.horizon, 0);
  list.put(category, "c", undefined, 12);
  assert.deepEqual([list.horizon, order(list)], [10, ["(c)", "(a)", "d"]]);
  assert.equal(category.entries.has("b"), false);
  list.put(category, "b", {}, 13);
  list.put(category, "b", undefined, 14);
  assert.deepEqual([list.horizon, order(list)], [11, ["(b)", "(c)", "d"]]);
});

test("removes the tombstone of an object that comes back", () => {
  const list = new RecencyList(2);
  const category = categoryOf();
  for (let at = 1; at < 100; at++) list.put(category, "a", at % 2 === 1 ? {} : undefined, at);
  list.put(category, "b", {}, 100);
  list.put(category, "b", undefined, 101);
  list.put(category, "a", undefined, 102);
  assert.deepEqual([list.horizon, order(list)], [0, ["(a)", "(b)"]]);
});

test("moves the horizon with every deletion when it keeps no tombstones", () => {
  const list = new RecencyList(0);
  const category = categoryOf();
  list.put(category, "a", {}, 1);
  list.put(category, "a", undefined, 2);
  assert.deepEqual([list.horizon, order(list), category.entries.size], [2, [], 0]);
});

test("clears the last-seen time of an object that comes back", () => {
  const list = new RecencyList(10);
  const category = categoryOf();
  list.put(category, "a", {}, 1);
  const entry = category.entries.get("a");
  assert.ok(entry);
  entry.seen = 5;
  list.put(category, "a", { mask: 1 }, 2);
  assert.equal(category.entries.get("a")?.seen, 5);
  list.put(category, "a", undefined, 3);
  list.put(category, "a", {}, 4);
  assert.deepEqual([category.entries.get("a") === entry, entry.seen], [true, undefined]);
});

const owner = viewer(roles.OWNER_ADMIN, "owner");
const guest = viewer(roles.GUEST, "guest");
const hidden = { mask: accessMasks.IDENTIFIED_USER };

test("lets an object be read by viewers that its mask admits, or by its one reader", () => {
  const list = new RecencyList(10);
  const category = categoryOf();
  const put = (state: Thing | undefined, at: number): void => list.put(category, "a", state, at);
  const readable = (): boolean[] =>
    [owner, guest, viewer(roles.ANONYMOUS)].map((who) => category.entries.get("a")?.readableBy(who) ?? false);
  put({}, 1);
  assert.deepEqual(readable(), [true, true, false]);
  put(hidden, 2);
  assert.deepEqual(readable(), [true, false, false]);
  put({ reader: "guest" }, 3);
  assert.deepEqual(readable(), [false, true, false]);
  put({ ...hidden, reader: "guest" }, 4);
  assert.deepEqual(readable(), [false, false, false]);
  put(undefined, 5);
  assert.deepEqual(readable(), [false, false, false]);
});

test("remembers once who could read an earlier form, and until when", () => {
  const list = new RecencyList(10);
  const category = categoryOf();
  const knew = (who: Viewer, cursor = 0): boolean =>
    category.entries.get("a")?.wasReadableBy(who, cursor) ?? false;
  list.put(category, "a", hidden, 1);
  assert.deepEqual([knew(owner), knew(guest)], [false, false]);
  list.put(category, "a", undefined, 2);
  assert.deepEqual(
    [knew(owner), knew(guest)],
    [true, false],
    "the deletion concerns those who could read the object",
  );
  for (let at = 3; at < 50; at++) list.put(category, "a", at % 2 === 1 ? {} : hidden, at);
  assert.deepEqual([knew(owner), knew(guest)], [true, true]);
  assert.equal(category.entries.get("a")?.formerReaders.length, 2);
  list.put(category, "a", { reader: "guest" }, 50);
  assert.deepEqual([knew(viewer(roles.USER_ADMIN, "other")), knew(guest)], [true, true]);
});

test("forgets the loss of a right for cursors after it", () => {
  const list = new RecencyList(10);
  const category = categoryOf();
  const knew = (who: Viewer, cursor: number): boolean =>
    category.entries.get("a")?.wasReadableBy(who, cursor) ?? false;
  list.put(category, "a", {}, 1);
  list.put(category, "a", hidden, 2);
  list.put(category, "a", hidden, 3);
  assert.deepEqual([knew(guest, 1), knew(guest, 2)], [true, false]);
  list.put(category, "a", {}, 4);
  list.put(category, "a", hidden, 5);
  assert.deepEqual([knew(guest, 4), knew(guest, 5)], [true, false], "the right was lost again");
  list.put(category, "a", undefined, 6);
  assert.deepEqual([knew(guest, 5), knew(owner, 5), knew(owner, 6)], [false, true, false]);
});

test("rebuilds the same list from its rows", () => {
  const step = fc.record({
    id: fc.constantFrom("a", "b", "c", "d", "e"),
    state: fc.option(
      fc.record({ mask: fc.constantFrom(0xfe, 0xf8), n: fc.nat(3) }, { noNullPrototype: true }),
      { nil: undefined },
    ),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.nat(3), (steps, tombstones) => {
      const list = new RecencyList(tombstones);
      const category = categoryOf();
      for (const [at, { id, state }] of steps.entries()) list.put(category, id, state, at + 1);
      const copy = new RecencyList(tombstones);
      const again = categoryOf();
      copy.horizon = list.horizon;
      const rows = JSON.parse(JSON.stringify([...list.rows()]));
      for (const row of rows) copy.restore(again, row);
      assert.deepEqual([...copy.rows()], [...list.rows()]);
      assert.deepEqual([order(copy), copy.horizon], [order(list), list.horizon]);
      // Both lists forget later deletions at the same moment.
      for (const id of ["a", "c", "e", "b"]) {
        list.put(category, id, undefined, steps.length + 5);
        copy.put(again, id, undefined, steps.length + 5);
        assert.deepEqual([order(copy), copy.horizon], [order(list), list.horizon]);
      }
      const deleted = order(list).filter((id) => id.startsWith("("));
      assert.ok(deleted.length <= tombstones);
    }),
  );
});
