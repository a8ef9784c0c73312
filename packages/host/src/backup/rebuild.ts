import { existsSync } from "node:fs";
import type { Snapshot } from "@ledge/log";
import { LogError, openLmdbLog, salvage, upcastWith } from "@ledge/log";
import type { Commit } from "@ledge/model";
import { logFolder } from "../folder.ts";
import { BackupError } from "./format.ts";
import { eventChecks } from "./shape.ts";
import type { BackupSubject } from "./subject.ts";

/** Appends that may be under way: they share flushes. */
const appendsInFlight = 1000;

/**
 * Makes a log of commits in an empty data folder; what is sealed in them stays so.
 * @param horizon up to where (ms) they are what compaction has left; asked with the first commit
 * @throws LogError; the folder may then hold a part of it
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
 * What looks at a commit of a backup before a log takes it.
 * @returns throws BackupError where an event is none that could have been written; answers the commit up to date
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
 * Reads a whole log as a process that starts without a snapshot would, and walks every frame.
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

/** Ids of those whom the readable log of a folder says to be forgotten; no process may run on it. */
export function forgottenIn(
  folder: string,
  { upcasters, forgetting }: Pick<BackupSubject, "upcasters" | "forgetting">,
): string[] {
  if (!existsSync(logFolder(folder))) return [];
  const forgotten = new Set<string>();
  for (const { events } of salvage(logFolder(folder), upcasters).read()) {
    for (const { type, id } of events) {
      if (type === forgetting.forgotten) forgotten.add(id);
      // Who is added again has another key.
      else if (type === forgetting.added) forgotten.delete(id);
    }
  }
  return [...forgotten];
}

/** The timestamp (ms) of the newest readable commit of a folder that no process runs on, 0 when there is none. */
export function lastIn(folder: string): number {
  return existsSync(logFolder(folder)) ? salvage(logFolder(folder)).last : 0;
}
