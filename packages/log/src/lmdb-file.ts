import { closeSync, fsyncSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { LogError } from "./event-log.ts";

/*
 * The start of an LMDB file: two meta pages. Offsets count from the start of a page. Numbers are little-endian,
 * like the supported machines. Source: `MDB_page` and `MDB_meta` in liblmdb/mdb.c.
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

/** Returns the path of the log's file in a folder. */
export const dataFile = (folder: string): string => join(folder, "data.mdb");

/**
 * Refuses a folder at the path of one of the log's files.
 * @throws LogError `damaged`
 */
export function requireFile(path: string): void {
  const isThere = statSync(path, { throwIfNoEntry: false });
  if (isThere?.isDirectory()) throw new LogError("damaged", `${path} is a folder, and must be a file`);
}

/** What a meta page says about the file. */
export interface Meta {
  readonly pageBytes: number;
  /** Root page of the tree that names the databases. */
  readonly mainRoot: bigint;
  /** Root page of the tree of free pages, 2^64 - 1 when there is none. */
  readonly freeRoot: bigint;
  readonly lastPage: bigint;
  /** Whether both meta pages are whole, as LMDB requires. */
  readonly isPair: boolean;
  /** Whether both meta pages are whole and from neighbouring transactions. Otherwise a newer one may be lost. */
  readonly isNewest: boolean;
}

/** Returns the newest whole meta page, or undefined. */
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

/** Returns the whole meta pages. When the first is damaged, the place of the second is assumed. */
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

/** Flushes the entries of a folder. Until this returns, a power cut can undo the creation of a file in it. */
export function flushFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
