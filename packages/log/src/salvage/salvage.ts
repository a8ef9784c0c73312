import { closeSync, existsSync, openSync, readSync } from "node:fs";
import type { Commit, Upcasters } from "@ledge/model";
import { blockOf } from "../block.ts";
import { LogError } from "../event-log.ts";
import { frameAt, frameEvents, headsIn, noHash } from "../frame.ts";
import { closeJournal, openJournal, regionsOf } from "../journal/file.ts";
import { blocksIn } from "../journal/frame.ts";
import { checkFile, dataFile, requireFile } from "../lmdb-file.ts";
import { decodeCompaction } from "../compaction.ts";
import { compactionKeys, epochKey } from "../lmdb-store.ts";
import type { Tail } from "../tail.ts";
import { upcastWith } from "../upcast.ts";
import { LmdbPages } from "./pages.ts";
import { follows, type FoundFrame, type Piece, Run, type RunEnd } from "./runs.ts";
import { framesIn, framesInFile } from "./scan.ts";

/** Commits that cannot be read. Timestamps in ms. */
export interface MissingSpan {
  /** The newest readable commit before them, 0 when there is none. */
  readonly from: number;
  /** The oldest readable one behind them; null when there is none, so that nobody knows how many they are. */
  readonly to: number | null;
  /** How many, where both ends are known. */
  readonly commits: number | null;
  /** How many events were in them, where the head of each can still be read. */
  readonly events: number | null;
  readonly problem: string;
}

/** What can be read of a log, whatever has become of its files. */
export interface Salvage {
  readonly commits: number;
  readonly events: number;
  /** Timestamps (ms) of the oldest and the newest readable commit; 0 when there is none. */
  readonly first: number;
  readonly last: number;
  /** Up to where (ms) the log was compacted; 0 when it was not. */
  readonly horizon: number;
  /** Oldest first; empty when the log is whole. */
  readonly missing: readonly MissingSpan[];
  /** What is wrong with what the file holds beside the commits: snapshots, notes, the list of free pages. */
  readonly beside: readonly string[];
  /** The readable commits, oldest first, read from the files as they are taken. */
  read(): Generator<Commit, void>;
}

const start: RunEnd = { timestamp: 0, sequence: 0, hash: Buffer.from(noHash).toString("hex") };

/**
 * Reads what a log's folder still holds, for when it cannot be opened. It goes through the pages of `data.mdb`
 * itself, so damage neither ends the process nor hides what stands behind it. Where the tree of pages leaves a gap,
 * frames are taken from the journal and from anywhere in the file, if the hashes in what is known say that they
 * belong there. No file is changed, no writer may be at work. Holds the loop for as long as it reads.
 * @throws LogError `damaged` when a folder stands where a file must, else the error of `node:fs` when a file that is
 *   there cannot be read
 */
export function salvage(folder: string, upcasters: Upcasters = {}): Salvage {
  const path = dataFile(folder);
  requireFile(path);
  const descriptor = existsSync(path) ? openSync(path, "r") : undefined;
  let runs: Run[];
  let missing: MissingSpan[];
  let beside: string[];
  let horizon: number;
  try {
    ({ runs, missing, beside, horizon } = new Search(folder, descriptor).find());
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
  const sum = (of: "commits" | "events"): number => runs.reduce((total, run) => total + run[of], 0);
  return {
    commits: sum("commits"),
    events: sum("events"),
    first: runs[0]?.first.timestamp ?? 0,
    last: runs.at(-1)?.last.timestamp ?? 0,
    horizon,
    missing,
    beside,
    read: () => readRuns(path, runs, upcasters),
  };
}

/** So many heads of commits are looked at where something is damaged. */
const headsKept = 100_000;

/** Puts the readable frames of a log together. */
class Search {
  readonly #folder: string;
  readonly #descriptor: number | undefined;
  readonly #pages: LmdbPages | undefined;
  readonly #journal: readonly FoundFrame[];
  readonly #seam: Seam | undefined;
  /** In their order; between two of them something is missing. */
  readonly #runs: Run[] = [];
  /** What the heads of commits around damage say, by their numbers. */
  readonly #heads = new Map<number, Pick<FoundFrame, "timestamp" | "count">[]>();
  /** What cannot be read, and the newest commit before it. */
  readonly #problems: { readonly after: number; readonly problem: string }[] = [];

  constructor(folder: string, descriptor: number | undefined) {
    this.#folder = folder;
    this.#descriptor = descriptor;
    this.#pages = descriptor === undefined ? undefined : LmdbPages.open(descriptor);
    this.#journal = journalFrames(folder, this.#pages && epochOf(this.#pages));
    this.#seam = this.#pages && seamOf(this.#pages);
    if (descriptor === undefined) this.#note("the log's file is gone");
    else if (this.#pages === undefined) this.#note("the start of the log's file is damaged");
  }

  find(): { runs: Run[]; missing: MissingSpan[]; beside: string[]; horizon: number } {
    if (this.#pages !== undefined) this.#readTree(this.#pages);
    const treeEnd = this.#end.timestamp;
    for (const frame of this.#journal) this.#add(frame);
    // What the journal has behind damage says where that ends.
    const isEndOpen =
      this.#end.timestamp === treeEnd && this.#problems.some(({ after }) => after === treeEnd);
    if (isEndOpen || this.#hasGap()) this.#fill(isEndOpen);
    if (this.#hasGap()) for (const region of journalRegions(this.#folder)) this.#noteHeads(region);
    const beside = [...(this.#pages?.problemsBeside("log") ?? []), ...this.#problemsOfFile()];
    const horizon = this.#seam?.behind.timestamp ?? 0;
    return { runs: this.#runs, missing: this.#missing(isEndOpen), beside, horizon };
  }

  /** Why LMDB must not open the file, whatever of it can be read. */
  #problemsOfFile(): string[] {
    if (this.#descriptor === undefined) return [];
    try {
      checkFile(this.#folder, true);
      return [];
    } catch (error) {
      if (error instanceof LogError && error.code === "damaged") return [error.message];
      throw error;
    }
  }

  get #end(): RunEnd {
    return this.#runs.at(-1)?.last ?? start;
  }

  /** The place that a frame has to follow when it comes behind another: over the horizon that is the seam. */
  #placeBefore(frame: FoundFrame, end: RunEnd): RunEnd {
    return this.#seam !== undefined && isOver(this.#seam, end, frame) ? this.#seam.behind : end;
  }

  /** Whether nothing is missing between a place and a frame. */
  #follows(end: RunEnd, frame: FoundFrame): boolean {
    const seam = this.#seam;
    if (seam === undefined || !isOver(seam, end, frame)) return follows(end, frame);
    return end.hash === seam.before.hash && follows(seam.behind, frame);
  }

  #readTree(pages: LmdbPages): void {
    for (const found of pages.values("log")) {
      if ("problem" in found) {
        this.#note(found.problem);
        continue;
      }
      const { position, length } = found;
      const noted = this.#problems.length;
      let end = position;
      for (const frame of framesIn(pages.read(found), { position, length })) {
        if (frame.piece.position !== end) this.#note("a damaged frame");
        end = frame.piece.position + frame.piece.length;
        this.#add(frame);
      }
      if (end !== position + length) this.#note("a damaged frame");
      if (this.#problems.length > noted) this.#noteHeads(pages.read(found));
    }
  }

  #noteHeads(bytes: Buffer): void {
    for (const { sequence, ...head } of headsIn(blockOf(0, bytes).view, 0)) {
      if (this.#heads.size >= headsKept) return;
      const known = this.#heads.get(sequence);
      if (known === undefined) this.#heads.set(sequence, [head]);
      else known.push(head);
    }
  }

  /** The events of the commits that are missing between a place and a frame; null when not every head is there. */
  #eventsBetween(end: RunEnd, frame: FoundFrame): number | null {
    if (this.#seam !== undefined && isOver(this.#seam, end, frame)) return null;
    let events = 0;
    for (let sequence = end.sequence + 1; sequence < frame.sequence; sequence++) {
      const isWithin = ({ timestamp }: { readonly timestamp: number }): boolean =>
        timestamp > end.timestamp && timestamp < frame.timestamp;
      const head = this.#heads.get(sequence)?.find(isWithin);
      if (head === undefined) return null;
      events += head.count;
    }
    return events;
  }

  #note(problem: string): void {
    this.#problems.push({ after: this.#end.timestamp, problem });
  }

  /** Puts a frame behind all others if it belongs there. */
  #add(frame: FoundFrame): void {
    const run = this.#runs.at(-1);
    const { sequence, timestamp } = this.#placeBefore(frame, this.#end);
    if (frame.sequence <= sequence || frame.timestamp <= timestamp) return;
    if (run !== undefined && this.#follows(run.last, frame)) run.append(frame);
    else this.#runs.push(new Run(frame));
  }

  #hasGap(): boolean {
    const [first] = this.#runs;
    return this.#runs.length > 1 || (first !== undefined && !this.#follows(start, first.first));
  }

  /** Looks for what is missing in all the bytes that there are. */
  #fill(isEndOpen: boolean): void {
    const anywhere = this.#descriptor === undefined ? [] : framesInFile(this.#descriptor);
    const candidates = new Map<string, FoundFrame>();
    for (const frame of anywhere) candidates.set(frame.hash, frame);
    for (const frame of this.#journal) candidates.set(frame.hash, frame);
    if (isEndOpen) this.#fillEnd(candidates.values());
    this.#addCompactedEnd(candidates);
    for (let index = this.#runs.length - 1; index >= 0; index--) {
      const run = this.#runs[index] as Run;
      const before = this.#runs[index - 1];
      prependFrom(run, candidates, this.#placeBefore(run.first, before?.last ?? start));
      if (before === undefined || !this.#follows(before.last, run.first)) continue;
      before.join(run);
      this.#runs.splice(index, 1);
    }
  }

  /** What was compacted ends with a frame of which the hash is known: from there it can be followed back. */
  #addCompactedEnd(candidates: ReadonlyMap<string, FoundFrame>): void {
    const { before, behind } = this.#seam ?? {};
    const frame = before && candidates.get(before.hash);
    if (frame === undefined || behind === undefined) return;
    const isBehind = (run: Run): boolean => run.first.timestamp > behind.timestamp;
    const index = this.#runs.findIndex(isBehind);
    const place = index === -1 ? this.#runs.length : index;
    const last = this.#runs[place - 1]?.last ?? start;
    if (frame.sequence > last.sequence && frame.timestamp > last.timestamp)
      this.#runs.splice(place, 0, new Run(frame));
  }

  /** Behind the last run nothing says what belongs there: taken is what is newest of each number. */
  #fillEnd(candidates: Iterable<FoundFrame>): void {
    // What was compacted does not grow.
    const isCompacted = this.#seam !== undefined && this.#end.timestamp <= this.#seam.behind.timestamp;
    const end = isCompacted ? (this.#seam?.behind ?? this.#end) : this.#end;
    const newest = new Map<number, FoundFrame>();
    for (const frame of candidates) {
      if (frame.sequence <= end.sequence || frame.timestamp <= end.timestamp) continue;
      if (frame.timestamp > (newest.get(frame.sequence)?.timestamp ?? 0)) newest.set(frame.sequence, frame);
    }
    for (const frame of [...newest.values()].toSorted((a, b) => a.sequence - b.sequence)) this.#add(frame);
  }

  #missing(isEndOpen: boolean): MissingSpan[] {
    const spans: MissingSpan[] = [];
    let end = start;
    for (const { first, last } of this.#runs) {
      if (!this.#follows(end, first)) {
        const { timestamp: to } = first;
        const commits = this.#countBetween(end, first);
        const events = this.#eventsBetween(end, first);
        spans.push({ from: end.timestamp, to, commits, events, problem: this.#problemBefore(to) });
      }
      end = last;
    }
    if (isEndOpen) {
      const problem = this.#problemBefore(Number.MAX_SAFE_INTEGER);
      spans.push({ from: end.timestamp, to: null, commits: null, events: null, problem });
    }
    return spans;
  }

  #countBetween(end: RunEnd, frame: FoundFrame): number {
    const seam = this.#seam;
    if (seam === undefined || !isOver(seam, end, frame)) return frame.sequence - end.sequence - 1;
    return seam.before.sequence - end.sequence + frame.sequence - seam.behind.sequence - 1;
  }

  #problemBefore(timestamp: number): string {
    return this.#problems.findLast(({ after }) => after < timestamp)?.problem ?? "commits are not there";
  }
}

/** Puts before a run what the hashes say stands there, up to a place. */
function prependFrom(run: Run, candidates: ReadonlyMap<string, FoundFrame>, end: RunEnd): void {
  while (run.first.previous !== end.hash) {
    const { previous, sequence, timestamp } = run.first;
    const frame = candidates.get(previous);
    if (frame === undefined || frame.sequence !== sequence - 1 || frame.timestamp >= timestamp) return;
    if (frame.sequence <= end.sequence || frame.timestamp <= end.timestamp) return;
    run.prepend(frame);
  }
}

/** Where a compacted log goes over its horizon: the newest frame that is left, and the original one before the next. */
interface Seam {
  readonly before: RunEnd;
  readonly behind: RunEnd;
}

/** Whether the horizon lies between a place and a frame. */
function isOver({ behind }: Seam, end: RunEnd, frame: FoundFrame): boolean {
  // A walk that has come to the seam itself stands behind it.
  return end.timestamp <= behind.timestamp && end.hash !== behind.hash && frame.timestamp > behind.timestamp;
}

function seamOf(pages: LmdbPages): Seam | undefined {
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

/** The epoch of the journal that continues the log, if that can be read. */
function epochOf(pages: LmdbPages): bigint | undefined {
  for (const found of pages.values("meta")) {
    if (!("problem" in found) && found.key.toString("latin1") === epochKey && found.length === 8)
      return pages.read(found).readBigUInt64LE(0);
  }
  return undefined;
}

/** The frames of a folder's journal in the order of their numbers. @param epoch undefined for all of them */
function journalFrames(folder: string, epoch: bigint | undefined): FoundFrame[] {
  const frames: FoundFrame[] = [];
  for (const region of journalRegions(folder)) {
    for (const { bytes } of blocksIn(region, epoch)) {
      frames.push(...framesIn(bytes, { position: 0, length: bytes.length, bytes }));
    }
  }
  return frames.toSorted((one, other) => one.sequence - other.sequence);
}

/** As `regionsOf`, of a folder that may have no journal. */
function* journalRegions(folder: string): Generator<Buffer> {
  const file = openJournal(folder, { readOnly: true });
  if (file === undefined) return;
  try {
    yield* regionsOf(file);
  } finally {
    closeJournal(file);
  }
}

function* readRuns(path: string, runs: readonly Run[], upcasters: Upcasters): Generator<Commit, void> {
  const upcast = upcastWith(upcasters);
  const descriptor = existsSync(path) ? openSync(path, "r") : undefined;
  try {
    for (const { pieces } of runs) {
      for (const piece of pieces) {
        for (const commit of commitsIn(bytesOf(piece, descriptor))) {
          yield { ...commit, events: upcast(commit.events) };
        }
      }
    }
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function bytesOf({ position, length, bytes }: Piece, descriptor: number | undefined): Buffer {
  if (bytes !== undefined) return bytes.subarray(position, position + length);
  const read = Buffer.alloc(length);
  if (descriptor !== undefined) readSync(descriptor, read, 0, length, position);
  return read;
}

/** @throws LogError when what was whole before is not any more */
function* commitsIn(bytes: Buffer): Generator<Commit> {
  const { view } = blockOf(0, bytes);
  for (let at = 0; at < bytes.length;) {
    const frame = frameAt(view, at);
    const payload = typeof frame === "string" ? undefined : frameEvents(bytes, frame);
    if (typeof frame === "string" || payload === undefined)
      throw new LogError("damaged", "the log has changed while it was read");
    yield { timestamp: frame.timestamp, ...payload };
    at = frame.end;
  }
}
