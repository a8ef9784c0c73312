import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "@ledge/host/folder";

/** The default data folder of a cloud, the one of `npm start`. */
export const defaultFolder = ".data/sim-cloud";

/** The file that names the cloud of a data folder. */
function noteFile(folder: string): string {
  return join(folder, "cloud.json");
}

/**
 * Returns the issuer name of a data folder's cloud; undefined when no cloud has run there.
 * @throws Error when the file cannot be read
 */
export function issuerOf(folder: string): string | undefined {
  const file = noteFile(folder);
  if (!existsSync(file)) return undefined;
  const { issuer } = (JSON.parse(readFileSync(file, "utf8")) ?? {}) as { issuer?: unknown };
  if (typeof issuer !== "string") throw new Error(`${file} names no issuer`);
  return issuer;
}

/** Notes the cloud of a data folder, so that a lost log is never mistaken for a new cloud. */
export function noteIssuer(folder: string, issuer: string): void {
  if (issuerOf(folder) === undefined) writeWhole(noteFile(folder), `${JSON.stringify({ issuer })}\n`);
}

/**
 * Returns why a new cloud must not start with an empty log: another cloud has run in the data folder.
 * @param last the newest readable timestamp of the log (ms), 0 for none
 */
export function goneLog(folder: string, last: number): string | undefined {
  const isGone = last === 0 && existsSync(noteFile(folder));
  return isGone ? "the log is empty, but a cloud has run in this folder: restore a backup" : undefined;
}

/** The file that names the process of a data folder whose cloud is in a database. */
function nodeFile(folder: string): string {
  return join(folder, "node");
}

/** Returns whether the cloud of a data folder is in a database; the folder then has only keys. */
export function isInDatabase(folder: string): boolean {
  return existsSync(nodeFile(folder));
}

/**
 * Returns the name of the process that runs on a folder whose cloud is in a database. Makes it with `newId` and stores it
 * the first time.
 */
export function nodeOf(folder: string, newId: () => string): string {
  const file = nodeFile(folder);
  if (isInDatabase(folder)) return readFileSync(file, "utf8").trim();
  const made = newId();
  writeWhole(file, `${made}\n`);
  return made;
}
