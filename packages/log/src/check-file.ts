import { accessSync, closeSync, constants, existsSync, fstatSync, openSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { LogError } from "./event-log.ts";
import { dataFile, newestMeta, requireFile } from "./lmdb-file.ts";
import { LmdbPages } from "./salvage/pages.ts";

/** Many times the size of `lock.mdb`. */
const lockRoomBytes = 1_048_576;

/**
 * Refuses files that LMDB cannot open, because lmdb 3.5.6 then ends the process with SIGSEGV. LMDB maps the file,
 * so it raises SIGBUS when a tree reaches a page beyond the end of the file, and when the disk has no room for a
 * page of `lock.mdb`. The check does not look at what pages hold.
 * @throws LogError `damaged` when `data.mdb` is not an LMDB file or lacks a page in use, `full` when `lock.mdb`
 *   would have to be created on a full disk, or the error of `node:fs` when the process has no access to the
 *   files
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
 * Returns what keeps LMDB from opening a file, or undefined.
 *
 * The newest meta page names the last page that was ever allocated. LMDB does not write a page that a transaction
 * allocated and gave back (`mdb_page_loose`; `mdb_freelist_save` lists it as free), so a whole file may end
 * before that page. LMDB reads only pages that its trees reach, and writes a free page before it reads it. So
 * when the file is that short, which is rare, this walks the trees, at the cost of a read of each of their pages.
 */
function problemOf(descriptor: number): string | undefined {
  const meta = newestMeta(descriptor);
  if (meta?.isPair !== true) return "is not an LMDB file";
  const lacks = (Number(meta.lastPage) + 1) * meta.pageBytes - fstatSync(descriptor).size;
  if (lacks <= 0) return undefined;
  const [unreadable] = LmdbPages.open(descriptor)?.problems() ?? [];
  return unreadable === undefined ? undefined : `lacks ${lacks} bytes: ${unreadable}`;
}

function refuseWithoutLockRoom(folder: string, lock: string): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < lockRoomBytes) throw new LogError("full", `there is no room for ${lock}`);
}
