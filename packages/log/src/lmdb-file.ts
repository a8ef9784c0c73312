import { closeSync, fsyncSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { LogError } from "./event-log.ts";

/*
 * The start of an LMDB file: two meta pages. Offsets from the start of a page, numbers little-endian as the
 * machines are; from liblmdb/mdb.c, `MDB_page` and `MDB_meta`.
 */
const flagsAt = 18;
const isMeta = 0x08;
const magicAt = 24;
const magic = 0xbeef_c0de;
const versionAt = 28;
const pageSizeAt = 48;
const freeRootAt = 88;
const mainRootAt = 136;
const lastPageAt = 144;
const transactionAt = 152;
const metaBytes = 160;
const usualPageBytes = 4096;

/** The file of a log within its folder. */
export const dataFile = (folder: string): string => join(folder, "data.mdb");

/**
 * Refuses a folder that stands where one of the log's files must.
 * @throws LogError `damaged`
 */
export function requireFile(path: string): void {
  const isThere = statSync(path, { throwIfNoEntry: false });
  if (isThere?.isDirectory()) throw new LogError("damaged", `${path} is a folder, and must be a file`);
}

/** What the start of a file says of the rest. */
export interface Meta {
  readonly pageBytes: number;
  /** Root page of the tree that names the databases. */
  readonly mainRoot: bigint;
  /** Root page of the tree of free pages, 2^64 - 1 when there is none. */
  readonly freeRoot: bigint;
  readonly lastPage: bigint;
  /** Whether both meta pages are whole: LMDB wants both. */
  readonly isPair: boolean;
  /** Whether both meta pages are whole and of neighbouring transactions: else a newer one may have been. */
  readonly isNewest: boolean;
}

/** The newest meta page that is whole, or undefined. */
export function newestMeta(descriptor: number): Meta | undefined {
  return newestOf(metasOf(descriptor));
}

function newestOf(metas: readonly Buffer[]): Meta | undefined {
  const [newest, before] = metas.toSorted((one, other) =>
    transactionOf(one) < transactionOf(other) ? 1 : -1,
  );
  if (newest === undefined) return undefined;
  const isNewest = before !== undefined && transactionOf(newest) - transactionOf(before) <= 1n;
  return {
    isNewest,
    isPair: before !== undefined,
    pageBytes: newest.readUInt32LE(pageSizeAt),
    mainRoot: newest.readBigUInt64LE(mainRootAt),
    freeRoot: newest.readBigUInt64LE(freeRootAt),
    lastPage: newest.readBigUInt64LE(lastPageAt),
  };
}

const transactionOf = (meta: Buffer): bigint => meta.readBigUInt64LE(transactionAt);

/** The meta pages that are whole; where the second stands, a damaged first one does not say. */
function metasOf(descriptor: number): Buffer[] {
  const first = metaAt(descriptor, 0);
  const second = metaAt(descriptor, first?.readUInt32LE(pageSizeAt) ?? usualPageBytes);
  return [first, second].flatMap((meta) => meta ?? []);
}

function metaAt(descriptor: number, position: number): Buffer | undefined {
  const page = Buffer.alloc(metaBytes);
  if (readSync(descriptor, page, 0, metaBytes, position) < metaBytes) return undefined;
  const isWhole =
    (page.readUInt16LE(flagsAt) & isMeta) !== 0 &&
    page.readUInt32LE(magicAt) === magic &&
    (page.readUInt32LE(versionAt) & 0xffff) === 2 &&
    page.readUInt32LE(pageSizeAt) >= 512 &&
    page.readUInt32LE(pageSizeAt) <= 65_536;
  return isWhole ? page : undefined;
}

/** What a folder names is on disk when this returns: until then a new file can vanish in a power cut. */
export function flushFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
