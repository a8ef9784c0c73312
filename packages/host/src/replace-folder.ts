import { closeSync, existsSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { flushFolder } from "@ledge/log";

/** Where a data folder is built before it takes its place. */
export const freshFolder = (folder: string): string => `${folder}.new`;

/** Says that a fresh folder is whole and proven; it goes when the folder has its place. */
const readyFile = (fresh: string): string => join(fresh, "ready.new");

/** Deletes what an interrupted attempt has left. */
export function emptyFreshFolder(folder: string): void {
  const fresh = freshFolder(folder);
  rmSync(readyFile(fresh), { force: true });
  for (const name of readdirSync(fresh)) rmSync(join(fresh, name), { recursive: true });
}

/**
 * Puts the fresh folder in the place of the data folder, which is kept under another name unless it is empty. A
 * process that dies within leaves the old folder in its place, or none: then `finishReplacement` puts the new one
 * there, so that nobody finds a mix or begins anew.
 * @param aside the name under which the old one is kept
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

/** Does what an interrupted `replaceFolder` has left to do. */
export function finishReplacement(folder: string): void {
  if (isEmpty(folder) && existsSync(readyFile(freshFolder(folder)))) finish(folder);
}

/** Whether nothing is lost when another folder comes in this one's place: it is not there, or holds nothing. */
function isEmpty(folder: string): boolean {
  return !existsSync(folder) || readdirSync(folder).length === 0;
}

function finish(folder: string): void {
  try {
    renameSync(freshFolder(folder), folder);
  } catch (error) {
    // Another process that starts on the folder was quicker.
    if (existsSync(freshFolder(folder))) throw error;
  }
  rmSync(readyFile(folder), { force: true });
  flushFolder(dirname(folder));
}
