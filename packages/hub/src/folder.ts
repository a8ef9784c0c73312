import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { flushFolder } from "@ledge/log";

/** Where a hub keeps its data when nobody says otherwise: one folder per profile below the working folder. */
export function defaultFolder(profile: string): string {
  return resolve(".data", profile);
}

/** The log's folder within a data folder. */
export function logFolder(folder: string): string {
  return join(folder, "log");
}

/** The profile that last ran on a data folder, for the `ledge` command. */
export function profileFile(folder: string): string {
  return join(folder, "profile.json");
}

/** Writes a small file so that a power cut leaves the old one or the new one, never a part (mode 0600). */
export function writeWhole(file: string, text: string | Uint8Array): void {
  const fresh = `${file}.new`;
  writeFileSync(fresh, text, { mode: 0o600, flush: true });
  renameSync(fresh, file);
  flushFolder(dirname(file));
}

/** Overwrites what an open file holds: its blocks would keep it after the file was replaced or removed. */
export function wipe(descriptor: number): void {
  const zeros = Buffer.alloc(fstatSync(descriptor).size);
  writeSync(descriptor, zeros, 0, zeros.length, 0);
  fdatasyncSync(descriptor);
}

/** Overwrites what a file holds, if it is there. */
export function wipeFile(file: string): void {
  if (!existsSync(file)) return;
  const descriptor = openSync(file, "r+");
  try {
    wipe(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Whether a hub has lived in a data folder. */
export function hasHadHub(folder: string): boolean {
  return existsSync(identityFile(folder));
}

/**
 * Why a log that holds nothing must not be begun anew: a hub has lived in its data folder.
 * @param last the newest timestamp of what can be read of the log (ms), 0 for nothing
 */
export function goneLog(folder: string, last: number): string | undefined {
  const isGone = last === 0 && hasHadHub(folder);
  return isGone ? "the log is empty, though a hub has lived here: restore a backup" : undefined;
}

/** The id of the hub that a data folder belongs to; undefined before its first start, or when that is unreadable. */
export function hubIdOf(folder: string): string | undefined {
  try {
    const { hubId } = JSON.parse(readFileSync(identityFile(folder), "utf8")) as { hubId?: unknown };
    return typeof hubId === "string" ? hubId : undefined;
  } catch {
    return undefined;
  }
}

/** Writes down whose data folder it is, so that a lost log is never taken for a new hub. */
export function rememberHubId(folder: string, hubId: string): void {
  writeWhole(identityFile(folder), `${JSON.stringify({ hubId })}\n`);
}

function identityFile(folder: string): string {
  return join(folder, "hub.json");
}
