import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { checkFile } from "@ledge/log";
import { type Database, open, type RootDatabase } from "lmdb";
import { HistoryError } from "./error.ts";
import { type Mark, noMark } from "./mark.ts";

/*
 * The LMDB environment of the index, with four databases:
 *
 *   series  name of a series -> its number (u32) and when its device was removed (f64, 0: it is there)
 *   heads   number of a series (u32), timestamp (u64) and index (u32) of the first sample, big-endian -> head
 *   chunks  the same -> chunk
 *   meta    `state` -> CRC-32 (u32) of the JSON that follows
 */
const pageBytes = 4096;
/** Address space. The file grows with its content and may grow beyond. */
const mapBytes = 1_073_741_824;

/** The state that the index stores about itself. */
export interface IndexState {
  /** The format in which the index is written. */
  readonly format: string;
  readonly mark: Mark;
  /** The timestamp (ms) up to which samples were pruned. The values that held at that time are still there. */
  readonly prunedTo: number;
  /** Devices of persons, of which no history is kept. */
  readonly personal: readonly string[];
  /** The number for the next series. */
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
   * @throws HistoryError `damaged` when the index cannot be opened, or does not exist and is opened for reading;
   *   LogError `full` when there is no room for the file of locks
   */
  constructor(folder: string, readOnly: boolean) {
    this.folder = folder;
    if (!readOnly) mkdirSync(folder, { recursive: true, mode: 0o700 });
    // lmdb ends the process with SIGSEGV when it opens a file that is not its own.
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

  /**
   * Returns the stored state, or undefined when nothing was written yet.
   * @throws HistoryError `damaged`
   */
  state(): IndexState | undefined {
    const bytes = this.#meta.getBinary(stateKey);
    if (bytes === undefined) return undefined;
    if (bytes.length < 4 || crc32(bytes.subarray(4)) !== bytes.readUInt32LE(0))
      throw new HistoryError("damaged", `the state of the index in ${this.folder} is damaged`);
    return JSON.parse(bytes.toString("utf8", 4)) as IndexState;
  }

  /** Stores the state. Must run within a transaction. */
  putState(state: IndexState): void {
    const json = Buffer.from(JSON.stringify(state));
    const bytes = Buffer.alloc(4 + json.length);
    json.copy(bytes, 4);
    bytes.writeUInt32LE(crc32(json), 0);
    this.#meta.putSync(stateKey, bytes);
  }

  /** Returns how much of the file is in use, and how much it takes before it grows. */
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

/** Deletes an index. */
export function removeIndex(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

function pagesOf(table: Pick<Table, "getStats">): number {
  const stats = table.getStats() as Readonly<Record<string, number>>;
  const counts = [stats["treeBranchPageCount"], stats["treeLeafPageCount"], stats["overflowPages"]];
  return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}
