import { existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Upcasters } from "@ledge/model";
import { type Database, open, type RootDatabase } from "lmdb";
import { type Block, blockOf, type BlockStore } from "./block.ts";
import { BlockLog } from "./block-log.ts";
import { LogError } from "./event-log.ts";
import { checkFile, dataFile, flushFolder } from "./lmdb-file.ts";
import { writeFailure } from "./write-failure.ts";

/** The part of lmdb's `put` that its types leave out: the key must be above all others. */
interface Appendable {
  put(key: Uint8Array, value: Uint8Array, options: { append: true }): Promise<boolean>;
}

/** Blocks are read this many bytes at a time, so that no read transaction outlives a turn of the loop. */
const readBytes = 1_048_576;
/** Address space; the file grows with its content and may grow beyond. */
const mapBytes = 1_073_741_824;
const pageBytes = 4096;

/** `MDB_PANIC` of lmdb.h. */
const mdbPanic = -30_795;

/** Folders whose log is open in this thread. */
const openFolders = new Set<string>();

/**
 * Opens the durable log in a folder, `data.mdb` and `lock.mdb`, and creates both if they are not there (0700).
 * Between processes the caller sees to it that only one writes; any number may read.
 * @throws LogError `locked` when the log is open already in this thread, `damaged` when the file is none of
 *   LMDB's or its end is unreadable beyond the newest block, `failed` when it cannot be opened or, for reading
 *   only, is not there
 */
export async function openLmdbLog(options: {
  readonly folder: string;
  readonly upcasters?: Upcasters;
  readonly readOnly?: boolean;
}): Promise<BlockLog> {
  const { folder, upcasters, readOnly = false } = options;
  const store = attempt("failed", `the log in ${folder} cannot be opened`, () => openStore(folder, readOnly));
  try {
    return new BlockLog(store, upcasters);
  } catch (error) {
    await store.close();
    throw error;
  }
}

function openStore(path: string, readOnly: boolean): LmdbStore {
  if (!readOnly) mkdirSync(path, { recursive: true, mode: 0o700 });
  const folder = realpathSync(path);
  if (openFolders.has(folder)) throw new LogError("locked", `the log in ${folder} is open already`);
  const isNew = !readOnly && !existsSync(dataFile(folder));
  if (!isNew) checkFile(folder, readOnly);
  const store = new LmdbStore(folder, readOnly);
  openFolders.add(folder);
  if (isNew) [folder, dirname(folder)].forEach(flushFolder);
  return store;
}

class LmdbStore implements BlockStore {
  readonly readOnly: boolean;
  readonly #folder: string;
  readonly #root: RootDatabase;
  /** Blocks by the timestamp of their first commit: 8 bytes, big-endian, so that their order is the log's. */
  readonly #blocks: Database<Buffer, Uint8Array> & Appendable;
  readonly #snapshot: Database<Buffer, string>;
  /** `cut-<timestamp>`: a block as it was before its end was cut off. */
  readonly #meta: Database<Buffer, string>;

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

  *blocks(timestamp: number): Generator<Block> {
    const begin = this.lastBlock(timestamp + 1)?.timestamp ?? 0;
    let range = { start: keyOf(begin), exclusiveStart: false };
    for (;;) {
      const blocks = this.#read(() => this.#blocksIn(range));
      yield* blocks;
      const last = blocks.at(-1);
      if (last === undefined) return;
      range = { start: keyOf(last.timestamp), exclusiveStart: true };
    }
  }

  lastBlock(before: number = Number.MAX_SAFE_INTEGER): Block | undefined {
    const range = { start: keyOf(before), exclusiveStart: true, reverse: true, limit: 1 };
    return this.#read(() => this.#blocksIn(range)).at(0);
  }

  #blocksIn(range: {
    start: Uint8Array;
    exclusiveStart: boolean;
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

  async write({ timestamp, bytes }: Block): Promise<void> {
    const isAbove = await settled(this.#blocks.put(keyOf(timestamp), bytes, { append: true }));
    if (!isAbove) throw new Error(`another process has written behind ${timestamp}`);
  }

  cut(block: Block, keep: number): void {
    this.#root.transactionSync(() => {
      this.#meta.putSync(`cut-${block.timestamp}`, block.bytes);
      if (keep === 0) this.#blocks.removeSync(keyOf(block.timestamp));
      else this.#blocks.putSync(keyOf(block.timestamp), block.bytes.subarray(0, keep));
    });
  }

  readSnapshotPart(key: string): Buffer | undefined {
    return this.#read(() => this.#snapshot.getBinary(key));
  }

  async writeSnapshotParts(parts: ReadonlyMap<string, Buffer>): Promise<void> {
    await Promise.all([...parts].map(([key, bytes]) => settled(this.#snapshot.put(key, bytes))));
  }

  writeFailure(cause: unknown): Promise<LogError> {
    return writeFailure(this.#folder, cause);
  }

  fileBytes(): number {
    return statSync(dataFile(this.#folder)).size;
  }

  async close(): Promise<void> {
    try {
      await this.#root.close();
    } finally {
      openFolders.delete(this.#folder);
    }
  }

  #read<T>(action: () => T): T {
    return attempt("damaged", `the log in ${this.#folder} cannot be read`, action);
  }
}

/**
 * The outcome of a put, or LMDB's own error instead of lmdb's "Commit failed (see commitError for details)".
 * That promise has to be handled at once, or its rejection ends the process.
 */
async function settled<T>(put: Promise<T>): Promise<T> {
  try {
    return await put;
  } catch (error) {
    const commitError = error instanceof Error && "commitError" in error ? error.commitError : undefined;
    if (!(commitError instanceof Promise)) throw error;
    // lmdb leaves it pending for some codes; what it has to say it says within the turn.
    throw await Promise.race([commitError.catch((cause: unknown) => cause), setImmediate(error)]);
  }
}

function attempt<T>(code: "damaged" | "failed", message: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof LogError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    // After a failed write of a meta page LMDB refuses to read too; what is stored is whole nevertheless.
    const isPanic = error instanceof Error && "code" in error && error.code === mdbPanic;
    throw new LogError(isPanic ? "failed" : code, `${message}: ${reason}`, { cause: error });
  }
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
