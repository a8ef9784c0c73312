import assert from "node:assert/strict";
import { test } from "node:test";
import { readSnapshot, writeSnapshot } from "./snapshot.ts";

/** Keeps parts in memory. Fails from the given flush on, counted from 1. */
function partsInMemory(parts = new Map<string, Buffer>(), failingFlush = Infinity) {
  const flushes: string[][] = [];
  return {
    parts,
    flushes,
    readSnapshotPart: (key: string) => parts.get(key),
    writeSnapshotParts: async (written: ReadonlyMap<string, Buffer>) => {
      flushes.push([...written.keys()]);
      if (flushes.length >= failingFlush) throw new Error("no space");
      for (const [key, bytes] of written) parts.set(key, bytes);
    },
  };
}

const rowsOf = (count: number, mark: string): unknown[] =>
  Array.from({ length: count }, (_, i) => ({ id: i, mark, text: "x".repeat(300) }));
const snapshot = (timestamp: number, rows: Iterable<unknown>) => ({ timestamp, format: "f", rows });

function markOf(store: ReturnType<typeof partsInMemory>): unknown {
  const found = readSnapshot(store, "f", 100);
  if (found === undefined) return undefined;
  const marks = new Set([...found.rows].map((row) => (row as { mark: string }).mark));
  assert.equal(marks.size, 1, "rows of two snapshots are mixed");
  return [...marks][0];
}

test("writes chunks of about 64 KiB, four to a flush, then the header alone", async () => {
  const store = partsInMemory();
  await writeSnapshot(store, snapshot(1, rowsOf(1500, "one")));
  const chunks = [...store.parts].filter(([key]) => key !== "a/header").map(([, bytes]) => bytes.length);
  assert.equal(chunks.length, 8);
  assert.ok(
    chunks.slice(0, -1).every((bytes) => bytes > 65_536 && bytes < 70_000),
    String(chunks),
  );
  assert.deepEqual(store.flushes, [
    ["a/0", "a/1", "a/2", "a/3"],
    ["a/4", "a/5", "a/6", "a/7"],
    [],
    ["a/header"],
  ]);
});

test("yields to the event loop between chunks", async () => {
  const store = partsInMemory();
  let turns = 0;
  let isSaving = true;
  const turn = (): void => {
    turns += 1;
    if (isSaving) setImmediate(turn);
  };
  setImmediate(turn);
  await writeSnapshot(store, snapshot(1, rowsOf(2000, "one")));
  isSaving = false;
  assert.ok(turns >= 10, `${turns} turns for 10 chunks`);
});

test("keeps the previous snapshot when saving fails at any flush", async () => {
  for (let flush = 1; flush <= 4; flush++) {
    const store = partsInMemory();
    await writeSnapshot(store, snapshot(1, rowsOf(1500, "one")));
    await writeSnapshot(store, snapshot(2, rowsOf(1500, "two")));
    const failing = partsInMemory(store.parts, flush);
    await assert.rejects(writeSnapshot(failing, snapshot(3, rowsOf(1500, "three"))), /no space/);
    assert.equal(markOf(store), "two", `after ${flush - 1} flushes`);
    await writeSnapshot(store, snapshot(4, rowsOf(1500, "four")));
    assert.equal(markOf(store), "four");
  }
});

test("parses rows as the caller takes them, any number of times", async () => {
  const store = partsInMemory();
  await writeSnapshot(store, snapshot(1, rowsOf(1000, "one")));
  const { rows } = readSnapshot(store, "f", 1) ?? assert.fail("there is no snapshot");
  const [first] = rows;
  assert.deepEqual(first, rowsOf(1, "one")[0]);
  assert.deepEqual([...rows], rowsOf(1000, "one"));
  assert.deepEqual([...rows], rowsOf(1000, "one"));
});

test("skips a snapshot that is ahead of a log whose end was cut", async () => {
  const store = partsInMemory();
  await writeSnapshot(store, snapshot(10, rowsOf(1, "older")));
  await writeSnapshot(store, snapshot(20, rowsOf(1, "newer")));
  assert.equal(readSnapshot(store, "f", 20)?.timestamp, 20);
  assert.equal(readSnapshot(store, "f", 19)?.timestamp, 10);
  assert.equal(readSnapshot(store, "f", 9), undefined);
});

test("rejects a snapshot with a truncated or missing part", async () => {
  for (const change of [
    (parts: Map<string, Buffer>) => parts.delete("a/0"),
    (parts: Map<string, Buffer>) => parts.delete("a/header"),
    (parts: Map<string, Buffer>) => parts.set("a/0", parts.get("a/0")?.subarray(1) ?? assert.fail()),
    (parts: Map<string, Buffer>) => parts.set("a/header", Buffer.alloc(3)),
    (parts: Map<string, Buffer>) => parts.set("a/header", Buffer.alloc(0)),
  ]) {
    const store = partsInMemory();
    await writeSnapshot(store, snapshot(1, rowsOf(10, "one")));
    change(store.parts);
    assert.equal(readSnapshot(store, "f", 1), undefined);
  }
});
