import { existsSync, readdirSync } from "node:fs";
import { limits } from "@ledge/model";
import { logFolder } from "@ledge/host/folder";
import { isServed, socketPath } from "@ledge/host/lock";
import { walkFolder } from "@ledge/host/cli/verify";
import { hubSubject } from "../backup/subject.ts";

/** The result of one check. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Names of files to which a repair or a start has moved a damaged log. */
const setAside = /^(?:data\.mdb|journal)\.(?:damaged|cut)-/;

/** Walks the whole log and returns the checks about it. */
export async function logChecks(folder: string): Promise<Check[]> {
  const name = "log";
  if (!existsSync(logFolder(folder))) return [{ name, ok: true, detail: "none yet" }];
  try {
    const { commits, events, last, snapshot, damage } = await walkFolder(folder, hubSubject);
    const [first] = damage;
    const whole = `${commits} commits, ${events} events, whole`;
    const broken = `${damage.length} places damaged, the first at ${first?.timestamp}: ${first?.problem}; see --repair`;
    return [
      { name, ok: first === undefined, detail: first === undefined ? whole : broken },
      ...snapshotCheck(snapshot),
      ...wallCheck(last),
      ...keptCheck(folder),
      ...(await stopCheck(folder)),
    ];
  } catch (error) {
    return [{ name, ok: false, detail: (error as Error).message }];
  }
}

function snapshotCheck(snapshot: number | null): Check[] {
  const detail =
    snapshot === null
      ? "none: the next start replays everything"
      : `as of ${new Date(snapshot).toISOString()}`;
  return [{ name: "snapshot", ok: true, detail }];
}

/** A log with timestamps in the future means that the wall clock is, or was, wrong. */
function wallCheck(last: number): Check[] {
  if (last <= Date.now() + limits.clockJumpMs) return [];
  const detail = `this machine says ${new Date().toISOString()}, the log goes to ${new Date(last).toISOString()}`;
  return [{ name: "wall clock", ok: false, detail }];
}

function keptCheck(folder: string): Check[] {
  const kept = readdirSync(logFolder(folder)).filter((file) => setAside.test(file));
  if (kept.length === 0) return [];
  return [{ name: "set aside", ok: true, detail: `${kept.join(", ")}: delete them when nothing is missed` }];
}

async function stopCheck(folder: string): Promise<Check[]> {
  if (!existsSync(socketPath(folder)) || (await isServed(folder))) return [];
  const detail = "the hub did not end by itself; its socket is left, the next start replaces it";
  return [{ name: "last stop", ok: true, detail }];
}
