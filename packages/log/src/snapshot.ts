import { setImmediate } from "node:timers/promises";
import type { BlockStore } from "./block.ts";
import { type Chunks, chunksOf, decodeRecord, encodeRecord, rowsOf, wholeChunks } from "./chunks.ts";
import { crc32c } from "./crc32c.ts";
import type { Snapshot } from "./event-log.ts";

/*
 * How snapshots are stored. A snapshot occupies one of two slots, in parts: chunks `<slot>/0`, `<slot>/1` and so
 * on, each a JSON array of rows, then `<slot>/header`: the CRC-32C (4 bytes, little-endian) of a JSON `Header`,
 * and that JSON. The header holds the checksums of the chunks and is written when every chunk is on disk. So the
 * chunks of a partly overwritten slot do not match its old header, and the other slot still holds the snapshot
 * before.
 */
const slots = ["a", "b"] as const;
type Slot = (typeof slots)[number];
type Stored = Pick<BlockStore, "readSnapshotPart">;
type Parts = Stored & Pick<BlockStore, "writeSnapshotParts">;

interface Header extends Chunks {
  /** Counts the snapshots saved. The higher number is the newer snapshot. */
  readonly generation: number;
  readonly timestamp: number;
  readonly format: string;
}

/** How many chunks one flush covers. An append waits for at most one such flush. */
const chunksPerFlush = 4;

/**
 * Writes a snapshot beside the newest one. Yields to the event loop between chunks.
 * @throws what `writeSnapshotParts` rejects with; the newest snapshot is then still whole
 */
export async function writeSnapshot(store: Parts, snapshot: Snapshot): Promise<void> {
  const { slot, generation } = nextPlace(store);
  const checksums: number[] = [];
  let parts = new Map<string, Buffer>();
  for (const chunk of chunksOf(snapshot.rows)) {
    parts.set(`${slot}/${checksums.length}`, chunk);
    checksums.push(crc32c(chunk));
    if (parts.size === chunksPerFlush) {
      await store.writeSnapshotParts(parts);
      parts = new Map();
    }
    await setImmediate();
  }
  await store.writeSnapshotParts(parts);
  const { timestamp, format } = snapshot;
  const header: Header = { generation, timestamp, format, chunks: checksums };
  await store.writeSnapshotParts(new Map([[`${slot}/header`, encodeRecord(header)]]));
}

/**
 * Returns the newest snapshot of `format` that is whole and not ahead of the log. Parses its rows chunk by chunk
 * as the caller takes them.
 * @param last timestamp (ms) of the newest durable commit
 * @param isInLog whether the log holds the commit at which a snapshot was taken. A commit that was cut off with a
 *   damaged end must not come back when the log has grown past it
 */
export function readSnapshot(
  store: Stored,
  format: string,
  last: number,
  isInLog: (timestamp: number) => boolean = () => true,
): Snapshot | undefined {
  for (const { slot, header } of storedHeaders(store)) {
    if (header.format !== format || header.timestamp > last || !isInLog(header.timestamp)) continue;
    const chunks = wholeChunks(store, slot, header);
    if (chunks !== undefined) return { timestamp: header.timestamp, format, rows: rowsOf(chunks) };
  }
  return undefined;
}

/** A stored snapshot. `isWhole` is false when the process ended while it was overwritten. */
export interface StoredSnapshot {
  readonly timestamp: number;
  readonly format: string;
  readonly isWhole: boolean;
}

/** Returns the stored snapshots, newest first. At most one of the two is not whole. */
export function storedSnapshots(store: Stored): StoredSnapshot[] {
  return storedHeaders(store).map(({ slot, header }) => {
    const { timestamp, format } = header;
    return { timestamp, format, isWhole: wholeChunks(store, slot, header) !== undefined };
  });
}

/** Returns the timestamps of the stored snapshots, whole or not. */
export function snapshotTimestamps(store: Stored): number[] {
  return storedHeaders(store).map(({ header }) => header.timestamp);
}

function nextPlace(store: Parts): { slot: Slot; generation: number } {
  const [newest] = storedHeaders(store);
  if (newest === undefined) return { slot: "a", generation: 1 };
  return { slot: newest.slot === "a" ? "b" : "a", generation: newest.header.generation + 1 };
}

/** Returns the readable headers, newest first. */
function storedHeaders(store: Stored): { slot: Slot; header: Header }[] {
  const found = slots.flatMap((slot) => {
    const header = decodeRecord(store.readSnapshotPart(`${slot}/header`)) as Header | undefined;
    return header === undefined ? [] : [{ slot, header }];
  });
  return found.toSorted((one, other) => other.header.generation - one.header.generation);
}
