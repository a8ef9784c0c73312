import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "@ledge/host/folder";

/** Where a cloud keeps its data when nobody says otherwise: that of `npm start`. */
export const defaultFolder = ".data/sim-cloud";

/** Says which cloud a data folder belongs to. */
function noteFile(folder: string): string {
  return join(folder, "cloud.json");
}

/**
 * The name under which the cloud of a data folder signs; undefined when none has lived there.
 * @throws Error when the note of it cannot be read
 */
export function issuerOf(folder: string): string | undefined {
  const file = noteFile(folder);
  if (!existsSync(file)) return undefined;
  const { issuer } = (JSON.parse(readFileSync(file, "utf8")) ?? {}) as { issuer?: unknown };
  if (typeof issuer !== "string") throw new Error(`${file} names no issuer`);
  return issuer;
}

/** Writes down whose data folder it is, so that a lost log is never taken for a new cloud. */
export function noteIssuer(folder: string, issuer: string): void {
  if (issuerOf(folder) === undefined) writeWhole(noteFile(folder), `${JSON.stringify({ issuer })}\n`);
}

/**
 * Why a log that holds nothing must not be begun anew: a cloud has lived in its data folder.
 * @param last the newest timestamp of what can be read of the log (ms), 0 for nothing
 */
export function goneLog(folder: string, last: number): string | undefined {
  const isGone = last === 0 && existsSync(noteFile(folder));
  return isGone ? "the log is empty, though a cloud has lived here: restore a backup" : undefined;
}
