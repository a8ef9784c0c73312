import { limits } from "@ledge/model";
import { type Block, type BlockStore, nextFrame, origin, type Recovery, type Tail } from "./block.ts";
import { LogError } from "./event-log.ts";
import { storedBases } from "./base.ts";
import { type Frame, frameBehind, frameHash, headsIn, noHash } from "./frame.ts";
import { snapshotTimestamps } from "./snapshot.ts";

interface End {
  readonly tail: Tail;
  readonly recovery?: Recovery;
  /** The cut that makes the log end with `tail`. */
  readonly cut?: { readonly block: Block; readonly keep: number };
}

/**
 * Finds the end of a log in its newest block, or in the block before when nothing of the newest can be read.
 * @throws LogError `damaged` when more than the newest block is unreadable, when a whole frame follows the
 *   unreadable part, or when nothing would be left
 */
export function findEnd(store: BlockStore): End {
  const block = store.lastBlock();
  const seam = store.compaction()?.seam;
  // Compacted blocks are never cut. A read reports damage there.
  if (seam !== undefined && (block?.timestamp ?? 0) <= seam.timestamp) return { tail: seam };
  if (block === undefined) return { tail: { ...origin, hash: noHash } };
  const { last, end, problem } = walk(block);
  if (last !== undefined && problem === undefined) return { tail: tailAt(block, last) };

  // After a write that was torn no whole frame can follow. Cutting here would drop acknowledged commits.
  if (frameBehind(block.view, end)) {
    throw new LogError(
      "damaged",
      `the log is damaged behind ${last?.timestamp ?? block.timestamp}: ${problem}`,
    );
  }
  const kept = last === undefined ? wholeBlockBefore(store, block) : tailAt(block, last);
  return {
    tail: kept,
    recovery: {
      timestamp: kept.timestamp,
      lostUntil: lostUntil(store, block, end, kept.timestamp),
      bytes: block.bytes.length - end,
      problem: problem ?? "empty block",
    },
    cut: { block, keep: end },
  };
}

/**
 * Returns the newest timestamp of the cut part that anybody may have seen. Snapshots and bases prove how far it
 * went. The headers of damaged frames may be damaged too, so they count only near what is left.
 */
function lostUntil(store: BlockStore, block: Block, end: number, kept: number): number {
  const sure = [...snapshotTimestamps(store), ...storedBases(store).map(({ timestamp }) => timestamp)];
  const named = [block.timestamp, ...[...headsIn(block.view, end)].map(({ timestamp }) => timestamp)];
  return Math.max(kept, ...sure, ...named.filter((timestamp) => timestamp <= kept + limits.lostSpanMs));
}

/** Merges a new recovery with an earlier one that was not settled. */
export function joinedRecovery(before: Recovery | undefined, next: Recovery): Recovery {
  return before === undefined ? next : { ...next, lostUntil: Math.max(before.lostUntil, next.lostUntil) };
}

function wholeBlockBefore(store: BlockStore, damaged: Block): Tail {
  const block = store.lastBlock(damaged.timestamp);
  const seam = store.compaction()?.seam;
  if (seam !== undefined && (block?.timestamp ?? 0) <= seam.timestamp) return seam;
  const { last, problem } = block === undefined ? {} : walk(block);
  if (block === undefined || last === undefined || problem !== undefined) {
    throw new LogError("damaged", `the end of the log is unreadable from ${(block ?? damaged).timestamp} on`);
  }
  return tailAt(block, last);
}

/** Returns the timestamp (ms) of a block's last frame, or undefined when the block is not whole. */
export function endOf(block: Block): number | undefined {
  const { last, problem } = walk(block);
  return problem === undefined ? last?.timestamp : undefined;
}

/** Returns the last readable frame of a block, where it ends, and what is wrong after it. */
function walk(block: Block): { last?: Frame; end: number; problem?: string } {
  let last: Frame | undefined;
  let end = 0;
  while (end < block.bytes.length) {
    const frame = nextFrame(block, end, last);
    if (typeof frame === "string") return { ...(last && { last }), end, problem: frame };
    last = frame;
    end = frame.end;
  }
  return { ...(last && { last }), end };
}

function tailAt(block: Block, { timestamp, sequence, start, end }: Frame): Tail {
  return { timestamp, sequence, hash: frameHash(block.bytes, { start, end }) };
}
