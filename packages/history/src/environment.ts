import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { checkFile } from "@ledge/log";
import { type Database, open, type RootDatabase } from "lmdb";
import { HistoryError } from "./error.ts";
import { type Mark, noMark } from "./mark.ts";

/*
 * The index's own LMDB environment, of four databases:
 *
 *   series  name of a series -> its number (u32) and when its device was removed (f64, 0: it is there)
 *   heads   number of a series (u32), timestamp (u64) and index (u32) of the first sample, big-endian -> head
 *   chunks  the same -> chunk
 *   meta    `state` -> CRC-32 (u32) of the JSON that follows
 */
const pageBytes = 4096;
/** Address space; the file grows with its content and may grow beyond. */
const mapBytes = 1_073_741_824;

/** What the index says of itself. */
export interface IndexState {
  /** Names how all of it is written. */
  readonly format: string;
  readonly mark: Mark;
  /** Up to here (ms) samples are gone; what held at that time is still there. */
  readonly prunedTo: number;
  /** Devices that are a person's: no history is kept of them. */
  readonly personal: readonly string[];
  /** The next series gets this number. */
  readonly nextSeries: number;
}

export const emptyState = (format: string): IndexState => ({
  format,
  mark: noMark,
  prunedTo: 0,
  personal: [],
  nextSeries: 1,
});

export type Table = Database<Buffer, Uint8Array>;

export class Environment {
  readonly folder: string;
  readonly root: RootDatabase;
  readonly series: Table;
  readonly heads: Table;
  readonly chunks: Table;
  readonly #meta: Table;

  /**
   * @throws HistoryError `damaged` when what is there cannot be opened, or there is nothing to read; LogError `full`
   *   when there is no room for the file of locks
   */
  constructor(folder: string, readOnly: boolean) {
    this.folder = folder;
    if (!readOnly) mkdirSync(folder, { recursive: true, mode: 0o700 });
    // lmdb ends the process with SIGSEGV where it opens what is none of its files.
    if (readOnly || existsSync(join(folder, "data.mdb"))) checkFile(folder, readOnly);
    const options = { path: folder, noSubdir: false, readOnly, overlappingSync: false, maxDbs: 4 };
    this.root = open({ ...options, pageSize: pageBytes, mapSize: mapBytes });
    try {
      this.series = this.#table("series");
      this.heads = this.#table("heads");
      this.chunks = this.#table("chunks");
      this.#meta = this.#table("meta");
    } catch (error) {
      void this.root.close();
      throw error;
    }
  }

  #table(name: string): Table {
    const found: Table | undefined = this.root.openDB({ name, encoding: "binary", keyEncoding: "binary" });
    if (found === undefined) throw new HistoryError("damaged", `there is no "${name}" in ${this.folder}`);
    return found;
  }

  /** Undefined when nothing was written yet. @throws HistoryError `damaged` */
  state(): IndexState | undefined {
    const bytes = this.#meta.getBinary(stateKey);
    if (bytes === undefined) return undefined;
    if (bytes.length < 4 || crc32(bytes.subarray(4)) !== bytes.readUInt32LE(0))
      throw new HistoryError("damaged", `what ${this.folder} says of itself is damaged`);
    return JSON.parse(bytes.toString("utf8", 4)) as IndexState;
  }

  /** Within a transaction. */
  putState(state: IndexState): void {
    const json = Buffer.from(JSON.stringify(state));
    const bytes = Buffer.alloc(4 + json.length);
    json.copy(bytes, 4);
    bytes.writeUInt32LE(crc32(json), 0);
    this.#meta.putSync(stateKey, bytes);
  }

  /** How much of the file is in use, and what it takes before it grows. */
  sizes(): { readonly usedBytes: number; readonly spareBytes: number } {
    const pages = [this.series, this.heads, this.chunks, this.#meta].map(pagesOf);
    const usedBytes = pages.reduce((sum, count) => sum + count, 0) * pageBytes;
    const { size } = statSync(join(this.folder, "data.mdb"));
    return { usedBytes, spareBytes: Math.max(0, size - usedBytes) };
  }

  close(): Promise<void> {
    return this.root.close();
  }
}

const stateKey = Buffer.from("state");

/** Throws an index away. */
export function removeIndex(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

function pagesOf(table: Pick<Table, "getStats">): number {
  const stats = table.getStats() as Readonly<Record<string, number>>;
  const counts = [stats["treeBranchPageCount"], stats["treeLeafPageCount"], stats["overflowPages"]];
  return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}
