import { existsSync } from "node:fs";
import type { Clock } from "@ledge/kernel";
import { openKernel, replay } from "@ledge/kernel";
import type { BlockLog, Snapshot } from "@ledge/log";
import { LogError, openLmdbLog, salvage } from "@ledge/log";
import type { Command, Commit } from "@ledge/model";
import { limits, upcasters, UserAdded, UserForgotten } from "@ledge/model";
import { logFolder } from "./folder.ts";
import { folderSealing } from "./sealing.ts";
import { kernelParts } from "./start/kernel-parts.ts";

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
 * Reads a whole log as a hub that starts without a snapshot would, and walks every frame.
 * @throws LogError `damaged`; EvolveError when an event cannot be applied
 */
export async function proveLog(
  folder: string,
): Promise<{ commits: number; events: number; state: Snapshot }> {
  const log = await openLmdbLog({ folder: logFolder(folder), upcasters, readOnly: true });
  try {
    const { commits, events, damage } = log.verify();
    const [first] = damage;
    if (first !== undefined) throw new LogError("damaged", `damaged at ${first.timestamp}: ${first.problem}`);
    return { commits, events, state: replay({ ...kernelParts, log }) };
  } finally {
    await log.close();
  }
}

/** Nothing that waits comes due under it: timers of the log fire when a hub runs on it. */
const stillClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  after: () => () => {},
};

/** What an epoch is opened with. */
export interface NewEpoch {
  readonly reason: string;
  /** No later timestamp is at or below this one (ms), nor below the wall clock and its lead. */
  readonly above: number;
  /** The data folder whose keys open what is sealed; default: that of the log. */
  readonly keysIn?: string;
  /** For the hub, before the epoch. */
  readonly commands?: readonly HubCommandFor[];
  /** Who is forgotten; those that cannot be, such as an owner, are passed over. */
  readonly forgotten?: readonly string[];
}

/**
 * Opens a new epoch in a log that no hub runs on: every poll cursor from before, or from the time since its last
 * commit, gets a full answer once. Leaves a snapshot behind.
 * @returns the timestamp of the epoch
 */
export async function openEpochIn(
  folder: string,
  { reason, above, keysIn = folder, commands = [], forgotten = [] }: NewEpoch,
): Promise<number> {
  const sealing = folderSealing(keysIn);
  const log: BlockLog = await openLmdbLog({ folder: logFolder(folder), upcasters, sealing, journal: false });
  const kernel = openKernel({
    ...kernelParts,
    log,
    reactions: [],
    clock: stillClock,
    timeTrusted: () => true,
    onFatal: () => {},
  });
  try {
    kernel.raiseTimestamp(Math.max(Date.now() + limits.clockLeadMs, above));
    const [id] = [...kernel.all("hub")][0] ?? [];
    if (id === undefined) throw new LogError("damaged", "the log has no hub");
    const forget = forgotten.map((user): Command & { id: string } => ({ type: "FORGET_USER", id: user }));
    await kernel.submit({ commands: forget, origin: "console", each: true });
    const all = [...commands, { type: "OPEN_EPOCH", reason }].map(
      (command): Command & Record<string, unknown> => ({ ...command, id }),
    );
    const outcome = await kernel.submit({ commands: all, origin: "console" });
    if (!outcome.accepted) throw new Error(outcome.rejection.message);
    return kernel.timestamp;
  } finally {
    await kernel.close();
  }
}

/** A command for the hub itself, without its id. */
export type HubCommandFor = Command & Record<string, unknown>;

/** Ids of the users whom the readable log of a folder says to be forgotten; no hub may run on it. */
export function forgottenIn(folder: string): string[] {
  if (!existsSync(logFolder(folder))) return [];
  const forgotten = new Set<string>();
  for (const { events } of salvage(logFolder(folder), upcasters).read()) {
    for (const { type, id } of events) {
      if (type === UserForgotten.type) forgotten.add(id);
      // Who is added again has another key.
      else if (type === UserAdded.type) forgotten.delete(id);
    }
  }
  return [...forgotten];
}

/** The timestamp (ms) of the newest readable commit of a folder that no hub runs on, 0 when there is none. */
export function lastIn(folder: string): number {
  return existsSync(logFolder(folder)) ? salvage(logFolder(folder)).last : 0;
}
