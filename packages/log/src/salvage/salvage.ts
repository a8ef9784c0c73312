import { closeSync, existsSync, openSync, readSync } from "node:fs";
import type { Commit, Upcasters } from "@ledge/model";
import { blockOf } from "../block.ts";
import { LogError } from "../event-log.ts";
import { frameAt, frameEvents } from "../frame.ts";
import { dataFile, requireFile } from "../lmdb-file.ts";
import { upcastWith } from "../upcast.ts";
import type { Piece, Run } from "./runs.ts";
import { type Found, type MissingSpan, Search, type SearchOptions } from "./search.ts";

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

/**
 * Reads what a log's folder still holds, for when it cannot be opened. It goes through the pages of `data.mdb`
 * itself, so damage neither ends the process nor hides what stands behind it. Where the tree of pages leaves a gap,
 * frames are taken from the journal and from anywhere in the file, if the hashes in what is known say that they
 * belong there. No file is changed, no writer may be at work. Holds the loop for as long as it reads.
 * @throws LogError `damaged` when a folder stands where a file must, else the error of `node:fs` when a file that is
 *   there cannot be read
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
