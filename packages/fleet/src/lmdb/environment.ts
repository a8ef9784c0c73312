import { existsSync, mkdirSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { checkFile, effectiveRoom } from "@ledge/log";
import { type Database, open, type RootDatabase } from "lmdb";
import { RegisterStoreError } from "../register-store.ts";

/*
 * The LMDB environment of a register store. Keys are texts with a NUL between them (keys.ts).
 *
 *   rows     register, kind, id -> row-record.ts
 *   texts    register, id of a device -> its facets
 *   names    register, name of a device as it is ordered, id -> nothing
 *   owned    source, register, kind, id -> nothing
 *   sources  source -> StoredSource as JSON
 *   outbox   topic, position -> OutboxEntry as JSON
 *   left     source, topic, position -> nothing
 *   notes    `format` -> format, `position` -> the last of the outbox, `bytes NUL topic` -> those of its outbox,
 *            `reader NUL name` -> position, `lease NUL name` -> StoredLease; all as JSON
 */
const format = 3;
const pageBytes = 4096;
/** Address space. The file grows with its content and may grow beyond. */
const mapBytes = 1_073_741_824;
/** Less free space than this on its disk counts as full. */
const roomBytes = 16_777_216;

export type Table = Database<Buffer, Uint8Array>;

export class Environment {
  readonly #folder: string;
  readonly #root: RootDatabase;
  readonly rows: Table;
  readonly texts: Table;
  readonly names: Table;
  readonly owned: Table;
  readonly sources: Table;
  readonly outbox: Table;
  readonly left: Table;
  readonly notes: Table;

  /** @throws RegisterStoreError `damaged` when the files are no register store of this format */
  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const isThere = existsSync(join(folder, "data.mdb"));
    // lmdb ends the process with SIGSEGV when it opens a file that is not its own.
    if (isThere) asDamage(() => checkFile(folder, false));
    const sizes = { pageSize: pageBytes, mapSize: mapBytes, maxDbs: 8 };
    this.#root = asDamage(() => open({ path: folder, noSubdir: false, overlappingSync: false, ...sizes }));
    try {
      this.rows = this.#table("rows");
      this.texts = this.#table("texts");
      this.names = this.#table("names");
      this.owned = this.#table("owned");
      this.sources = this.#table("sources");
      this.outbox = this.#table("outbox");
      this.left = this.#table("left");
      this.notes = this.#table("notes");
      if (!isThere) this.putNote(formatKey, format);
      if (this.note(formatKey) !== format)
        throw new RegisterStoreError("damaged", `the register store in ${folder} has another format`);
    } catch (error) {
      void this.#root.close();
      throw error;
    }
  }

  #table(name: string): Table {
    return this.#root.openDB<Buffer, Uint8Array>({ name, encoding: "binary", keyEncoding: "binary" });
  }

  /** Runs writes in one transaction. They must not throw once they have written. */
  transaction<T>(write: () => T): Promise<T> {
    return this.#root.transaction(write);
  }

  /** @throws RegisterStoreError `damaged` */
  note(key: Buffer): unknown {
    const bytes = this.notes.getBinary(key);
    return bytes === undefined ? undefined : jsonIn(bytes);
  }

  putNote(key: Buffer, value: unknown): void {
    this.notes.putSync(key, Buffer.from(JSON.stringify(value)));
  }

  removeNote(key: Buffer): void {
    this.notes.removeSync(key);
  }

  /**
   * Refuses a write that might not fit, because lmdb 3.5.6 writes beyond a buffer when a write fails.
   * @throws RegisterStoreError `full`
   */
  async requireRoom(bytes: number): Promise<void> {
    const { bavail, bsize } = await statfs(this.#folder);
    const free = bavail * bsize;
    if (effectiveRoom(free, this.#spareBytes()) < roomBytes + bytes)
      throw new RegisterStoreError("full", `the disk is full: ${free} bytes are free`);
  }

  #spareBytes(): number {
    const tables = [this.rows, this.texts, this.names, this.owned, this.outbox, this.left];
    const used = tables.reduce((sum, table) => sum + pagesOf(table), 0) * pageBytes;
    return Math.max(0, statSync(join(this.#folder, "data.mdb")).size - used);
  }

  close(): Promise<void> {
    return this.#root.close();
  }
}

const formatKey = Buffer.from("format");

/** @throws RegisterStoreError `damaged` */
export function jsonIn(bytes: Buffer): unknown {
  return asDamage(() => JSON.parse(bytes.toString()) as unknown);
}

function asDamage<T>(action: () => T): T {
  try {
    return action();
  } catch (cause) {
    if (isFull(cause)) throw new RegisterStoreError("full", (cause as Error).message, { cause });
    const reason = (cause as Error).message;
    throw new RegisterStoreError("damaged", `the register store cannot be read: ${reason}`, { cause });
  }
}

const isFull = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "full";

function pagesOf(table: Table): number {
  const stats = table.getStats() as Readonly<Record<string, number>>;
  const counts = [stats["treeBranchPageCount"], stats["treeLeafPageCount"], stats["overflowPages"]];
  return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}
