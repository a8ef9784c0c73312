import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Database, open, type RootDatabase } from "lmdb";
import {
  type Block,
  blockOf,
  CompactedError,
  type Compaction,
  type Recovery,
  type Rewrite,
  type SnapshotParts,
} from "./block.ts";
import { decodeCompaction, encodeCompaction } from "./compaction.ts";
import { decodeRecord, encodeRecord } from "./chunks.ts";
import { LogError, noJournal, type StoreStats } from "./event-log.ts";
import type { Destination } from "./journal/destination.ts";
import { hasJournal } from "./journal/file.ts";
import { asLogError, attempt, settled } from "./lmdb-error.ts";
import { checkFile } from "./check-file.ts";
import { dataFile, flushFolder } from "./lmdb-file.ts";
import { joinedRecovery } from "./tail.ts";
import { hasRoom, refuseWithoutRoom, requireRoom, writeFailure } from "./write-failure.ts";

/** The part of lmdb's `put` that its types leave out. With `append`, the key must be above all others. */
interface Appendable {
  put(key: Uint8Array, value: Uint8Array, options: { append: true }): Promise<boolean>;
}

/** How many bytes of blocks one read takes, so that no read transaction outlives a turn of the event loop. */
const readBytes = 1_048_576;
/** Address space. The file grows with its content and may grow beyond. */
const mapBytes = 1_073_741_824;
const pageBytes = 4096;

/**
 * Puts all writes of one turn of the event loop into one transaction. lmdb's own `eventTurnBatching` does so too,
 * but creates promises that nobody can handle when a commit fails. Without it, the sixth put of a turn would
 * begin a transaction that may end before the turn does; the threshold, which lmdb's types leave out, prevents
 * that.
 */
const oneTransactionPerTurn = { eventTurnBatching: false, txnStartThreshold: Number.MAX_SAFE_INTEGER };

/** The key of the journal's epoch in the log's metadata. */
export const epochKey = "journal-epoch";
/** Present while the journal of this epoch may hold frames that are not yet moved. */
export const awaitsJournalKey = "awaits-journal";
/** The record of the newest compaction, stored twice because the log cannot be read without it. */
export const compactionKeys = ["compaction", "compaction-copy"] as const;

/** The key of the note of what cuts have lost. */
const recoveryKey = "recovery";

/** Folders whose log is open in this thread. */
const openFolders = new Set<string>();

/**
 * Opens the log's file in a folder, and creates both when missing.
 * @throws LogError `locked` when the log is already open in this thread, `damaged` when the file is not an LMDB
 *   file, or the error of `node:fs` or LMDB
 */
export async function openLmdbStore(path: string, readOnly: boolean): Promise<LmdbStore> {
  if (!readOnly) mkdirSync(path, { recursive: true, mode: 0o700 });
  const folder = realpathSync(path);
  if (openFolders.has(folder)) throw new LogError("locked", `the log in ${folder} is already open`);
  openFolders.add(folder);
  try {
    if (!readOnly && !existsSync(dataFile(folder))) await createFile(folder);
    checkFile(folder, readOnly);
    return new LmdbStore(folder, readOnly);
  } catch (error) {
    openFolders.delete(folder);
    throw error;
  }
}

/**
 * Creates an empty log under another name first, because LMDB could not open a file that a power cut left half
 * written. Does not begin on a full disk, because lmdb 3.5.6 ends the process with SIGSEGV when the creation
 * fails.
 */
async function createFile(folder: string): Promise<void> {
  // The log is created before its journal. A journal alone means that the log is gone, and the hub must not start
  // empty.
  if (hasJournal(folder))
    throw new LogError("damaged", `${dataFile(folder)} is gone, but its journal is there: restore a backup`);
  if (!(await hasRoom(folder, 0)))
    throw new LogError("full", `no room for a log in ${folder}: the disk is full`);
  const fresh = join(folder, "new");
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { mode: 0o700 });
  await new LmdbStore(fresh, false).close();
  renameSync(dataFile(fresh), dataFile(folder));
  [folder, dirname(folder)].forEach(flushFolder);
  rmSync(fresh, { recursive: true });
}

/** The log's own file. */
export class LmdbStore implements Destination {
  readonly readOnly: boolean;
  readonly #folder: string;
  readonly #root: RootDatabase;
  /** Blocks by the timestamp of their first commit: 8 bytes, big-endian, so that LMDB keeps them in order. */
  readonly #blocks: Database<Buffer, Uint8Array> & Appendable;
  readonly #snapshot: Database<Buffer, string>;
  /**
   * `cut-<timestamp>`: a block as it was before its end was cut off. `journal-epoch`: 8 bytes, little-endian.
   * `awaits-journal`: one byte. `compaction`, `recovery`: records in the format of chunks.ts.
   */
  readonly #meta: Database<Buffer, string>;
  #lane: Promise<void> = Promise.resolve();
  #failure: LogError | undefined;
  #used = 0;

  constructor(folder: string, readOnly: boolean) {
    this.readOnly = readOnly;
    this.#folder = folder;
    this.#root = open({
      path: folder,
      noSubdir: false,
      readOnly,
      overlappingSync: false,
      pageSize: pageBytes,
      mapSize: mapBytes,
      maxDbs: 3,
      ...oneTransactionPerTurn,
    });
    try {
      this.#blocks = this.#database("log", "binary") as Database<Buffer, Uint8Array> & Appendable;
      this.#snapshot = this.#database("snapshot");
      this.#meta = this.#database("meta");
    } catch (error) {
      void this.#root.close();
      throw error;
    }
  }

  #database<K extends string | Uint8Array>(name: string, keyEncoding?: "binary"): Database<Buffer, K> {
    const options = { name, encoding: "binary", ...(keyEncoding && { keyEncoding }) } as const;
    const database: Database<Buffer, K> | undefined = this.#root.openDB(options);
    if (database === undefined) throw new LogError("damaged", `there is no "${name}" in ${this.#folder}`);
    return database;
  }

  *blocks(timestamp: number, below: number = Number.MAX_SAFE_INTEGER): Generator<Block> {
    const begin = this.lastBlock(timestamp + 1)?.timestamp ?? 0;
    const end = keyOf(below);
    let range = { start: keyOf(begin), exclusiveStart: false, end };
    const horizon = this.compaction()?.seam.timestamp;
    for (;;) {
      const blocks = this.#read(() => this.#blocksIn(range));
      if (this.compaction()?.seam.timestamp !== horizon) throw new CompactedError();
      yield* blocks;
      const last = blocks.at(-1);
      if (last === undefined) return;
      range = { start: keyOf(last.timestamp), exclusiveStart: true, end };
    }
  }

  lastBlock(before: number = Number.MAX_SAFE_INTEGER): Block | undefined {
    const range = { start: keyOf(before), exclusiveStart: true, reverse: true, limit: 1 };
    return this.#read(() => this.#blocksIn(range)).at(0);
  }

  lastMoved(): Block | undefined {
    return this.lastBlock();
  }

  #blocksIn(range: {
    start: Uint8Array;
    exclusiveStart: boolean;
    end?: Uint8Array;
    reverse?: boolean;
    limit?: number;
  }): Block[] {
    const blocks: Block[] = [];
    let bytes = 0;
    for (const { key, value } of this.#blocks.getRange(range)) {
      blocks.push(blockOf(timestampOf(key), value));
      bytes += value.length;
      if (bytes >= readBytes) break;
    }
    return blocks;
  }

  async write(block: Block): Promise<void> {
    await this.writeAll([block]);
  }

  async writeAll(blocks: readonly Block[]): Promise<void> {
    await this.#commit(sizeOf(blocks.map(({ bytes }) => bytes)), () =>
      blocks.map((block) => this.#put(block)),
    );
    this.refresh();
  }

  async #put({ timestamp, bytes }: Block): Promise<void> {
    const isLast = await settled(this.#blocks.put(keyOf(timestamp), bytes, { append: true }));
    if (!isLast) throw new Error(`another process has written to the log after ${timestamp}`);
  }

  /**
   * Runs one commit at a time, and none after a failed one: lmdb 3.5.6 may then have written beyond a buffer, and
   * may never settle a later put.
   * @param puts the writes, begun in one turn so that they share a transaction
   * @throws NoRoomError when the commit was not begun, LogError `failed` when this commit or an earlier one
   *   failed
   */
  #commit(bytes: number, puts: () => readonly Promise<unknown>[]): Promise<void> {
    const done = this.#commitBehind(this.#lane, bytes, puts);
    this.#lane = done.catch(() => {});
    return done;
  }

  async #commitBehind(
    earlier: Promise<void>,
    bytes: number,
    puts: () => readonly Promise<unknown>[],
  ): Promise<void> {
    await earlier;
    if (this.#failure !== undefined) throw this.#failure;
    await requireRoom(this.#folder, bytes, this.stats().spareBytes);
    try {
      await Promise.all(puts());
    } catch (cause) {
      this.#failure = asLogError("failed", "the log cannot be written", cause);
      throw this.#failure;
    }
  }

  epoch(): bigint | undefined {
    return this.#read(() => this.#meta.getBinary(epochKey))?.readBigUInt64LE(0);
  }

  async writeEpoch(epoch: bigint): Promise<void> {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(epoch);
    await this.#commit(bytes.length, () => [
      settled(this.#meta.put(epochKey, bytes)),
      settled(this.#meta.remove(awaitsJournalKey)),
    ]);
  }

  awaitsJournal(): boolean {
    return this.#read(() => this.#meta.doesExist(awaitsJournalKey));
  }

  async writeAwaitsJournal(isAwaited: boolean): Promise<void> {
    await this.#commit(1, () => [
      settled(
        isAwaited ? this.#meta.put(awaitsJournalKey, Buffer.of(1)) : this.#meta.remove(awaitsJournalKey),
      ),
    ]);
  }

  refresh(): void {
    this.#root.resetReadTxn();
  }

  hasRoom(): Promise<boolean> {
    return hasRoom(this.#folder, this.stats().spareBytes);
  }

  get recovery(): Recovery | undefined {
    const bytes = this.#read(() => this.#meta.getBinary(recoveryKey));
    if (bytes === undefined) return undefined;
    const unknown = { timestamp: 0, lostUntil: 0, bytes: 0, problem: "the note of what was lost is damaged" };
    return (decodeRecord(bytes) as Recovery | undefined) ?? unknown;
  }

  async settleRecovery(): Promise<void> {
    await this.#commit(0, () => [settled(this.#meta.remove(recoveryKey))]);
  }

  cut(block: Block, keep: number, recovery: Recovery): void {
    refuseWithoutRoom(statfsSync(this.#folder), 2 * block.bytes.length, 0);
    const owed = encodeRecord(joinedRecovery(this.recovery, recovery));
    const kept = `cut-${block.timestamp}`;
    this.#root.transactionSync(() => {
      this.#meta.putSync(recoveryKey, owed);
      // An earlier copy is of the same block and holds more of it.
      if (!this.#meta.doesExist(kept)) this.#meta.putSync(kept, block.bytes);
      if (keep === 0) this.#blocks.removeSync(keyOf(block.timestamp));
      else this.#blocks.putSync(keyOf(block.timestamp), block.bytes.subarray(0, keep));
    });
  }

  compaction(): Compaction | undefined {
    const stored = this.#read(() => compactionKeys.map((key) => this.#meta.getBinary(key)));
    if (stored.every((bytes) => bytes === undefined)) return undefined;
    for (const bytes of stored) {
      const compaction = decodeCompaction(bytes);
      if (compaction !== undefined) return compaction;
    }
    throw new LogError("damaged", `the record of the compaction in ${this.#folder} is damaged`);
  }

  async compact({ removed, blocks, compaction }: Rewrite, parts: SnapshotParts): Promise<void> {
    const record = encodeCompaction(compaction);
    const bytes = sizeOf([...blocks.map((block) => block.bytes), ...parts.values()]);
    const put = (): void => {
      for (const timestamp of removed) void this.#blocks.remove(keyOf(timestamp));
      for (const block of blocks) void this.#blocks.put(keyOf(block.timestamp), block.bytes);
      void this.#putParts(parts);
      for (const key of compactionKeys) void this.#meta.put(key, record);
    };
    // In a batch lmdb makes one promise for all.
    await this.#commit(bytes, () => [settled(this.#root.batch(put))]);
    this.refresh();
  }

  readSnapshotPart(key: string): Buffer | undefined {
    return this.#read(() => this.#snapshot.getBinary(key));
  }

  snapshotKeys(prefix: string): readonly string[] {
    const range = { start: prefix, end: `${prefix}\u007f` };
    return this.#read(() => [...this.#snapshot.getKeys(range)]);
  }

  async writeSnapshotParts(parts: SnapshotParts): Promise<void> {
    await this.#commit(sizeOf([...parts.values()]), () => this.#putParts(parts).map(settled));
  }

  #putParts(parts: SnapshotParts): Promise<boolean>[] {
    return [...parts].map(([key, bytes]) =>
      bytes === undefined ? this.#snapshot.remove(key) : this.#snapshot.put(key, bytes),
    );
  }

  async writeFailure(cause: unknown): Promise<LogError> {
    return cause instanceof LogError ? cause : writeFailure(this.#folder, cause);
  }

  stats(): StoreStats {
    const { size } = statSync(dataFile(this.#folder));
    // After `close`, keep the last known value.
    if (openFolders.has(this.#folder)) this.#used = this.#usedBytes();
    const usedBytes = this.#used;
    const spareBytes = Math.max(0, size - usedBytes);
    return { ...noJournal, fileBytes: size, usedBytes, spareBytes };
  }

  /**
   * Returns the size of the pages in use. LMDB never returns pages to the file system, so the size of the file
   * does not tell.
   */
  #usedBytes(): number {
    const pages = this.#read(() => [this.#blocks, this.#snapshot, this.#meta].map(pagesOf));
    return pages.reduce((sum, count) => sum + count, 0) * pageBytes;
  }

  async close(): Promise<void> {
    try {
      await this.#lane;
      await this.#root.close();
    } finally {
      openFolders.delete(this.#folder);
    }
  }

  #read<T>(action: () => T): T {
    // lmdb 3.5.6 also writes beyond a buffer when it reads after a failed write of a meta page.
    if (this.#failure !== undefined) throw this.#failure;
    return attempt("damaged", `the log in ${this.#folder} cannot be read`, action);
  }
}

/** Returns how many pages a database takes. */
function pagesOf(database: Pick<Database, "getStats">): number {
  const stats = database.getStats() as Readonly<Record<string, number>>;
  const counts = [stats["treeBranchPageCount"], stats["treeLeafPageCount"], stats["overflowPages"]];
  return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

function sizeOf(values: readonly (Buffer | undefined)[]): number {
  return values.reduce((sum, value) => sum + (value?.length ?? 0), 0);
}

function keyOf(timestamp: number): Uint8Array {
  const key = Buffer.alloc(8);
  key.writeBigUInt64BE(BigInt(timestamp));
  return key;
}

function timestampOf(key: Uint8Array): number {
  const { buffer, byteOffset } = key;
  return Number(new DataView(buffer, byteOffset, 8).getBigUint64(0));
}
