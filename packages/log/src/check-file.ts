import { accessSync, closeSync, constants, existsSync, fstatSync, openSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { LogError } from "./event-log.ts";
import { dataFile, newestMeta, requireFile } from "./lmdb-file.ts";
import { LmdbPages } from "./salvage/pages.ts";

/** What `lock.mdb` takes, many times over. */
const lockRoomBytes = 1_048_576;

/**
 * Refuses what LMDB would not open, because lmdb 3.5.6 ends the process with SIGSEGV when that happens. LMDB maps the
 * file, so a page behind its end that a tree reaches is a SIGBUS. So is a page of `lock.mdb` that the disk has no
 * room for. What the pages hold is not checked.
 * @throws LogError `damaged` when the file is none of LMDB's or lacks a page that is in use, `full` when `lock.mdb`
 *   would have to be made on a full disk, or the error of `node:fs` when the files may not be used
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
    const problem = problemOf(descriptor);
    if (problem !== undefined) throw new LogError("damaged", `${dataFile(folder)} ${problem}`);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * What keeps LMDB from opening a file, or undefined.
 *
 * The newest meta page names the last page that was ever allocated. LMDB does not write a page that a transaction
 * allocated and gave back (`mdb_page_loose`; `mdb_freelist_save` lists it as free), so a whole file may end before
 * that page. It reads only pages that its trees reach, and never a free one: it writes those before it reads them.
 * So the trees are walked when the file is that short, which is rare, and costs a read of each of their pages.
 */
function problemOf(descriptor: number): string | undefined {
  const meta = newestMeta(descriptor);
  if (meta?.isPair !== true) return "is no file of LMDB";
  const lacks = (Number(meta.lastPage) + 1) * meta.pageBytes - fstatSync(descriptor).size;
  if (lacks <= 0) return undefined;
  const [unreadable] = LmdbPages.open(descriptor)?.problems() ?? [];
  return unreadable === undefined ? undefined : `lacks ${lacks} bytes: ${unreadable}`;
}

function refuseWithoutLockRoom(folder: string, lock: string): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < lockRoomBytes) throw new LogError("full", `there is no room for ${lock}`);
}
