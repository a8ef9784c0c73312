import { copyFileSync, existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { MissingSpan, Salvage } from "@ledge/log";
import { flushFolder, LogError, salvage } from "@ledge/log";
import type { Commit } from "@ledge/model";
import { declared, eventIn, indexIn, upcasters } from "@ledge/model";
import type { BackupHeader } from "@ledge/host/backup/format";
import { BackupError } from "@ledge/host/backup/format";
import { readBackup, verifyBackup } from "@ledge/host/backup/reader";
import { commitCheck, proveLog, writeLog } from "@ledge/host/backup/rebuild";
import { deriveKey } from "@ledge/host/backup/seal";
import { takeSecrets } from "@ledge/host/backup/secrets";
import { hubSubject } from "../backup/subject.ts";
import { logFolder } from "@ledge/host/folder";
import { goneLog, hubIdOf } from "../folder/folder.ts";
import { RunNote } from "../start/run-note.ts";
import { holdFolder } from "@ledge/host/lock";
import { openEpochIn } from "./new-epoch.ts";
import { sealingOf } from "@ledge/host/sealed-fields";
import { SecretKeys } from "@ledge/host/secrets/keys";
import { sealedCommits, secretFields } from "@ledge/host/secrets/sealing";

export interface RepairOptions {
  /** The data folder of a stopped hub. */
  readonly folder: string;
  /** A backup that may hold the unreadable commits. */
  readonly backup: string | undefined;
  /** The passphrase of the backup; without one, sealed values are left out. */
  readonly passphrase: string | undefined;
  /** Wall clock (ms). */
  readonly now: number;
}

export interface Repaired {
  /** The lost spans; empty when everything was found. */
  readonly lost: readonly MissingSpan[];
  /** Commits and events of the new log, and the number of commits from the backup. */
  readonly commits: number;
  readonly events: number;
  readonly fromBackup: number;
  readonly epoch: number;
  /** The places of the damaged files. */
  readonly aside: readonly string[];
}

/** Commits of a backup that fill a span. */
interface Filling {
  readonly span: MissingSpan;
  readonly commits: readonly Commit[];
}

/** Whether a log needs repair. */
export function isDamaged({ missing, beside }: Salvage): boolean {
  return missing.length + beside.length > 0;
}

/**
 * Builds a whole log from the readable parts of a damaged one and from a backup. The new log is built beside
 * the old one, verified, replayed, and moved into place by one rename; the damaged files are kept. Lost spans
 * are recorded as `SpanLost`. A new epoch is opened, because clients may have seen lost commits.
 * @returns undefined when nothing is damaged
 * @throws LockedError, BackupError, LogError when the rest is no hub's log; the folder is then unchanged
 */
export async function repairLog(options: RepairOptions): Promise<Repaired | undefined> {
  const { folder } = options;
  const release = await holdFolder(folder);
  const fresh = join(folder, "repair.new");
  try {
    const readable = salvage(logFolder(folder), upcasters);
    const gone = goneLog(folder, readable.last);
    if (gone !== undefined && readable.last === 0 && options.backup === undefined)
      throw new LogError("damaged", gone);
    const found = gone === undefined ? readable : endingOpen(readable, gone);
    if (!isDamaged(found)) return undefined;
    rmSync(fresh, { recursive: true, force: true });
    const fillings = await fillingsOf(options, found);
    const sealed = sealedCommits(
      filled(found, fillings),
      sealingOf(secretFields(new SecretKeys(folder), declared)),
    );
    await writeLog(fresh, sealed, () => found.horizon);
    const fromBackup = fillings.reduce((sum, { commits }) => sum + commits.length, 0);
    const { commits, events } = await proveLog(fresh, hubSubject);
    if (commits !== found.commits + fromBackup)
      throw new LogError("damaged", "the log has changed while it was read");
    const lost = found.missing.flatMap((span) => leftOf(span, fillings) ?? []);
    const notes = lost.map(({ from, to, commits: count, problem }) => {
      return { type: "NOTE_SPAN_LOST", from, to, commits: count, problem };
    });
    const known = new RunNote(folder).newest?.timestamp ?? 0;
    const above = Math.max(
      known,
      found.last,
      ...fillings.map(({ commits: more }) => more.at(-1)?.timestamp ?? 0),
    );
    const epoch = await openEpochIn(fresh, {
      reason: "the log was repaired",
      above,
      keysIn: folder,
      commands: notes,
    });
    const aside = takePlace(folder, fresh, options.now);
    return { lost, commits, events, fromBackup, epoch, aside };
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    release();
  }
}

/** Returns a salvage of a whole log whose end is lost, so the extent of the loss is unknown. */
function endingOpen(found: Salvage, problem: string): Salvage {
  if (found.last === 0 || found.missing.some(({ to }) => to === null)) return found;
  const span: MissingSpan = { from: found.last, to: null, commits: null, events: null, problem };
  return { ...found, missing: [...found.missing, span] };
}

/** Returns the commits of the backup for each missing span. */
async function fillingsOf(options: RepairOptions, found: Salvage): Promise<Filling[]> {
  const { folder, backup, passphrase } = options;
  if (backup === undefined) return [];
  const { header, damage } = verifyBackup(backup);
  if (damage !== undefined || header === undefined)
    throw new BackupError("damaged", damage?.problem ?? `${backup} has no header`);
  refuseForeign(header, folder);
  const isOpened = passphrase !== undefined && header.key !== undefined;
  const key = isOpened ? await deriveKey(passphrase, header.key) : undefined;
  const edges = new Set(found.missing.flatMap(({ from, to }) => [from, to ?? 0]));
  const known = new Map<number, Commit>();
  for (const commit of found.read()) if (edges.has(commit.timestamp)) known.set(commit.timestamp, commit);
  const fillings = found.missing.map((span) => ({ span, commits: [] as Commit[] }));
  const check = commitCheck(hubSubject);
  for (const part of readBackup(backup, key)) {
    if (!("commits" in part)) continue;
    for (const stored of part.commits) {
      // The backup may come from an older release.
      const commit = check(stored);
      const own = known.get(commit.timestamp);
      if (own !== undefined) {
        refuseOther(own, commit, backup);
        known.delete(commit.timestamp);
      }
      fillings.find(({ span }) => isWithin(span, commit.timestamp))?.commits.push(commit);
    }
  }
  const { horizon = 0, timestamp: end } = header;
  const strange = [...known.keys()].find((timestamp) => timestamp > horizon && timestamp <= end);
  if (strange !== undefined) throw otherHistory(backup, strange);
  return fillings;
}

function refuseForeign({ hubId }: BackupHeader, folder: string): void {
  const own = hubIdOf(folder);
  if (own !== undefined && own !== hubId)
    throw new BackupError("foreign", `the backup is of hub ${hubId}, not ${own}`);
}

/** Refuses a backup of another history of this hub, such as from before a restore. */
function refuseOther(own: Commit, other: Commit, backup: string): void {
  const [mine, theirs] = [own, other].map((commit) => takeSecrets(commit, declared).commit) as [
    Commit,
    Commit,
  ];
  const isSame = mine.events.every((event, place) => {
    const counterpart = eventIn(theirs, indexIn(mine, place));
    // Either side may have been compacted and may hold only a part of the commit.
    return counterpart === undefined ? theirs.indexes !== undefined : isDeepStrictEqual(event, counterpart);
  });
  const isAll =
    mine.indexes !== undefined || theirs.events.every((_, place) => eventIn(mine, indexIn(theirs, place)));
  if (!isSame || !isAll) throw otherHistory(backup, own.timestamp);
}

function otherHistory(backup: string, timestamp: number): BackupError {
  return new BackupError(
    "foreign",
    `${backup} and the log differ at ${timestamp}: they have another history`,
  );
}

function isWithin({ from, to }: MissingSpan, timestamp: number): boolean {
  return timestamp > from && timestamp < (to ?? Number.MAX_SAFE_INTEGER);
}

/** Yields the readable commits, with those of the backup in their places. */
function* filled(found: Salvage, fillings: readonly Filling[]): Generator<Commit> {
  const waiting = [...fillings];
  for (const commit of found.read()) {
    while (waiting[0] !== undefined && waiting[0].span.from < commit.timestamp) {
      yield* (waiting.shift() as Filling).commits;
    }
    yield commit;
  }
  for (const { commits } of waiting) yield* commits;
}

/** Returns the part of a span that is still missing; undefined when none is. */
function leftOf(span: MissingSpan, fillings: readonly Filling[]): MissingSpan | undefined {
  const more = fillings.find((filling) => filling.span === span)?.commits ?? [];
  // After a compaction the log counts fewer commits than the backup holds.
  const commits = span.commits === null ? null : Math.max(span.commits - more.length, 0);
  if (commits === 0) return undefined;
  const brought = more.reduce((sum, { events }) => sum + events.length, 0);
  const events = span.events === null ? null : Math.max(span.events - brought, 0);
  return { ...span, from: more.at(-1)?.timestamp ?? span.from, commits, events };
}

/** Moves the new log to the place of the old one. @returns the places of the damaged files */
function takePlace(folder: string, fresh: string, now: number): string[] {
  const log = logFolder(folder);
  const aside = ["data.mdb", "journal"].flatMap((name) => {
    const path = join(log, name);
    if (!existsSync(path)) return [];
    const kept = `${path}.damaged-${now}`;
    keep(path, kept);
    return [kept];
  });
  flushFolder(log);
  renameSync(join(logFolder(fresh), "data.mdb"), join(log, "data.mdb"));
  flushFolder(log);
  // The journal belongs to the old log; without an epoch in the new one it would be ignored.
  rmSync(join(log, "journal"), { force: true });
  rmSync(join(log, "lock.mdb"), { force: true });
  flushFolder(log);
  return aside;
}

/** Gives a file a second name, or copies it on file systems without hard links. */
function keep(path: string, kept: string): void {
  try {
    linkSync(path, kept);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw error;
    copyFileSync(path, kept);
  }
}
