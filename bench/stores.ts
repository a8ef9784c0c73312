// What a poll would cost if its objects stood in a database: the same answer from the same objects.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { open } from "lmdb";

export interface StoredObject {
  readonly id: string;
  /** When it changed last (ms). */
  readonly timestamp: number;
  /** As the API serves it. */
  readonly json: string;
}

export interface PollStore {
  /** The bytes of a POLL_DELTA of the objects that have changed since. */
  poll(since: number): Uint8Array;
  close(): Promise<void>;
}

/** A table in memory with an index on the timestamp, read by a prepared statement. */
export function sqliteStore(objects: Iterable<StoredObject>): PollStore {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE objects (id TEXT PRIMARY KEY, timestamp INTEGER, json TEXT) WITHOUT ROWID");
  database.exec("CREATE INDEX newest ON objects (timestamp)");
  const insert = database.prepare("INSERT INTO objects VALUES (?, ?, ?)");
  database.exec("BEGIN");
  for (const { id, timestamp, json } of objects) insert.run(id, timestamp, json);
  database.exec("COMMIT");
  const changed = database.prepare(
    "SELECT id, json FROM objects WHERE timestamp > ? ORDER BY timestamp DESC",
  );
  const newest = database.prepare("SELECT max(timestamp) AS timestamp FROM objects");
  return {
    poll(since) {
      const rows = changed.all(since) as unknown as { id: string; json: string }[];
      const { timestamp } = newest.get() as unknown as { timestamp: number };
      return answerOf(rows, timestamp);
    },
    close: async () => database.close(),
  };
}

/** LMDB with the timestamp as key, read by a range scan; its file is in the page cache. */
export async function lmdbStore(objects: Iterable<StoredObject>): Promise<PollStore> {
  const folder = mkdtempSync(join(tmpdir(), "ledge-bench-"));
  const database = open<{ id: string; json: string }, [number, string]>({ path: join(folder, "poll") });
  let timestamp = 0;
  for (const object of objects) {
    void database.put([object.timestamp, object.id], { id: object.id, json: object.json });
    timestamp = Math.max(timestamp, object.timestamp);
  }
  await database.flushed;
  return {
    poll(since) {
      const rows: { id: string; json: string }[] = [];
      for (const { value } of database.getRange({ start: [since + 1, ""] })) rows.push(value);
      return answerOf(rows, timestamp);
    },
    async close() {
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function answerOf(rows: readonly { id: string; json: string }[], timestamp: number): Uint8Array {
  const start = `{"type":"POLL_DELTA","timestamp":${timestamp},"full":false,"polls":[`;
  if (rows.length === 0) return Buffer.from(`${start}]}`);
  const objects = rows.map(({ id, json }) => `"${id}":${json}`).join(",");
  return Buffer.from(`${start}{"type":"DEVICE_DELTA","timestamp":${timestamp},"devices":{${objects}}}]}`);
}
