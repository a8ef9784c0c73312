import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryRegisterStore, type OutboxMessage, type Refused, type Row, type RowKey } from "@ledge/fleet";
import type { ChangeEvent, ChangeLine, ChangesEnd, ChangesHead } from "@ledge/link";
import { limits } from "@ledge/model";
import { type AppliedChanges, applyChanges } from "./applying.ts";
import { gatewayRow } from "./rows.ts";

const hubId = "hub";
const now = (): number => 100;
const device = (id: string, timestamp: number): ChangeLine => ({ device: { id, timestamp, name: id } });

/** The register of one hub, and a way to give it answers. */
function register() {
  const store = memoryRegisterStore(now);
  const changed: string[] = [];
  const told: string[] = [];
  const stored: string[] = [];
  const following = new AbortController();
  const options = {
    store,
    signal: following.signal,
    now,
    described: (row: Row) => row,
    gateways: [gatewayRow(hubId, hubId, { name: "Cabin", version: "1", at: 1 })],
    messagesFor: ({ ref, device: id }: ChangeEvent) => {
      return id === "bound" ? [{ topic: "site", ref, body: { id } }] : [];
    },
    onEvents: (events: readonly ChangeEvent[]): void => {
      told.push(...events.map(({ ref }) => ref));
    },
    onStored: (messages: readonly OutboxMessage[]): void => {
      stored.push(...messages.map(({ ref }) => ref));
    },
    onChanged: (keys: readonly RowKey[]): void => {
      changed.push(...keys.map(({ kind, id }) => `${kind} ${id}`));
    },
  };
  const apply = async (
    next: string,
    lines: readonly ChangeLine[],
    more: Partial<ChangesHead & ChangesEnd> = {},
  ): Promise<AppliedChanges | Refused> => {
    const { cursor = null } = (await store.cursorOf(hubId)) ?? {};
    const { upto = null, ...rest } = more;
    const head = { v: 1, share: "states", generation: 0, full: false, after: cursor, ...rest } as const;
    return applyChanges(hubId, cursor, { head, lines, end: { next, more: false, upto } }, options);
  };
  /** Returns the rows that have changed. */
  const take = async (...answer: Parameters<typeof apply>): Promise<string[] | undefined> => {
    changed.length = 0;
    const applied = await apply(...answer);
    if (applied.outcome === "refused") return undefined;
    assert.equal(applied.changed, changed.length);
    return [...changed];
  };
  const ids = async (kind: Row["kind"] = "device"): Promise<string[]> => {
    const found: string[] = [];
    for await (const { id } of store.scan(hubId, kind)) found.push(id);
    return found.toSorted();
  };
  return { store, stored, told, options, apply, take, ids, abort: () => following.abort() };
}

test("a full answer removes what it does not name, and a repeated one changes nothing", async () => {
  const { take, ids } = register();
  await take("a", [device("one", 1), device("two", 1)], { full: true });
  assert.deepEqual(await ids(), ["hub", "one", "two"]);
  assert.deepEqual(await take("b", [device("two", 1)], { full: true }), ["device one"]);
  assert.deepEqual(await take("b", [device("two", 1)], { full: true }), []);
  assert.deepEqual(await ids(), ["hub", "two"]);
});

test("an answer adds, changes and removes", async () => {
  const { take, ids } = register();
  await take("a", [device("one", 1)], { full: true });
  const removed = { removed: { kind: "device", id: "one", timestamp: 2 } } as const;
  const alarm = { alarm: { id: "alarm", timestamp: 2 } };
  assert.deepEqual(await take("b", [device("two", 2), removed, alarm]), [
    "device one",
    "device two",
    "alarm alarm",
  ]);
  assert.deepEqual([await ids(), await ids("alarm")], [["hub", "two"], ["alarm"]]);
});

test("an answer of an older generation is refused", async () => {
  const { take, ids } = register();
  await take("a", [device("one", 1)], { full: true, generation: 5 });
  assert.equal(await take("b", [device("two", 1)], { generation: 4 }), undefined);
  assert.deepEqual(await ids(), ["hub", "one"]);
});

test("a hub that shares nothing keeps itself alone in its register, and says what went", async () => {
  const { take, ids, store } = register();
  await take("s.1", [device("one", 1)], { full: true });
  assert.deepEqual(await take("n.0", [], { share: "none" }), ["device one", "device hub"]);
  assert.deepEqual([await ids(), (await store.cursorOf(hubId))?.cursor], [["hub"], "n.0"]);
  assert.deepEqual(await take("n.0", [], { share: "none" }), []);
});

test("a hub cannot take the id of another source's device", async () => {
  const { apply, take, ids, store } = register();
  const foreign = gatewayRow("other", "other", { name: "Other", version: "1", at: 1 });
  const row = { ...foreign, register: hubId, id: "one", source: "other" };
  const batch = { source: "other", generation: 0, after: null, upto: "x", removals: [], outbox: [] };
  await store.apply({ ...batch, upserts: [row] });
  const applied = await apply("a", [device("one", 9), device("two", 9)], { full: true });
  assert.deepEqual(applied, { outcome: "applied", changed: 2, leftOut: 1 });
  assert.equal((await store.get({ register: hubId, kind: "device", id: "one" }))?.source, "other");
  assert.deepEqual(await take("b", [], { full: true }), ["device two"]);
  assert.deepEqual(await ids(), ["hub", "one"]);
});

test("counts the objects that no register can hold", async () => {
  const { apply } = register();
  const lines = [device("one", 1), device("../x", 1), device("two", -1), device(hubId, 1)];
  assert.deepEqual(await apply("a", lines, { full: true }), { outcome: "applied", changed: 2, leftOut: 3 });
});

test("a page of a full answer removes only what lies on it", async () => {
  const { take, ids } = register();
  const alarm = (id: string): ChangeLine => ({ alarm: { id, timestamp: 1 } });
  const all = ["a", "b", "c", "d", "e"];
  await take("0", [...all.map((id) => device(id, 1)), alarm("x"), alarm("z")], { full: true });
  const place = (id: string, kind: "device" | "alarm" = "device") => ({ kind, id });
  assert.deepEqual(await take("1", [device("b", 1)], { full: true, upto: place("b") }), ["device a"]);
  const second = { full: true, from: place("b"), upto: place("cc") };
  assert.deepEqual(await take("2", [], second), ["device c"]);
  assert.deepEqual(
    [await ids(), await ids("alarm")],
    [
      ["b", "d", "e", "hub"],
      ["x", "z"],
    ],
  );
  const third = { full: true, from: place("cc"), upto: place("y", "alarm") };
  assert.deepEqual(await take("3", [device("e", 1)], third), ["device d", "alarm x"]);
  const last = { full: true, from: place("y", "alarm") };
  assert.deepEqual(await take("4", [alarm("new")], last), ["alarm z", "alarm new"]);
  assert.deepEqual([await ids(), await ids("alarm")], [["b", "e", "hub"], ["new"]]);
});

test("a page whose end lies before its beginning removes nothing", async () => {
  const { take, ids } = register();
  await take("0", [device("a", 1), device("b", 1)], { full: true });
  const from = { kind: "alarm", id: "z" } as const;
  assert.deepEqual(await take("1", [], { full: true, from, upto: { kind: "device", id: "a" } }), []);
  assert.deepEqual(await ids(), ["a", "b", "hub"]);
});

test("a hub that lost many devices removes them in slices", async () => {
  const { take, ids, store } = register();
  const many = Array.from({ length: 2 * limits.scanSliceRows + 1 }, (_, at) => device(`d${at}`, 1));
  await take("0", many, { full: true });
  const sizes: number[] = [];
  const apply = store.apply.bind(store);
  store.apply = (batch) => {
    sizes.push(batch.removals.length);
    return apply(batch);
  };
  assert.equal((await take("1", [], { full: true }))?.length, many.length);
  assert.deepEqual([sizes, await ids()], [[limits.scanSliceRows, limits.scanSliceRows, 1, 0], ["hub"]]);
  assert.deepEqual(await store.cursorOf(hubId), { cursor: "1", generation: 0, note: "states" });
});

test("a deletion that is interrupted goes on, whatever the hub shares by then", async () => {
  for (const share of ["none", "states"] as const) {
    const { take, ids, store } = register();
    await take("s.1", [device("one", 1), device("two", 1)], { full: true });
    const forget = store.forget.bind(store);
    store.forget = () => Promise.reject(new Error("killed"));
    await assert.rejects(take("n.0", [], { share: "none" }), /killed/);
    store.forget = forget;
    const { cursor } = (await store.cursorOf(hubId)) ?? {};
    assert.deepEqual([cursor, await ids()], ["anew", ["hub"]]);
    await take("s.2", share === "none" ? [] : [device("two", 2)], { share, full: share === "states" });
    assert.deepEqual(await ids(), share === "none" ? ["hub"] : ["hub", "two"]);
  }
});

test("an answer is not stored once its follow is aborted", async () => {
  for (const share of ["states", "none"] as const) {
    const { apply, ids, store, abort } = register();
    abort();
    await assert.rejects(apply("a", [device("one", 1)], { full: true, share }), { name: "AbortError" });
    assert.deepEqual([await ids(), await store.cursorOf(hubId)], [[], undefined]);
  }
});

test("a follow that is aborted while it deletes a home leaves what the next one has stored", async () => {
  const { apply, take, ids, store, options, abort } = register();
  await take("s.1", [device("one", 1)], { full: true });
  const write = store.apply.bind(store);
  store.apply = async (batch) => {
    const applied = await write(batch);
    if (batch.removals.length > 0) {
      store.apply = write;
      abort();
      const head = { v: 1, share: "states", generation: 0, full: true, after: "anew" } as const;
      const read = { head, lines: [device("two", 2)], end: { next: "s.2", more: false } };
      await applyChanges(hubId, "anew", read, { ...options, signal: new AbortController().signal });
    }
    return applied;
  };
  await assert.rejects(apply("n.0", [], { share: "none" }), { name: "AbortError" });
  assert.deepEqual([await ids(), (await store.cursorOf(hubId))?.cursor], [["hub", "two"], "s.2"]);
});

test("a full answer removes no more rows once its follow is aborted", async () => {
  const { apply, take, ids, options, abort } = register();
  const many = Array.from({ length: limits.scanSliceRows + 1 }, (_, at) => device(`d${at}`, 1));
  await take("0", many, { full: true });
  options.onChanged = abort;
  await assert.rejects(apply("1", [], { full: true }), { name: "AbortError" });
  assert.equal((await ids()).length, 2);
});

test("the store knows what a hub shares", async () => {
  const { take, store } = register();
  const shared = async (): Promise<unknown> => (await store.cursorOf(hubId))?.note;
  await take("a", [], { full: true });
  assert.equal(await shared(), "states");
  await take("n.0", [], { share: "none" });
  assert.equal(await shared(), "none");
});

test("events of devices go into the outboxes together with the cursor, once, and go with the share", async () => {
  const { apply, take, store, stored, told } = register();
  const event = (ref: string, id: string): ChangeLine => {
    return { event: { ref, device: id, type: "StateChanged", timestamp: 1 } };
  };
  const refs = async (): Promise<string[]> => (await store.outbox("site", 0, 10)).map(({ ref }) => ref);
  await take("a", [device("bound", 1)], { full: true });
  const lines = [event("1-0", "bound"), event("1-1", "free"), event("2-0", "bound"), device("bound", 2)];
  await take("b", lines);
  assert.deepEqual(
    [await refs(), stored],
    [
      ["1-0", "2-0"],
      ["1-0", "2-0"],
    ],
  );
  assert.deepEqual(told, ["1-0", "1-1", "2-0"]);
  // Another process has taken this answer already.
  const read = { head: { v: 1, share: "states", generation: 0, full: false, after: "a" }, lines } as const;
  const { options } = register();
  const late = { ...options, store };
  const repeated = await applyChanges(hubId, "a", { ...read, end: { next: "b", more: false } }, late);
  assert.equal(repeated.outcome, "refused");
  assert.deepEqual(await refs(), ["1-0", "2-0"]);
  await apply("n.0", [], { share: "none" });
  assert.deepEqual(await refs(), []);
});
