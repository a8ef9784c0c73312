import { closeSync, existsSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { flushFolder } from "@ledge/log";

/** Where a data folder is built before it takes its place. */
export const freshFolder = (folder: string): string => `${folder}.new`;

/** Marks a new folder as complete and proven; removed when the folder is in place. */
const readyFile = (fresh: string): string => join(fresh, "ready.new");

/** Deletes what an interrupted attempt has left. */
export function emptyFreshFolder(folder: string): void {
  const fresh = freshFolder(folder);
  rmSync(readyFile(fresh), { force: true });
  for (const name of readdirSync(fresh)) rmSync(join(fresh, name), { recursive: true });
}

/**
 * Puts the new folder in the place of the data folder, which is kept under another name unless it is empty.
 * If the process dies in between, the old folder is in its place, or none; `finishReplacement` then completes
 * it, so that nobody finds a mix or starts with an empty folder.
 * @param aside the name for the old folder
 * @returns whether there was an old one
 */
export function replaceFolder(folder: string, aside: string): boolean {
  const fresh = freshFolder(folder);
  closeSync(openSync(readyFile(fresh), "w", 0o600));
  flushFolder(fresh);
  const isKept = !isEmpty(folder);
  if (isKept) {
    renameSync(folder, aside);
    flushFolder(dirname(folder));
  }
  finish(folder);
  return isKept;
}

/** Completes an interrupted `replaceFolder`. */
export function finishReplacement(folder: string): void {
  if (isEmpty(folder) && existsSync(readyFile(freshFolder(folder)))) finish(folder);
}

/** Returns whether a folder can be replaced without loss: it is missing or empty. */
function isEmpty(folder: string): boolean {
  return !existsSync(folder) || readdirSync(folder).length === 0;
}

function finish(folder: string): void {
  try {
    renameSync(freshFolder(folder), folder);
  } catch (error) {
    // Another starting process was quicker.
    if (existsSync(freshFolder(folder))) throw error;
  }
  rmSync(readyFile(folder), { force: true });
  flushFolder(dirname(folder));
}
