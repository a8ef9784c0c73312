import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { RunNote } from "../start/run-note.ts";
import { writeWhole } from "@ledge/host/folder";

/** Returns the default data folder of a profile, below the working folder. */
export function defaultFolder(profile: string): string {
  return resolve(".data", profile);
}

/** Returns the folder for files of an adapter's library. They are caches and in no backup. */
export function adapterFolder(folder: string, protocol: string): string {
  return join(folder, "adapters", protocol);
}

/** Returns the folder in which users describe models of a protocol's devices. */
export function modelsFolder(folder: string, protocol: string): string {
  return join(folder, `${protocol}.models`);
}

/** Returns the path of the file that holds the profile of the last run, for the `ledge` command. */
export function profileFile(folder: string): string {
  return join(folder, "profile.json");
}

/** Whether a hub has run on a data folder before. */
export function hasHadHub(folder: string): boolean {
  return existsSync(identityFile(folder));
}

/**
 * Returns the reason why a log must not be used as it is: it is empty although a hub has run on the folder, or
 * it ends before the newest commit of the last run. Returns undefined when the log may be used.
 * @param last the newest readable timestamp of the log (ms), 0 for none
 */
export function goneLog(folder: string, last: number): string | undefined {
  if (last === 0 && hasHadHub(folder))
    return "the log is empty, though a hub has lived here: restore a backup";
  const { newest } = new RunNote(folder);
  if (newest === null || newest.hub !== hubIdOf(folder) || newest.timestamp <= last) return undefined;
  const [end, known] = [last, newest.timestamp].map((timestamp) => new Date(timestamp).toISOString());
  return `the log is older than it was: it ends at ${end}, and went to ${known} when the hub last ran`;
}

/**
 * Returns the reason why a log does not belong to a data folder. @param hubId of the log's hub; undefined for a
 * new one
 */
export function foreignLog(folder: string, hubId: string | undefined): string | undefined {
  const own = hubIdOf(folder);
  if (own === undefined || hubId === undefined || own === hubId) return undefined;
  return `the log is that of hub ${hubId}, and hub.json names ${own}: put back the one that is not this hub's`;
}

/**
 * Returns the id of the hub that a data folder belongs to; undefined before the first start or when it is
 * unreadable.
 */
export function hubIdOf(folder: string): string | undefined {
  try {
    const { hubId } = JSON.parse(readFileSync(identityFile(folder), "utf8")) as { hubId?: unknown };
    return typeof hubId === "string" ? hubId : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the hub's id into the data folder, so that a lost log is never taken for a new hub. */
export function rememberHubId(folder: string, hubId: string): void {
  writeWhole(identityFile(folder), `${JSON.stringify({ hubId })}\n`);
}

function identityFile(folder: string): string {
  return join(folder, "hub.json");
}
