import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { flushFolder } from "@ledge/log";
import { wipeFile, writeWhole } from "@ledge/host/folder";
import { socketPath } from "@ledge/host/lock";
import { keysFile } from "@ledge/host/personal/keys";
import { secretKeyFile } from "@ledge/host/secrets/keys";

/** While it stands in a data folder, nothing else in there counts: whoever opens the folder erases it first. */
function markFile(folder: string): string {
  return join(folder, "factory-reset");
}

/** Has everything in a data folder erased before it is opened again. Once this returns there is no way back. */
export function markForReset(folder: string): void {
  writeWhole(markFile(folder), "everything in this folder is to be erased\n");
}

/** Whether a data folder is still to be erased. */
export function isMarkedForReset(folder: string): boolean {
  return existsSync(markFile(folder));
}

/**
 * Erases a data folder that is marked, keys, log and adapters' stores alike. A kill on the way leaves the mark, so
 * that the next one who opens the folder goes on: there is the old hub or none, never a part of one.
 * @param folder locked by the caller, whose socket stays.
 */
export function eraseIfMarked(folder: string): void {
  if (!isMarkedForReset(folder)) return;
  for (const file of [keysFile(folder), secretKeyFile(folder)])
    for (const path of [file, `${file}.damaged`]) wipeFile(path);
  const mark = markFile(folder);
  const kept = new Set([basename(mark), basename(socketPath(folder))]);
  for (const name of readdirSync(folder)) {
    if (!kept.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
  }
  // The mark goes last, also on the disk.
  flushFolder(folder);
  rmSync(mark);
  flushFolder(folder);
}
