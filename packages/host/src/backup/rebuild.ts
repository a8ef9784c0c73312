import { existsSync } from "node:fs";
import type { Snapshot } from "@ledge/log";
import { LogError, openLmdbLog, salvage, upcastWith } from "@ledge/log";
import type { Commit } from "@ledge/model";
import { logFolder } from "../folder.ts";
import { BackupError } from "./format.ts";
import { eventChecks } from "./shape.ts";
import type { BackupSubject } from "./subject.ts";

/** How many appends may be under way at once, so that they share flushes. */
const appendsInFlight = 1000;

/**
 * Writes a log of commits into an empty data folder; sealed values stay sealed.
 * @param horizon returns the horizon (ms) of the commits; called with the first commit
 * @throws LogError; the folder may then have a part of the log
 */
export async function writeLog(
  folder: string,
  commits: Iterable<Commit>,
  horizon: () => number = () => 0,
): Promise<void> {
  const log = await openLmdbLog({ folder: logFolder(folder), journal: false });
  try {
    const pending: Promise<void>[] = [];
    const mark = async (): Promise<void> => {
      await Promise.all(pending.splice(0));
      if (horizon() > 0 && log.horizon === 0) await log.markHorizon(horizon());
    };
    for (const commit of commits) {
      if (commit.timestamp > horizon() && log.horizon < horizon()) await mark();
      pending.push(log.append(commit));
      if (pending.length >= appendsInFlight) await Promise.all(pending.splice(0));
    }
    await mark();
  } finally {
    await log.close();
  }
}

/**
 * Returns a check for the commits of a backup before a log takes them: it returns an upcast commit, and
 * throws BackupError for an event that could never have been written.
 */
export function commitCheck({
  declared,
  upcasters,
}: Pick<BackupSubject, "declared" | "upcasters">): (commit: Commit) => Commit {
  const upcast = upcastWith(upcasters);
  const problemOf = eventChecks(declared);
  return (stored) => {
    const commit = { ...stored, events: upcast(stored.events) };
    const problem = problemOf(commit);
    if (problem !== undefined) throw new BackupError("damaged", `damaged at ${commit.timestamp}: ${problem}`);
    return commit;
  };
}

/**
 * Reads a whole log like a process that starts without a snapshot, and walks every frame.
 * @throws LogError `damaged`; EvolveError when an event cannot be applied
 */
export async function proveLog(
  folder: string,
  { upcasters, replay }: Pick<BackupSubject, "upcasters" | "replay">,
): Promise<{ commits: number; events: number; state: Snapshot }> {
  const log = await openLmdbLog({ folder: logFolder(folder), upcasters, readOnly: true });
  try {
    const { commits, events, damage } = log.verify();
    const [first] = damage;
    if (first !== undefined) throw new LogError("damaged", `damaged at ${first.timestamp}: ${first.problem}`);
    return { commits, events, state: replay(log) };
  } finally {
    await log.close();
  }
}

/** Returns the ids of the forgotten people in the readable log of a folder on which no process runs. */
export function forgottenIn(
  folder: string,
  { upcasters, forgetting }: Pick<BackupSubject, "upcasters" | "forgetting">,
): string[] {
  if (!existsSync(logFolder(folder))) return [];
  const forgotten = new Set<string>();
  for (const { events } of salvage(logFolder(folder), upcasters).read()) {
    for (const { type, id } of events) {
      if (type === forgetting.forgotten) forgotten.add(id);
      // Somebody who is added again has a new key.
      else if (type === forgetting.added) forgotten.delete(id);
    }
  }
  return [...forgotten];
}

/** Returns the timestamp (ms) of the newest readable commit of a folder on which no process runs; 0 for none. */
export function lastIn(folder: string): number {
  return existsSync(logFolder(folder)) ? salvage(logFolder(folder)).last : 0;
}
