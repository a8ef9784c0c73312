import { closeSync, existsSync, openSync, readSync } from "node:fs";
import type { Commit, Upcasters } from "@ledge/model";
import { blockOf } from "../block.ts";
import { LogError } from "../event-log.ts";
import { frameAt, frameEvents } from "../frame.ts";
import { dataFile, requireFile } from "../lmdb-file.ts";
import { upcastWith } from "../upcast.ts";
import type { Piece, Run } from "./runs.ts";
import { type Found, type MissingSpan, Search, type SearchOptions } from "./search.ts";

/** The readable part of a log, in whatever state its files are. */
export interface Salvage {
  readonly commits: number;
  readonly events: number;
  /** Timestamps (ms) of the oldest and the newest readable commit; 0 when there is none. */
  readonly first: number;
  readonly last: number;
  /** The timestamp (ms) up to which the log was compacted; 0 when it was not. */
  readonly horizon: number;
  /** The missing spans, oldest first; empty when the log is whole. */
  readonly missing: readonly MissingSpan[];
  /** What is wrong in the file apart from the commits: in snapshots, notes or the list of free pages. */
  readonly beside: readonly string[];
  /** Yields the readable commits, oldest first. Reads the files as the caller takes them. */
  read(): Generator<Commit, void>;
}

/**
 * Reads what a log's folder still holds when it cannot be opened. It parses the pages of `data.mdb` itself, so
 * damage neither ends the process nor hides what follows it. Where the tree of pages leaves a gap, it takes
 * frames from the journal and from anywhere in the file, if the known hashes show that they belong there. It
 * changes no file. No writer may be active. It blocks the event loop while it reads.
 * @throws LogError `damaged` when a folder is in place of a file, otherwise the error of `node:fs` when a file
 *   cannot be read
 */
export function salvage(folder: string, upcasters: Upcasters = {}, options: SearchOptions = {}): Salvage {
  const path = dataFile(folder);
  requireFile(path);
  const descriptor = existsSync(path) ? openSync(path, "r") : undefined;
  let found: Found;
  try {
    found = new Search(folder, descriptor, options).find();
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
  const { runs, missing, beside, horizon } = found;
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

/**
 * Yields the commits in the frames of a piece.
 * @throws LogError when the bytes have changed since the search
 */
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
