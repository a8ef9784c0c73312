import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { RunNote } from "../start/run-note.ts";
import { writeWhole } from "@ledge/host/folder";

/** Where a hub keeps its data when nobody says otherwise: one folder per profile below the working folder. */
export function defaultFolder(profile: string): string {
  return resolve(".data", profile);
}

/** Where an adapter's library keeps files: caches, which are in no backup. */
export function adapterFolder(folder: string, protocol: string): string {
  return join(folder, "adapters", protocol);
}

/** The profile that last ran on a data folder, for the `ledge` command. */
export function profileFile(folder: string): string {
  return join(folder, "profile.json");
}

/** Whether a hub has lived in a data folder. */
export function hasHadHub(folder: string): boolean {
  return existsSync(identityFile(folder));
}

/**
 * Why a log must not go on as it is: it holds nothing although a hub has lived in its data folder, or less than it did
 * when the hub last ran.
 * @param last the newest timestamp of what can be read of the log (ms), 0 for nothing
 */
export function goneLog(folder: string, last: number): string | undefined {
  if (last === 0 && hasHadHub(folder))
    return "the log is empty, though a hub has lived here: restore a backup";
  const { newest } = new RunNote(folder);
  if (newest === null || newest.hub !== hubIdOf(folder) || newest.timestamp <= last) return undefined;
  const [end, known] = [last, newest.timestamp].map((timestamp) => new Date(timestamp).toISOString());
  return `the log is older than it was: it ends at ${end}, and went to ${known} when the hub last ran`;
}

/** Why a log is not that of a data folder. @param hubId of the log's hub; undefined for a new one */
export function foreignLog(folder: string, hubId: string | undefined): string | undefined {
  const own = hubIdOf(folder);
  if (own === undefined || hubId === undefined || own === hubId) return undefined;
  return `the log is that of hub ${hubId}, and hub.json names ${own}: put back the one that is not this hub's`;
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
