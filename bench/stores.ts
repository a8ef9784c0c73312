// What a poll would cost if its objects stood in a database that is asked for what has changed: the same answer
// from the same objects, cut by the same rights. Both databases are given every advantage that the product has:
// statements prepared and warm, fragments of JSON ready, the newest timestamp known, everything in memory.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Viewer } from "@ledge/kernel";
import { open } from "lmdb";

export interface StoredObject {
  readonly id: string;
  /** When it changed last (ms). */
  readonly timestamp: number;
  /** Index of its category in the poll's order. */
  readonly category: number;
  /** Role bits that may read it. */
  readonly mask: number;
  /** The only user who may, or null. */
  readonly reader: string | null;
  /** As a poll shows it: `"<id>":<JSON>`. */
  readonly fragment: string;
}

export interface PollStore {
  /** The bytes of a POLL_DELTA of the objects that have changed since and that the viewer may read. */
  poll(since: number, viewer: Viewer): Uint8Array;
  close(): Promise<void>;
}

/** A category as a poll names it. */
interface CategoryName {
  readonly type: string;
  readonly field: string;
}

/** A table in memory with an index on the timestamp; SQLite itself filters and joins the fragments. */
export function sqliteStore(objects: Iterable<StoredObject>, categories: readonly CategoryName[]): PollStore {
  const database = new DatabaseSync(":memory:");
  database.exec(
    "CREATE TABLE objects (id TEXT PRIMARY KEY, timestamp INTEGER, category INTEGER, mask INTEGER, reader TEXT, fragment TEXT) WITHOUT ROWID",
  );
  database.exec("CREATE INDEX newest ON objects (timestamp)");
  const insert = database.prepare("INSERT INTO objects VALUES (?, ?, ?, ?, ?, ?)");
  let newest = 0;
  database.exec("BEGIN");
  for (const { id, timestamp, category, mask, reader, fragment } of objects) {
    insert.run(id, timestamp, category, mask, reader, fragment);
    newest = Math.max(newest, timestamp);
  }
  database.exec("COMMIT");
  const changed = database.prepare(
    "SELECT category, fragment FROM objects WHERE timestamp > ? AND (mask & ?) > 0 AND (reader IS NULL OR reader = ?) ORDER BY timestamp DESC",
  );
  changed.setReturnArrays(true);
  return {
    poll(since, { role, user }) {
      const found: string[][] = [];
      const rows = changed.all(since, role, user) as unknown as [category: number, fragment: string][];
      for (const [category, fragment] of rows) (found[category] ??= []).push(fragment);
      return answerOf(found, newest, categories);
    },
    close: async () => database.close(),
  };
}

type StoredRow = [category: number, mask: number, reader: string | null, fragment: string];

/** LMDB with the timestamp as key, read by a range scan; its file is in the page cache. */
export async function lmdbStore(
  objects: Iterable<StoredObject>,
  categories: readonly CategoryName[],
): Promise<PollStore> {
  const folder = mkdtempSync(join(tmpdir(), "ledge-bench-"));
  const database = open<StoredRow, [number, string]>({ path: join(folder, "poll") });
  let newest = 0;
  for (const { id, timestamp, category, mask, reader, fragment } of objects) {
    void database.put([timestamp, id], [category, mask, reader, fragment]);
    newest = Math.max(newest, timestamp);
  }
  await database.flushed;
  return {
    poll(since, { role, user }) {
      const found: string[][] = [];
      for (const { value } of database.getRange({ start: [since + 1, ""] })) {
        const [category, mask, reader, fragment] = value;
        if ((mask & role) > 0 && (reader === null || reader === user)) {
          (found[category] ??= []).push(fragment);
        }
      }
      return answerOf(found, newest, categories);
    },
    async close() {
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @param found fragments by category, where there are any. */
function answerOf(
  found: readonly (readonly string[])[],
  timestamp: number,
  categories: readonly CategoryName[],
): Uint8Array {
  const deltas: string[] = [];
  found.forEach((fragments, category) => {
    const { type, field } = categories[category] as CategoryName;
    deltas.push(`{"type":"${type}","timestamp":${timestamp},"${field}":{${fragments.join(",")}}}`);
  });
  return Buffer.from(
    `{"type":"POLL_DELTA","timestamp":${timestamp},"full":false,"polls":[${deltas.join(",")}]}`,
  );
}
