import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { flushFolder } from "@ledge/log";
import { wipeFile, writeWhole } from "@ledge/host/folder";
import { socketPath } from "@ledge/host/lock";
import { keysFile } from "@ledge/host/personal/keys";
import { secretKeyFile } from "@ledge/host/secrets/keys";

/** Returns the path of the mark. While it exists, whoever opens the folder must erase the rest first. */
function markFile(folder: string): string {
  return join(folder, "factory-reset");
}

/** Marks a data folder for erasure at its next opening. This cannot be undone. */
export function markForReset(folder: string): void {
  writeWhole(markFile(folder), "everything in this folder is to be erased\n");
}

/** Whether a data folder still has to be erased. */
export function isMarkedForReset(folder: string): boolean {
  return existsSync(markFile(folder));
}

/**
 * Erases a marked data folder with its keys, log and adapters' stores. The mark goes last, so an interrupted
 * erasure continues at the next opening: the folder never holds a part of a hub.
 * @param folder locked by the caller; the caller's socket stays
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
  // The other deletions must reach the disk before the mark goes.
  flushFolder(folder);
  rmSync(mark);
  flushFolder(folder);
}
