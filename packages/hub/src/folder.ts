import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

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

/** What a folder names is on disk when this returns. */
export function flushFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Whether a hub has lived in a data folder. */
export function hasHadHub(folder: string): boolean {
  return existsSync(identityFile(folder));
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
