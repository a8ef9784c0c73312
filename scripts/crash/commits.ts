// The commits that a crash run writes, what the writer reports about them, and the comparison with a log.
import type { EventLog } from "@ledge/log";
import type { Commit } from "@ledge/model";
import { hash } from "./random.ts";

/** Timestamps (ms) from `first` up to `end`, exclusive, that a session has appended. */
interface Offer {
  readonly session: number;
  readonly first: number;
  readonly end: number;
}

/** What the writers have reported, session after session. */
export interface Said {
  readonly offers: readonly Offer[];
  /** Acknowledged timestamps, with the session that offered each. */
  readonly acknowledged: ReadonlyMap<number, number>;
  /** The newest acknowledged snapshot. */
  readonly snapshot: number;
  /** The newest timestamp shown to a reader. */
  readonly seen: number;
  /** The horizon of the newest acknowledged compaction. */
  readonly horizon: number;
}

export interface Findings {
  /** Acknowledged commits that are missing. */
  readonly lost: readonly string[];
  /** Commits that are wrong or were never offered. */
  readonly corrupt: readonly string[];
}

/** The format of the snapshots, which have few bytes most of the time. */
export const snapshotFormat = "crash";

/** Sessions from here on write nothing that waits until everything is moved. */
export const steadySessions = 500;

/** Returns a commit whose content depends only on its timestamp and its session. */
export function commitOf(session: number, timestamp: number): Commit {
  const chance = hash(`${session}/${timestamp}`);
  let length = chance % 400;
  if (chance % 37 === 0) length = chance % 20_000;
  if (chance % 401 === 0) length = chance % 300_000;
  // More than a region of the journal holds: it goes to LMDB directly, after everything before it is moved.
  if (session < steadySessions && chance % 997 === 0) length = 1_048_576 + (chance % 100_000);
  const event = {
    type: "Noted",
    id: `session-${session}`,
    version: 1,
    origin: "device",
    depth: 0,
    text: String(chance).repeat(length / 8),
  } as const;
  return { timestamp, events: [event] };
}

export function snapshotRows(timestamp: number): readonly unknown[] {
  return Array.from({ length: 1 + (timestamp % 500) }, (_, row) => ({
    row,
    timestamp,
    text: "x".repeat(200),
  }));
}

/** Whether compaction keeps a commit. */
export function stays(timestamp: number): boolean {
  return hash(`stays ${timestamp}`) % 3 === 0;
}

/** Whether compaction has removed a commit from a log. */
export function isGone({ horizon }: EventLog, timestamp: number): boolean {
  return timestamp <= horizon && !stays(timestamp);
}

/** The lines of a report, as `saidOf` reads them. */
export const lines = {
  offer: ({ session, first, end }: Offer): string => `offer ${session} ${first} ${end}\n`,
  acknowledged: (session: number, timestamp: number): string => `ack ${session} ${timestamp}\n`,
  snapshot: (timestamp: number): string => `snapshot ${timestamp}\n`,
  seen: (timestamp: number): string => `seen ${timestamp}\n`,
  horizon: (timestamp: number): string => `horizon ${timestamp}\n`,
};

export function saidOf(text: string): Said {
  const offers: Offer[] = [];
  const acknowledged = new Map<number, number>();
  let snapshot = 0;
  let seen = 0;
  let horizon = 0;
  for (const line of text.split("\n").slice(0, -1)) {
    const [what, ...numbers] = line.split(" ");
    const [one = Number.NaN, two = Number.NaN, three = Number.NaN] = numbers.map(Number);
    if (what === "offer") offers.push({ session: one, first: two, end: three });
    else if (what === "ack") acknowledged.set(two, one);
    else if (what === "snapshot") snapshot = Math.max(snapshot, one);
    else if (what === "seen") seen = Math.max(seen, one);
    else if (what === "horizon") horizon = Math.max(horizon, one);
    else throw new Error(`a writer printed ${line}`);
  }
  return { offers, acknowledged, snapshot, seen, horizon };
}

/**
 * Compares a log with the reports of its writers: every acknowledged commit is there, and every commit was
 * offered. Up to its horizon a log holds exactly what compaction keeps.
 */
export function findingsOf(log: EventLog, { offers, acknowledged, snapshot, seen, horizon }: Said): Findings {
  const lost: string[] = [];
  const corrupt: string[] = [];
  const present = new Set<number>();
  const bySession = Map.groupBy(offers, ({ session }) => session);
  let session = 0;
  let before = 0;
  try {
    for (const commit of log.read()) {
      const { timestamp } = commit;
      const writer = Number(commit.events[0]?.id.replace("session-", ""));
      const wasOffered = bySession
        .get(writer)
        ?.some(({ first, end }) => first <= timestamp && timestamp < end);
      let expected = before + 1;
      while (expected < timestamp && isGone(log, expected)) expected += 1;
      if (timestamp !== expected) corrupt.push(`${timestamp} follows ${before}`);
      if (isGone(log, timestamp))
        corrupt.push(`${timestamp} is below the horizon ${log.horizon} but was not removed`);
      if (!wasOffered) corrupt.push(`${timestamp} was never offered by session ${writer}`);
      if (writer < session) corrupt.push(`${timestamp} of session ${writer} follows session ${session}`);
      if (JSON.stringify(commit) !== JSON.stringify(commitOf(writer, timestamp)))
        corrupt.push(`${timestamp} has another content`);
      if ((acknowledged.get(timestamp) ?? writer) !== writer)
        lost.push(`${timestamp} belongs to session ${writer}`);
      present.add(timestamp);
      session = writer;
      before = timestamp;
    }
  } catch (error) {
    corrupt.push(`after ${before}: ${String(error)}`);
  }
  for (const timestamp of acknowledged.keys())
    if (!present.has(timestamp) && !isGone(log, timestamp)) lost.push(`${timestamp} is missing`);
  if (log.last < seen) lost.push(`${seen} was shown, but the log ends at ${log.last}`);
  if (log.horizon < horizon) corrupt.push(`the horizon is ${log.horizon}, but ${horizon} was acknowledged`);
  for (const { timestamp, problem } of log.verify().damage) corrupt.push(`at ${timestamp}: ${problem}`);
  if (log.last !== Math.max(before, log.horizon))
    corrupt.push(`the log claims to end at ${log.last}, but ends at ${before}`);
  return { lost, corrupt: [...corrupt, ...snapshotFindings(log, snapshot), ...baseFindings(log)] };
}

/** Checks the bases: each compaction writes one, and removes those below the horizon. */
function baseFindings(log: EventLog): string[] {
  if (log.horizon === 0) return [];
  const stored = log.bases().map(({ timestamp }) => timestamp);
  const rows = log.loadBase(snapshotFormat)?.rows ?? [];
  const isWhole = JSON.stringify([...rows]) === JSON.stringify(snapshotRows(log.horizon));
  return stored.length === 1 && stored[0] === log.horizon && isWhole
    ? []
    : [`bases of ${stored.join(", ")} with the horizon ${log.horizon}`];
}

function snapshotFindings(log: EventLog, acknowledged: number): string[] {
  const found = log.loadSnapshot(snapshotFormat);
  if (found === undefined)
    return acknowledged > log.horizon ? [`no snapshot, but ${acknowledged} was acknowledged`] : [];
  const { timestamp, rows } = found;
  if (timestamp < acknowledged) return [`snapshot ${timestamp}, but ${acknowledged} was acknowledged`];
  const isSame = JSON.stringify([...rows]) === JSON.stringify(snapshotRows(timestamp));
  return isSame ? [] : [`snapshot ${timestamp} has another content`];
}
