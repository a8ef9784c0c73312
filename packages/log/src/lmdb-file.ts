import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  statfsSync,
  statSync,
} from "node:fs";
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

/** What `lock.mdb` takes, many times over. */
const lockRoomBytes = 1_048_576;

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

/**
 * Refuses what LMDB would not open, because lmdb 3.5.6 ends the process with SIGSEGV when that happens. It
 * says nothing of the pages behind, but that they are there: LMDB maps them, and a page behind the file's end is
 * a SIGBUS. So is a page of `lock.mdb` that the disk has no room for.
 * @throws LogError `damaged` when the file is none of LMDB's, `full` when `lock.mdb` would have to be made on a
 *   full disk, or the error of `node:fs` when the files may not be used
 */
export function checkFile(folder: string, readOnly: boolean): void {
  for (const name of ["data.mdb", "lock.mdb"]) requireFile(join(folder, name));
  const readWrite = constants.R_OK | constants.W_OK;
  accessSync(dataFile(folder), readOnly ? constants.R_OK : readWrite);
  const lock = join(folder, "lock.mdb");
  if (existsSync(lock)) accessSync(lock, readWrite);
  else refuseWithoutLockRoom(folder, lock);

  const descriptor = openSync(dataFile(folder), "r");
  try {
    const usedBytes = usedBytesOf(descriptor);
    if (usedBytes === undefined) throw new LogError("damaged", `${dataFile(folder)} is no file of LMDB`);
    const { size } = fstatSync(descriptor);
    if (size < usedBytes)
      throw new LogError("damaged", `${dataFile(folder)} lacks ${usedBytes - size} bytes`);
  } finally {
    closeSync(descriptor);
  }
}

function refuseWithoutLockRoom(folder: string, lock: string): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < lockRoomBytes) throw new LogError("full", `there is no room for ${lock}`);
}

/** What the start of a file says of the rest. */
export interface Meta {
  readonly pageBytes: number;
  /** Root page of the tree that names the databases. */
  readonly mainRoot: bigint;
  /** Root page of the tree of free pages, 2^64 - 1 when there is none. */
  readonly freeRoot: bigint;
  readonly lastPage: bigint;
  /** Whether both meta pages are whole and of neighbouring transactions: else a newer one may have been. */
  readonly isNewest: boolean;
}

/** Up to where the newest meta page says that the file is used; undefined when there are not two of them. */
function usedBytesOf(descriptor: number): number | undefined {
  const metas = metasOf(descriptor);
  if (metas.length < 2) return undefined;
  const { lastPage, pageBytes } = newestOf(metas) as Meta;
  return (Number(lastPage) + 1) * pageBytes;
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
