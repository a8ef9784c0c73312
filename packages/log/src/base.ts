import { setImmediate } from "node:timers/promises";
import type { BlockStore } from "./block.ts";
import { type Chunks, chunksOf, decodeRecord, encodeRecord, rowsOf, wholeChunks } from "./chunks.ts";
import { crc32c } from "./crc32c.ts";
import type { Base, Snapshot } from "./event-log.ts";

/*
 * How a base is stored. Its key is its timestamp, padded to 16 digits: chunks under `base/<timestamp>/<number>`,
 * and a record under `bases/<timestamp>`. The record is written last, when every chunk is on disk.
 */
type Record = Base & Chunks;
type Stored = Pick<BlockStore, "readSnapshotPart" | "snapshotKeys">;
type Parts = Stored & Pick<BlockStore, "writeSnapshotParts">;

const records = "bases/";
const place = (timestamp: number): string => String(timestamp).padStart(16, "0");
const recordAt = (timestamp: number): string => `${records}${place(timestamp)}`;
const chunksAt = (timestamp: number): string => `base/${place(timestamp)}`;

/** How many chunks one flush covers. An append waits for at most one such flush. */
const chunksPerFlush = 4;

/** Encodes a base into parts that a store takes, with the record last. Yields to the event loop between chunks. */
export async function encodeBase({ timestamp, format, rows }: Snapshot): Promise<Map<string, Buffer>> {
  const parts = new Map<string, Buffer>();
  const chunks: number[] = [];
  let bytes = 0;
  for (const chunk of chunksOf(rows)) {
    parts.set(`${chunksAt(timestamp)}/${chunks.length}`, chunk);
    chunks.push(crc32c(chunk));
    bytes += chunk.length;
    await setImmediate();
  }
  const record: Record = { timestamp, format, bytes, chunks };
  return parts.set(recordAt(timestamp), encodeRecord(record));
}

/**
 * Writes a base beside the stored ones, and removes bases of other formats.
 * @throws what `writeSnapshotParts` rejects with; the other bases are then still whole
 */
export async function writeBase(store: Parts, base: Snapshot): Promise<void> {
  const parts = [...(await encodeBase(base))];
  const record = parts.splice(-1);
  while (parts.length > 0) await store.writeSnapshotParts(new Map(parts.splice(0, chunksPerFlush)));
  const gone = removedBases(store, ({ timestamp, format }) => {
    return format !== base.format && timestamp !== base.timestamp;
  });
  await store.writeSnapshotParts(new Map([...record, ...gone]));
}

/** Returns the writes that remove the bases which `isGone` selects, and all damaged ones. */
export function removedBases(store: Stored, isGone: (base: Base) => boolean): Map<string, undefined> {
  const removed = new Map<string, undefined>();
  for (const key of store.snapshotKeys(records)) {
    const record = recordOf(store, key);
    if (record !== undefined && !isGone(record)) continue;
    removed.set(key, undefined);
    const chunks = `${chunksAt(Number(key.slice(records.length)))}/`;
    for (const chunk of store.snapshotKeys(chunks)) removed.set(chunk, undefined);
  }
  return removed;
}

/** Returns the stored bases, oldest first. */
export function storedBases(store: Stored): Base[] {
  return store.snapshotKeys(records).flatMap((key) => {
    const record = recordOf(store, key);
    return record === undefined ? [] : [baseOf(record)];
  });
}

/**
 * Returns the newest whole base that `isWanted` accepts.
 * @param isWanted called from the newest base to the oldest
 */
export function readBase(store: Stored, isWanted: (base: Base) => boolean): Snapshot | undefined {
  for (const key of store.snapshotKeys(records).toReversed()) {
    const record = recordOf(store, key);
    if (record === undefined || !isWanted(record)) continue;
    const { timestamp, format } = record;
    const chunks = wholeChunks(store, chunksAt(timestamp), record);
    if (chunks !== undefined) return { timestamp, format, rows: rowsOf(chunks) };
  }
  return undefined;
}

function recordOf(store: Stored, key: string): Record | undefined {
  return decodeRecord(store.readSnapshotPart(key)) as Record | undefined;
}

function baseOf({ timestamp, format, bytes }: Record): Base {
  return { timestamp, format, bytes };
}
