import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryRegisterStore, type Row } from "@ledge/fleet";
import type { ChangeLine } from "@ledge/link";
import { applyChanges } from "./applying.ts";
import { gatewayRow } from "./rows.ts";

const hubId = "hub";
const now = (): number => 100;
const device = (id: string, timestamp: number): ChangeLine => ({ device: { id, timestamp, name: id } });

/** The register of one hub, and a way to give it answers. */
function register() {
  const store = memoryRegisterStore(now);
  const options = {
    store,
    now,
    described: (row: Row) => row,
    gateway: gatewayRow(hubId, { name: "Cabin", version: "1", at: 1 }),
  };
  const take = async (
    next: string,
    lines: ChangeLine[],
    more: object = {},
  ): Promise<string[] | undefined> => {
    const { cursor = null } = (await store.cursorOf(hubId)) ?? {};
    const head = { v: 1, share: "states", generation: 0, full: false, after: cursor, ...more } as const;
    const applied = await applyChanges(hubId, cursor, { head, lines, end: { next, more: false } }, options);
    return applied?.changed.map(({ kind, id }) => `${kind} ${id}`);
  };
  const ids = async (kind: Row["kind"] = "device"): Promise<string[]> => {
    const found: string[] = [];
    for await (const { id } of store.scan(hubId, kind)) found.push(id);
    return found.toSorted();
  };
  return { store, take, ids };
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
  assert.deepEqual(
    await take("n.0", [], { share: "none" }),
    ["device hub", "device one", "device hub"].slice(1),
  );
  assert.deepEqual([await ids(), (await store.cursorOf(hubId))?.cursor], [["hub"], "n.0"]);
  assert.deepEqual(await take("n.0", [], { share: "none" }), []);
});

test("a hub cannot take the id of another source's device", async () => {
  const { take, store } = register();
  const foreign = gatewayRow("other", { name: "Other", version: "1", at: 1 });
  const row = { ...foreign, register: hubId, id: "one", source: "other" };
  const batch = { source: "other", generation: 0, after: null, upto: "x", removals: [], outbox: [] };
  await store.apply({ ...batch, upserts: [row] });
  await take("a", [device("one", 9)], { full: true });
  assert.equal((await store.get({ register: hubId, kind: "device", id: "one" }))?.source, "other");
});
