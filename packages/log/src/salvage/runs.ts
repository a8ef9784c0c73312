import type { Frame } from "../frame.ts";

/** Bytes that hold whole frames back to back: at `position` in the log's file, or in memory. */
export interface Piece {
  readonly position: number;
  readonly length: number;
  readonly bytes?: Buffer;
}

/** A whole frame, wherever it was found. Hashes in hexadecimal. */
export interface FoundFrame extends Pick<Frame, "timestamp" | "sequence" | "count"> {
  readonly hash: string;
  readonly previous: string;
  readonly piece: Piece;
}

/** The end of a run of commits, which the next commit has to follow. */
export interface RunEnd {
  readonly timestamp: number;
  readonly sequence: number;
  readonly hash: string;
}

/** Commits without a gap: each names the hash of the one before. */
export class Run {
  readonly pieces: Piece[];
  first: FoundFrame;
  last: RunEnd;
  commits = 1;
  events: number;

  constructor(frame: FoundFrame) {
    this.first = frame;
    this.last = frame;
    this.events = frame.count;
    this.pieces = [frame.piece];
  }

  append(frame: FoundFrame): void {
    this.last = frame;
    this.#count(frame);
    const piece = this.pieces.at(-1);
    const isNext =
      piece !== undefined &&
      piece.bytes === frame.piece.bytes &&
      piece.position + piece.length === frame.piece.position;
    if (isNext) this.pieces[this.pieces.length - 1] = { ...piece, length: piece.length + frame.piece.length };
    else this.pieces.push(frame.piece);
  }

  prepend(frame: FoundFrame): void {
    this.first = frame;
    this.#count(frame);
    this.pieces.unshift(frame.piece);
  }

  /** Appends a run that continues this one. */
  join(run: Run): void {
    this.last = run.last;
    this.commits += run.commits;
    this.events += run.events;
    this.pieces.push(...run.pieces);
  }

  #count({ count }: FoundFrame): void {
    this.commits += 1;
    this.events += count;
  }
}

/** Whether a frame comes next after a place, by number, time and hash. */
export function follows(end: RunEnd, frame: FoundFrame): boolean {
  return (
    frame.sequence === end.sequence + 1 && frame.timestamp > end.timestamp && frame.previous === end.hash
  );
}
