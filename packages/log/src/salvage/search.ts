import { limits } from "@ledge/model";
import { blockOf } from "../block.ts";
import { LogError } from "../event-log.ts";
import { headsIn, noHash } from "../frame.ts";
import { checkFile } from "../check-file.ts";
import { LmdbPages } from "./pages.ts";
import { follows, type FoundFrame, Run, type RunEnd } from "./runs.ts";
import { framesIn, framesInFile } from "./scan.ts";
import {
  epochOf,
  isOver,
  journalFrames,
  journalProblemOf,
  journalRegions,
  type Seam,
  seamOf,
} from "./sources.ts";

/** A span of commits that cannot be read. Timestamps in ms. */
export interface MissingSpan {
  /** The newest readable commit before the span, 0 when there is none. */
  readonly from: number;
  /** The oldest readable commit after the span; null when there is none, so that the number of commits is unknown. */
  readonly to: number | null;
  /** How many commits are missing, when both ends are known. */
  readonly commits: number | null;
  /** How many events they held, when every frame header can still be read. */
  readonly events: number | null;
  readonly problem: string;
}

/** The result of a search. */
export interface Found {
  /** The readable commits in order. */
  readonly runs: readonly Run[];
  readonly missing: readonly MissingSpan[];
  readonly beside: readonly string[];
  readonly horizon: number;
}

const start: RunEnd = { timestamp: 0, sequence: 0, hash: Buffer.from(noHash).toString("hex") };

export interface SearchOptions {
  /** How many missing commits one pass through the files looks for. Bounds memory. */
  readonly window?: number;
  /** Called for each block and frame that is read. */
  readonly onRead?: () => void;
}

/** Reassembles the readable frames of a log. */
export class Search {
  readonly #folder: string;
  readonly #descriptor: number | undefined;
  readonly #pages: LmdbPages | undefined;
  readonly #journal: readonly FoundFrame[];
  readonly #seam: Seam | undefined;
  /** In order. Between two runs commits are missing. */
  readonly #runs: Run[] = [];
  /** What the frame headers around damage say, by sequence number. */
  readonly #heads = new Map<number, Pick<FoundFrame, "timestamp" | "count">[]>();
  /** The problems found, each with the newest commit before it. */
  readonly #problems: { readonly after: number; readonly problem: string }[] = [];

  /** How many sequence numbers one pass looks for. */
  readonly #window: number;

  readonly #onRead: () => void;

  constructor(folder: string, descriptor: number | undefined, options: SearchOptions) {
    this.#window = options.window ?? limits.salvageCommits;
    this.#onRead = options.onRead ?? (() => {});
    this.#folder = folder;
    this.#descriptor = descriptor;
    this.#pages = descriptor === undefined ? undefined : LmdbPages.open(descriptor);
    this.#journal = journalFrames(folder, this.#pages && epochOf(this.#pages));
    this.#seam = this.#pages && seamOf(this.#pages);
    if (descriptor === undefined) this.#note("the log's file is gone");
    else if (this.#pages === undefined) this.#note("the start of the log's file is damaged");
  }

  find(): Found {
    if (this.#pages !== undefined) this.#readTree(this.#pages);
    if (this.#pages?.isNewest === false) this.#note("a page at the start of the log's file is damaged");
    const { timestamp: treeEnd, sequence } = this.#end;
    const lost = this.#pages && journalProblemOf(this.#folder, this.#pages, sequence);
    for (const frame of this.#journal) this.#add(frame);
    // Note it after adding the journal's frames: they tell where the damage ends.
    if (lost !== undefined) this.#note(lost);
    const isEndOpen =
      lost !== undefined ||
      (this.#end.timestamp === treeEnd && this.#problems.some(({ after }) => after === treeEnd));
    if (isEndOpen || this.#hasGap()) this.#fill(isEndOpen);
    if (this.#hasGap()) for (const region of journalRegions(this.#folder)) this.#noteHeads(region);
    const beside = [...(this.#pages?.problemsBeside("log") ?? []), ...this.#problemsOfFile()];
    const horizon = this.#seam?.behind.timestamp ?? 0;
    return { runs: this.#runs, missing: this.#missing(isEndOpen), beside, horizon };
  }

  /** Returns why LMDB must not open the file, however much of it can be read. */
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

  /** Returns the place that a frame has to follow when it comes after `end`. Across the horizon that is the seam. */
  #placeBefore(frame: FoundFrame, end: RunEnd): RunEnd {
    return this.#seam !== undefined && isOver(this.#seam, end, frame) ? this.#seam.behind : end;
  }

  /** Whether no commit is missing between a place and a frame. */
  #follows(end: RunEnd, frame: FoundFrame): boolean {
    const seam = this.#seam;
    if (seam === undefined || !isOver(seam, end, frame)) return follows(end, frame);
    return end.hash === seam.before.hash && follows(seam.behind, frame);
  }

  #readTree(pages: LmdbPages): void {
    for (const found of pages.values("log")) {
      this.#onRead();
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
      if (this.#heads.size >= limits.salvageHeads) return;
      const known = this.#heads.get(sequence);
      if (known === undefined) this.#heads.set(sequence, [head]);
      else known.push(head);
    }
  }

  /**
   * Returns how many events the missing commits between a place and a frame held, or null when not every header
   * is there.
   */
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

  /** Appends a frame to the last run, or begins a new run with it, if it lies beyond the end. */
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

  /** Searches all bytes of the files for the missing commits. */
  #fill(isEndOpen: boolean): void {
    if (isEndOpen) this.#fillEnd();
    this.#addCompactedEnd();
    while (this.#hasGap() && this.#fillGaps()) continue;
    for (let index = this.#runs.length - 1; index > 0; index--) {
      const [before, run] = this.#runs.slice(index - 1, index + 1) as [Run, Run];
      if (!this.#follows(before.last, run.first)) continue;
      before.join(run);
      this.#runs.splice(index, 1);
    }
  }

  /** Yields every whole frame in the files. */
  *#frames(): Generator<FoundFrame> {
    for (const frame of this.#descriptor === undefined ? [] : framesInFile(this.#descriptor)) {
      this.#onRead();
      yield frame;
    }
    yield* this.#journal;
  }

  /**
   * Makes one pass through all bytes and fills gaps from their newer end.
   * @returns whether another pass may find more
   */
  #fillGaps(): boolean {
    const gaps = this.#runs.flatMap((run, index) => {
      const last = this.#runs[index - 1]?.last ?? start;
      if (this.#follows(last, run.first)) return [];
      const { sequence } = run.first;
      return [
        { run, place: this.#placeBefore(run.first, last), below: sequence, from: 0, to: run.first.timestamp },
      ];
    });
    const commits = Math.max(Math.ceil(this.#window / gaps.length), 1);
    for (const gap of gaps) gap.from = Math.max(gap.below - commits, gap.place.sequence + 1);
    const candidates = new Map<string, FoundFrame>();
    for (const frame of this.#frames()) {
      const gap = gaps[firstAbove(gaps, frame.timestamp)];
      if (gap === undefined || frame.timestamp <= gap.place.timestamp) continue;
      if (frame.sequence >= gap.from && frame.sequence < gap.below) candidates.set(frame.hash, frame);
    }
    let hasMore = false;
    for (const { run, place, from } of gaps) {
      prependFrom(run, candidates, place);
      if (run.first.sequence === from && from > place.sequence + 1) hasMore = true;
    }
    return hasMore;
  }

  /** The hash of the last compacted frame is known, so the chain can be followed back from it. */
  #addCompactedEnd(): void {
    const { before, behind } = this.#seam ?? {};
    if (before === undefined || behind === undefined) return;
    if (this.#runs.some(({ last }) => last.hash === before.hash)) return;
    const frame = this.#frameOf(before.hash);
    if (frame === undefined) return;
    const isBehind = (run: Run): boolean => run.first.timestamp > behind.timestamp;
    const index = this.#runs.findIndex(isBehind);
    const place = index === -1 ? this.#runs.length : index;
    const last = this.#runs[place - 1]?.last ?? start;
    if (frame.sequence > last.sequence && frame.timestamp > last.timestamp)
      this.#runs.splice(place, 0, new Run(frame));
  }

  #frameOf(hash: string): FoundFrame | undefined {
    for (const frame of this.#frames()) if (frame.hash === hash) return frame;
    return undefined;
  }

  /**
   * Looks for commits after the last run. Nothing tells which belong there, so it takes the newest of each
   * sequence number.
   */
  #fillEnd(): void {
    // Compacted commits are never added to.
    const isCompacted = this.#seam !== undefined && this.#end.timestamp <= this.#seam.behind.timestamp;
    const { sequence, timestamp } = isCompacted ? (this.#seam?.behind ?? this.#end) : this.#end;
    for (let from = sequence + 1; from < Infinity;) {
      const newest = new Map<number, FoundFrame>();
      let next = Infinity;
      for (const frame of this.#frames()) {
        if (frame.sequence < from || frame.timestamp <= timestamp) continue;
        if (frame.sequence >= from + this.#window) next = Math.min(next, frame.sequence);
        else if (frame.timestamp > (newest.get(frame.sequence)?.timestamp ?? 0))
          newest.set(frame.sequence, frame);
      }
      for (const frame of [...newest.values()].toSorted((a, b) => a.sequence - b.sequence)) this.#add(frame);
      from = next;
    }
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
    return this.#problems.findLast(({ after }) => after < timestamp)?.problem ?? "commits are missing";
  }
}

/** Returns the index of the first gap that ends after a timestamp. */
function firstAbove(gaps: readonly { readonly to: number }[], timestamp: number): number {
  let [low, high] = [0, gaps.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((gaps[middle] as { to: number }).to > timestamp) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Prepends to a run the frames that the hashes name, back to a place. */
function prependFrom(run: Run, candidates: ReadonlyMap<string, FoundFrame>, end: RunEnd): void {
  while (run.first.previous !== end.hash) {
    const { previous, sequence, timestamp } = run.first;
    const frame = candidates.get(previous);
    if (frame === undefined || frame.sequence !== sequence - 1 || frame.timestamp >= timestamp) return;
    if (frame.sequence <= end.sequence || frame.timestamp <= end.timestamp) return;
    run.prepend(frame);
  }
}
