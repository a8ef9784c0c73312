import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Database, open, type RootDatabase } from "lmdb";
import { type Block, blockOf, CompactedError, type SnapshotParts } from "./block.ts";
import { type Compaction, decodeCompaction, encodeCompaction, type Rewrite } from "./compaction.ts";
import { LogError, noJournal, type StoreStats } from "./event-log.ts";
import { FileGrowth } from "./file-growth.ts";
import type { Destination } from "./journal/destination.ts";
import { hasJournal } from "./journal/file.ts";
import { attempt, settled } from "./lmdb-error.ts";
import { checkFile, dataFile, flushFolder } from "./lmdb-file.ts";
import { hasRoom, writeFailure } from "./write-failure.ts";

/** The part of lmdb's `put` that its types leave out: the key must be above all others. */
interface Appendable {
  put(key: Uint8Array, value: Uint8Array, options: { append: true }): Promise<boolean>;
}

/** Blocks are read this many bytes at a time, so that no read transaction outlives a turn of the loop. */
const readBytes = 1_048_576;
/** Address space; the file grows with its content and may grow beyond. */
const mapBytes = 1_073_741_824;
const pageBytes = 4096;
/** Beside a commit's values there are at most as many pages again that it copies, and these. */
const sparePages = 256;

const epochKey = "journal-epoch";
/** The record of the newest compaction, twice: without it the log cannot be read. */
const compactionKeys = ["compaction", "compaction-copy"] as const;

/** Folders whose log is open in this thread. */
const openFolders = new Set<string>();

/**
 * Opens the log's file in a folder, and creates both if they are not there.
 * @throws LogError `locked` when it is open already in this thread, `damaged` when it is none of LMDB's, or the
 *   error of `node:fs` or LMDB
 */
export async function openLmdbStore(path: string, readOnly: boolean): Promise<LmdbStore> {
  if (!readOnly) mkdirSync(path, { recursive: true, mode: 0o700 });
  const folder = realpathSync(path);
  if (openFolders.has(folder)) throw new LogError("locked", `the log in ${folder} is open already`);
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
 * Makes an empty log under another name first: one that a power cut left half made would be none of LMDB's. On
 * a full disk it does not begin, because lmdb 3.5.6 ends the process with SIGSEGV when that fails.
 */
async function createFile(folder: string): Promise<void> {
  // The journal is made after the log: alone it tells of a log that is gone, and the hub must not start empty.
  if (hasJournal(folder))
    throw new LogError("damaged", `${dataFile(folder)} is gone, its journal is there: restore a backup`);
  if (!(await hasRoom(folder))) throw new LogError("full", `there is no room for a log in ${folder}`);
  const fresh = join(folder, "new");
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { mode: 0o700 });
  await new LmdbStore(fresh, false).close();
  renameSync(dataFile(fresh), dataFile(folder));
  [folder, dirname(folder)].forEach(flushFolder);
  rmSync(fresh, { recursive: true });
}

/**
 * The log's file. LMDB is the only writer within it; `reserve` writes zeros behind its end. The caller sees to
 * it that there is one commit at a time, `reserve` included.
 */
export class LmdbStore implements Destination {
  readonly readOnly: boolean;
  readonly #folder: string;
  readonly #root: RootDatabase;
  /** Blocks by the timestamp of their first commit: 8 bytes, big-endian, so that their order is the log's. */
  readonly #blocks: Database<Buffer, Uint8Array> & Appendable;
  readonly #snapshot: Database<Buffer, string>;
  /**
   * `cut-<timestamp>`: a block as it was before its end was cut off. `journal-epoch`: 8 bytes, little-endian.
   * `compaction`: a record of what is in chunks.ts.
   */
  readonly #meta: Database<Buffer, string>;
  readonly #growth: FileGrowth;
  #used = 0;

  constructor(folder: string, readOnly: boolean) {
    this.readOnly = readOnly;
    this.#folder = folder;
    this.#growth = new FileGrowth(dataFile(folder));
    this.#root = open({
      path: folder,
      noSubdir: false,
      readOnly,
      overlappingSync: false,
      pageSize: pageBytes,
      mapSize: mapBytes,
      maxDbs: 3,
      // With it lmdb makes promises of its own that nobody can handle when a commit fails.
      eventTurnBatching: false,
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
    await this.writeAll([block], false);
  }

  async writeAll(blocks: readonly Block[], again: boolean): Promise<void> {
    // Puts of one turn make one transaction.
    await Promise.all(blocks.map((block) => this.#put(block, again)));
    this.refresh();
  }

  async #put({ timestamp, bytes }: Block, again: boolean): Promise<void> {
    const put = again
      ? this.#blocks.put(keyOf(timestamp), bytes)
      : this.#blocks.put(keyOf(timestamp), bytes, { append: true });
    if (!(await settled(put))) throw new Error(`another process has written behind ${timestamp}`);
  }

  epoch(): bigint | undefined {
    return this.#read(() => this.#meta.getBinary(epochKey))?.readBigUInt64LE(0);
  }

  async writeEpoch(epoch: bigint): Promise<void> {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(epoch);
    await settled(this.#meta.put(epochKey, bytes));
  }

  refresh(): void {
    this.#root.resetReadTxn();
  }

  async reserve(bytes: number): Promise<void> {
    const { lastPageNumber } = this.#root.getStats() as { readonly lastPageNumber: number };
    const used = (lastPageNumber + 1) * pageBytes;
    await this.#growth.extendTo(used + 2 * bytes + sparePages * pageBytes);
  }

  get extendedBytes(): number {
    return this.#growth.extendedBytes;
  }

  hasRoom(): Promise<boolean> {
    return hasRoom(this.#folder);
  }

  cut(block: Block, keep: number): void {
    this.#root.transactionSync(() => {
      this.#meta.putSync(`cut-${block.timestamp}`, block.bytes);
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
    // Puts of one turn are one transaction in a batch only: LMDB's thread may commit the first few of many.
    const written = this.#root.batch(() => {
      for (const timestamp of removed) void this.#blocks.remove(keyOf(timestamp));
      for (const { timestamp, bytes } of blocks) void this.#blocks.put(keyOf(timestamp), bytes);
      void this.#putParts(parts);
      for (const key of compactionKeys) void this.#meta.put(key, record);
    });
    await settled(written);
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
    await Promise.all(this.#putParts(parts).map(settled));
  }

  #putParts(parts: SnapshotParts): Promise<boolean>[] {
    return [...parts].map(([key, bytes]) =>
      bytes === undefined ? this.#snapshot.remove(key) : this.#snapshot.put(key, bytes),
    );
  }

  writeFailure(cause: unknown): Promise<LogError> {
    return writeFailure(this.#folder, cause);
  }

  stats(): StoreStats {
    const { size } = statSync(dataFile(this.#folder));
    // When the log is closed, what it was when that was last asked.
    if (openFolders.has(this.#folder)) this.#used = this.#usedBytes();
    const usedBytes = this.#used;
    const spareBytes = Math.max(0, size - usedBytes);
    return { ...noJournal, fileBytes: size, usedBytes, spareBytes, extendedBytes: this.extendedBytes };
  }

  /** LMDB never gives pages back to the file system, so the file's size says nothing of what is in it. */
  #usedBytes(): number {
    const pages = this.#read(() => [this.#blocks, this.#snapshot, this.#meta].map(pagesOf));
    return pages.reduce((sum, count) => sum + count, 0) * pageBytes;
  }

  async close(): Promise<void> {
    try {
      await this.#growth.close();
      await this.#root.close();
    } finally {
      openFolders.delete(this.#folder);
    }
  }

  #read<T>(action: () => T): T {
    return attempt("damaged", `the log in ${this.#folder} cannot be read`, action);
  }
}

/** How many pages a database takes. */
function pagesOf(database: Pick<Database, "getStats">): number {
  const stats = database.getStats() as Readonly<Record<string, number>>;
  const counts = [stats["treeBranchPageCount"], stats["treeLeafPageCount"], stats["overflowPages"]];
  return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
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
