import type { Tail } from "../block.ts";
import { decodeCompaction } from "../compaction.ts";
import { closeJournal, openJournal, regionsOf } from "../journal/file.ts";
import { blocksIn } from "../journal/frame.ts";
import { journalProblem } from "../journal/recovery.ts";
import { awaitsJournalKey, compactionKeys, epochKey } from "../lmdb-store.ts";
import type { LmdbPages } from "./pages.ts";
import type { FoundFrame, RunEnd } from "./runs.ts";
import { framesIn } from "./scan.ts";

/** The horizon in a compacted log: the newest frame left below it, and the original frame before the next one. */
export interface Seam {
  readonly before: RunEnd;
  readonly behind: RunEnd;
}

/** Whether the horizon lies between a place and a frame. */
export function isOver({ behind }: Seam, end: RunEnd, frame: FoundFrame): boolean {
  // A walk that has reached the seam itself is already beyond the horizon.
  return end.timestamp <= behind.timestamp && end.hash !== behind.hash && frame.timestamp > behind.timestamp;
}

export function seamOf(pages: LmdbPages): Seam | undefined {
  for (const found of pages.values("meta")) {
    if ("problem" in found || !isKey(found, compactionKeys)) continue;
    const compaction = decodeCompaction(pages.read(found));
    if (compaction === undefined) continue;
    return { before: placeOf(compaction.end), behind: placeOf(compaction.seam) };
  }
  return undefined;
}

function isKey({ key }: { readonly key: Buffer }, names: readonly string[]): boolean {
  return names.includes(key.toString("latin1"));
}

function placeOf({ timestamp, sequence, hash }: Tail): RunEnd {
  return { timestamp, sequence, hash: Buffer.from(hash).toString("hex") };
}

/** Returns the epoch of the journal that continues the log, if it can be read. */
export function epochOf(pages: LmdbPages): bigint | undefined {
  for (const found of pages.values("meta")) {
    if (!("problem" in found) && found.key.toString("latin1") === epochKey && found.length === 8)
      return pages.read(found).readBigUInt64LE(0);
  }
  return undefined;
}

/**
 * Returns what is wrong with the journal beside a log, as far as its pages can be read.
 * @param sequence of the log's newest commit
 */
export function journalProblemOf(folder: string, pages: LmdbPages, sequence: number): string | undefined {
  const isAwaited = [...pages.values("meta")].some(
    (found) => !("problem" in found) && found.key.toString("latin1") === awaitsJournalKey,
  );
  const file = openJournal(folder, { readOnly: true });
  try {
    return journalProblem(file, { epoch: epochOf(pages), isAwaited, sequence });
  } finally {
    if (file !== undefined) closeJournal(file);
  }
}

/**
 * Returns the frames of a folder's journal in the order of their numbers.
 * @param epoch undefined for all of them
 */
export function journalFrames(folder: string, epoch: bigint | undefined): FoundFrame[] {
  const frames: FoundFrame[] = [];
  for (const region of journalRegions(folder)) {
    for (const { bytes } of blocksIn(region, epoch)) {
      frames.push(...framesIn(bytes, { position: 0, length: bytes.length, bytes }));
    }
  }
  return frames.toSorted((one, other) => one.sequence - other.sequence);
}

/** Like `regionsOf`, for a folder that may have no journal. */
export function* journalRegions(folder: string): Generator<Buffer> {
  const file = openJournal(folder, { readOnly: true });
  if (file === undefined) return;
  try {
    yield* regionsOf(file);
  } finally {
    closeJournal(file);
  }
}
