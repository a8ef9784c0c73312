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
const lastPageAt = 144;
const transactionAt = 152;
const metaBytes = 160;

/** What `lock.mdb` takes, many times over. */
const lockRoomBytes = 1_048_576;

/** The file of a log within its folder. */
export const dataFile = (folder: string): string => join(folder, "data.mdb");

/**
 * Refuses what LMDB would not open, because lmdb 3.5.6 ends the process with SIGSEGV when that happens. It
 * says nothing of the pages behind, but that they are there: LMDB maps them, and a page behind the file's end is
 * a SIGBUS. So is a page of `lock.mdb` that the disk has no room for.
 * @throws LogError `damaged` when the file is none of LMDB's, `full` when `lock.mdb` would have to be made on a
 *   full disk, or the error of `node:fs` when the files may not be used
 */
export function checkFile(folder: string, readOnly: boolean): void {
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

/** Up to where the newest meta page says that the file is used; undefined when there are not two of them. */
function usedBytesOf(descriptor: number): number | undefined {
  const first = metaAt(descriptor, 0);
  if (first === undefined) return undefined;
  const pageBytes = first.readUInt32LE(pageSizeAt);
  if (pageBytes < 512 || pageBytes > 65_536) return undefined;
  const second = metaAt(descriptor, pageBytes);
  if (second === undefined) return undefined;
  const isFirst = first.readBigUInt64LE(transactionAt) > second.readBigUInt64LE(transactionAt);
  const lastPage = (isFirst ? first : second).readBigUInt64LE(lastPageAt);
  return (Number(lastPage) + 1) * pageBytes;
}

function metaAt(descriptor: number, position: number): Buffer | undefined {
  const page = Buffer.alloc(metaBytes);
  if (readSync(descriptor, page, 0, metaBytes, position) < metaBytes) return undefined;
  const isWhole =
    (page.readUInt16LE(flagsAt) & isMeta) !== 0 &&
    page.readUInt32LE(magicAt) === magic &&
    (page.readUInt32LE(versionAt) & 0xffff) === 2;
  return isWhole ? page : undefined;
}

/** A new file can vanish in a power cut until the folder that names it is flushed. */
export function flushFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
