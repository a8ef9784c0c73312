/*
 * Checks a log for the hub. On a damaged page LMDB may crash (SIGSEGV, SIGBUS, abort), which then ends only
 * this process. `log-child.ts <task> <log folder> [before]`; sends its findings as messages and ends.
 */
import type { EventLog, Sealing } from "@ledge/log";
import { type LogReport, type LogTask, trialPrefix } from "./log-task.ts";
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdtempSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import {
  baseFormat,
  EvolveError,
  openKernel,
  snapshotFormat,
  snapshotRowsOf,
  systemClock,
} from "@ledge/kernel";
import { LogError, openLmdbLog, type Salvage, salvage, salvageSnapshots } from "@ledge/log";
import { declared, limits, upcasters } from "@ledge/model";
import { PersonalKeys } from "@ledge/host/personal/keys";
import { personalFields } from "@ledge/host/personal/sealing";
import { sealingOf } from "@ledge/host/sealed-fields";
import { kernelParts } from "./kernel-parts.ts";

/** Rows or events per message. */
const messageItems = 500;

const tasks: Readonly<Record<LogTask, (folder: string, before?: number) => Promise<void>>> = {
  probe,
  try: tryOut,
  read,
  verify,
};

/** The time of the last message on the monotonic clock (ms). */
let toldAt = performance.now();

// The hub has ended.
process.on("disconnect", () => process.exit(1));
const [task, folder = "", before] = process.argv.slice(2);
await tasks[task as LogTask](folder, before === undefined ? undefined : Number(before));
process.exit(0);

/** Reports progress now and then. The message is written at once, even when the event loop never turns. */
function tellProgress(): void {
  if (performance.now() - toldAt < limits.logTaskProgressMs) return;
  void tell({ type: "progress" });
}

function tell(report: LogReport): Promise<void> {
  toldAt = performance.now();
  return new Promise((resolve, reject) => {
    process.send?.(report, (error: Error | null) => (error === null ? resolve() : reject(error)));
  });
}

/** Returns the sealing of the data folder that holds the log. Secrets stay sealed, because no task needs them. */
function personalSealing(path: string): Sealing {
  return sealingOf(personalFields(new PersonalKeys(dirname(path)), declared));
}

/** Does the reads of a start. */
async function probe(path: string, until?: number): Promise<void> {
  try {
    const log = await openLmdbLog({
      folder: path,
      upcasters,
      sealing: personalSealing(path),
      readOnly: true,
    });
    await replay(log, until);
    await tell({ type: "sound" });
  } catch (error) {
    if (error instanceof EvolveError && error.place !== undefined) {
      await tell({ type: "refused", place: error.place, message: error.message });
    } else {
      await tell({ type: "damaged", message: (error as Error).message });
    }
  }
}

async function replay(log: EventLog, until?: number): Promise<void> {
  const readOnly = {
    state: "rescue",
    reason: "a probe",
    ...(until !== undefined && { before: until }),
  } as const;
  const kernel = openKernel({
    ...kernelParts,
    log,
    clock: systemClock,
    timeTrusted: () => false,
    onFatal: () => {},
    onRead: tellProgress,
    readOnly,
  });
  await kernel.close();
}

/** Walks a copy of the whole log and writes to it as a hub does. */
async function tryOut(path: string): Promise<void> {
  const files = ["data.mdb", "journal"].filter((name) => existsSync(join(path, name)));
  const bytes = files.reduce((sum, name) => sum + statSync(join(path, name)).size, 0);
  const { bavail, bsize } = statfsSync(path);
  // Without room for a copy the trial cannot run, which is no fault of the log.
  if (bavail * bsize < 2 * bytes + limits.trialRoomBytes) return tell({ type: "sound" });
  const copy = mkdtempSync(join(dirname(path), trialPrefix));
  try {
    for (const name of files) await copyFile(join(path, name), join(copy, name));
    const log = await openLmdbLog({ folder: copy, upcasters });
    const [first] = log.verify(tellProgress).damage;
    if (first !== undefined) throw new Error(`damaged at ${first.timestamp}: ${first.problem}`);
    for (let number = 1; number <= 100; number++) {
      await log.append({ timestamp: log.last + 1, events: [] });
      if (number % 10 === 0) await log.move();
    }
    await log.saveSnapshot({ timestamp: log.last, format: "a trial", rows: ["x".repeat(1_000_000)] });
    await log.close();
    await tell({ type: "sound" });
  } catch (error) {
    const isFull = error instanceof LogError && error.code === "full";
    await tell(isFull ? { type: "sound" } : { type: "damaged", message: (error as Error).message });
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function copyFile(from: string, to: string): Promise<void> {
  const reading = createReadStream(from, { highWaterMark: 1_048_576 });
  reading.on("data", tellProgress);
  await pipeline(reading, createWriteStream(to));
}

/**
 * Sends the snapshot or base that leads farthest without a gap, and the readable commits after it. Commits from
 * the beginning of the log alone would show the home as it was long ago.
 */
async function read(path: string): Promise<void> {
  const format = snapshotFormat(kernelParts.aggregates, kernelParts.release);
  const found = salvage(path, upcasters, { onRead: tellProgress });
  const { snapshot, base } = salvageSnapshots(path, { snapshot: format, base: baseFormat(format) });
  const asSnapshot = base && { ...base, format, rows: snapshotRowsOf(base) };
  const stored = [snapshot, asSnapshot].filter((one) => one !== undefined);
  const times = new Set(stored.map(({ timestamp }) => timestamp));
  const present = new Set<number>();
  for (const { timestamp } of found.read()) {
    tellProgress();
    if (times.has(timestamp)) present.add(timestamp);
  }
  const usable = stored
    .filter(({ timestamp }) => isOf(found, timestamp, present.has(timestamp)))
    .toSorted(
      (a, b) => endBehind(found, b.timestamp) - endBehind(found, a.timestamp) || b.timestamp - a.timestamp,
    );
  const [best] = usable;
  if (best === undefined) return;
  const { timestamp } = best;
  const sealing = personalSealing(path);
  for (const rows of grouped(best.rows))
    await tell({ type: "rows", rows: rows.map((row) => sealing.openRow(row)) });
  await tell({ type: "snapshot", timestamp, format });
  const end = endBehind(found, timestamp);
  for (const commit of found.read())
    if (commit.timestamp > timestamp && commit.timestamp <= end)
      await tell({ type: "commit", commit: { ...commit, events: sealing.open(commit.events) } });
}

/**
 * Whether a snapshot belongs to this log, and not to an end that was cut off earlier.
 * @param isThere whether the commit of the snapshot is readable
 */
function isOf({ horizon, last, missing }: Salvage, timestamp: number, isThere: boolean): boolean {
  if (timestamp <= horizon) return timestamp === horizon;
  const isMissing = missing.some(({ from, to }) => timestamp > from && timestamp < (to ?? Infinity));
  return isThere || isMissing || timestamp > last;
}

/** Returns the time (ms) up to which the log is complete after a timestamp at which it is. */
function endBehind({ missing, last }: Salvage, timestamp: number): number {
  const gap = missing.find(({ to }) => to === null || to > timestamp);
  return Math.max(timestamp, gap === undefined ? last : gap.from);
}

function* grouped(rows: Iterable<unknown>): Generator<unknown[]> {
  let group: unknown[] = [];
  for (const row of rows) {
    group.push(row);
    if (group.length < messageItems) continue;
    yield group;
    group = [];
  }
  yield group;
}

/** Walks the whole log. */
async function verify(path: string): Promise<void> {
  try {
    const log = await openLmdbLog({ folder: path, upcasters, readOnly: true });
    await tell({ type: "verified", verification: log.verify(tellProgress) });
    await log.close();
  } catch (error) {
    await tell({ type: "damaged", message: (error as Error).message });
  }
}
