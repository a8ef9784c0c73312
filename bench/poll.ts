// The poll delta in process: against a copy of the same bytes, and against databases that do the same work.
import assert from "node:assert/strict";
import { accessMasks, categories } from "@ledge/model";
import type { Figure } from "./figure.ts";
import { openFurnishedHome } from "./furnished.ts";
import { collectGarbage } from "./heap.ts";
import { changedCounts, type Home, openHome, owner } from "./home.ts";
import { interleavedMinima } from "./rounds.ts";
import { lmdbStore, sqliteStore, type StoredObject } from "./stores.ts";

/** Objects in the home. */
const homes = [1000, 10_000, 100_000] as const;

/** Times the bytes' copy that a poll may take, by changed objects. */
const copyLimits: ReadonlyMap<number, number> = new Map([
  [10, 12],
  [100, 3.5],
  [1000, 3.5],
]);

/** Of polls of every size; the longer ones come in every tenth and hundredth. */
const warmRounds = 3000;

export async function pollFigures(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const objects of homes) {
    const home = await openHome(objects);
    warm((cursor) => home.poll(cursor), home);
    figures.push(...(await againstCopy(home, objects)));
    if (objects === 10_000) {
      figures.push(...allocations(home), ...(await againstStores(home)));
    }
  }
  return [...figures, ...(await ofEveryCategory(10_000))];
}

/**
 * Has answers of all sizes given, in turn: what has seen one size only is compiled for it, and compiled anew in the
 * midst of measuring the next.
 */
function warm(poll: (cursor: number) => unknown, { cursors }: Home): void {
  for (let round = 0; round < warmRounds; round++)
    for (const [changed, cursor] of cursors) if (round % Math.max(changed / 10, 1) === 0) poll(cursor);
}

async function againstCopy(home: Home, objects: number): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const changed of changedCounts) {
    const cursor = home.cursors.get(changed) as number;
    assert.equal(changedIn(home.poll(cursor)).total, changed);
    const of = `${changed} changed of ${objects}`;
    figures.push(
      ...(await onceAgainstCopy(`poll ${changed} of ${objects}`, home, cursor, of, copyLimits.get(changed))),
    );
  }
  return figures;
}

/** One object of each category has changed, beside devices that have not. */
async function ofEveryCategory(devices: number): Promise<readonly Figure[]> {
  const { home, cursor } = await openFurnishedHome(devices);
  const { byCategory, total } = changedIn(home.poll(cursor));
  assert.deepEqual([byCategory.length, total], [categories.length, categories.length]);
  const of = `one changed in each of ${categories.length} categories beside ${devices} devices`;
  return onceAgainstCopy("poll of every category", home, cursor, of, copyLimits.get(10));
}

async function onceAgainstCopy(
  name: string,
  home: Home,
  cursor: number,
  what: string,
  limit: number | undefined,
): Promise<readonly Figure[]> {
  const answer = home.poll(cursor);
  const best = await interleavedMinima({ poll: () => home.poll(cursor), copy: copying(answer) });
  const of = `${what}, ${answer.length} bytes`;
  return [
    {
      name: `${name} time`,
      value: best.poll,
      unit: "ns",
      limit: null,
      gated: false,
      how: `best of rounds, ${of}`,
    },
    {
      name: `${name} per copy`,
      value: best.poll / best.copy,
      unit: "x",
      limit: limit === undefined ? null : `<= ${limit}`,
      gated: limit !== undefined,
      how: `interleaved minima, the answer copied at once into a new buffer, ${of}`,
    },
  ];
}

/** What a poll must do at the least. */
function copying(answer: Uint8Array): () => Uint8Array {
  return () => {
    const out = Buffer.allocUnsafe(answer.length);
    out.set(answer, 0);
    return out;
  };
}

/** Bytes of the JavaScript heap per poll; the answer's own buffer stands outside of it. */
function allocations(home: Home): readonly Figure[] {
  const polls = 2000;
  return changedCounts.map((changed) => {
    const cursor = home.cursors.get(changed) as number;
    let best = Infinity;
    for (let round = 0; round < 5; round++) {
      const before = collectGarbage();
      for (let poll = 0; poll < polls; poll++) home.poll(cursor);
      const after = process.memoryUsage().heapUsed;
      if (after >= before) best = Math.min(best, (after - before) / polls);
    }
    return {
      name: `poll ${changed} of 10000 heap`,
      value: best,
      unit: "bytes",
      limit: "<= 1024",
      gated: true,
      how: `growth of the heap over ${polls} polls without a collection between, least of 5`,
    };
  });
}

const storeHows = {
  sqlite:
    "interleaved minima; node:sqlite in memory, prepared statement over an index on the timestamp, rights checked in SQL, JSON fragments joined by category: the same bytes",
  lmdb: "interleaved minima; LMDB range scan by timestamp, rights checked, JSON fragments joined by category: the same bytes",
} as const;

async function againstStores(home: Home): Promise<readonly Figure[]> {
  const stored = [...objectsOf(home)];
  const sqlite = sqliteStore(stored, categories);
  const lmdb = await lmdbStore(stored, categories);
  for (const store of [sqlite, lmdb]) warm((cursor) => store.poll(cursor, owner), home);
  const figures: Figure[] = [];
  for (const changed of changedCounts) {
    const cursor = home.cursors.get(changed) as number;
    const answer = home.poll(cursor);
    for (const store of [sqlite, lmdb]) {
      const other = store.poll(cursor, owner);
      assert.equal(other.length, answer.length, "the same number of bytes");
      assert.deepEqual(parsed(other), parsed(answer), "the same answer");
    }
    const best = await interleavedMinima({
      poll: () => home.poll(cursor),
      sqlite: () => sqlite.poll(cursor, owner),
      lmdb: () => lmdb.poll(cursor, owner),
      copy: copying(answer),
    });
    for (const store of ["sqlite", "lmdb"] as const) {
      figures.push({
        name: `poll ${changed} of 10000, ${store} per poll`,
        value: best[store] / best.poll,
        unit: "x",
        limit: ">= 10",
        gated: true,
        how: storeHows[store],
      });
      figures.push({
        name: `poll ${changed} of 10000, ${store} per copy`,
        value: best[store] / best.copy,
        unit: "x",
        limit: null,
        gated: false,
        how: "interleaved minima; the finished answer copied into a new buffer, by which an ideal poll would be measured",
      });
    }
  }
  await Promise.all([sqlite.close(), lmdb.close()]);
  return figures;
}

function* objectsOf(home: Home): Generator<StoredObject> {
  const category = categories.findIndex(({ type }) => type === "DEVICE_DELTA");
  for (const [id, { timestamp }] of home.kernel.all("device")) {
    const shown = home.kernel.render("device", id, owner, "en");
    const fragment = `${JSON.stringify(id)}:${JSON.stringify(shown)}`;
    yield { id, timestamp, category, mask: accessMasks.GUEST, reader: null, fragment };
  }
}

function parsed(answer: Uint8Array): unknown {
  return JSON.parse(Buffer.from(answer).toString());
}

/** How many objects an answer holds, by category and in all. */
function changedIn(answer: Uint8Array): { byCategory: readonly number[]; total: number } {
  const { polls } = parsed(answer) as { polls: readonly Readonly<Record<string, object>>[] };
  const byCategory = polls.map((delta) => {
    const field = categories.find(({ type }) => type === (delta["type"] as unknown))?.field ?? "";
    return Object.keys(delta[field] ?? {}).length;
  });
  return { byCategory, total: byCategory.reduce((sum, count) => sum + count, 0) };
}
