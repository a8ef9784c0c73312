import type { Block } from "../block.ts";
import type { Destination } from "./destination.ts";

/*
 * Reads a log whose newest blocks are only in the journal. Blocks that are moved meanwhile get a timestamp at or
 * after the first block of `tail`. The bound `below` excludes them, so that no block is read twice.
 */

/**
 * Like `BlockStore.blocks`.
 * @param tail the blocks that are not moved, in order; must not change during the read
 */
export function* tailedBlocks(
  log: Pick<Destination, "blocks">,
  tail: readonly Block[],
  timestamp: number,
): Generator<Block> {
  const [first] = tail;
  const from = tail.findLastIndex((block) => block.timestamp <= timestamp);
  if (from === -1) yield* log.blocks(timestamp, first?.timestamp);
  for (let i = Math.max(from, 0); i < tail.length; i++) yield tail[i] as Block;
}

/** Like `BlockStore.lastBlock`. */
export function tailedLastBlock(
  log: Pick<Destination, "lastBlock">,
  tail: readonly Block[],
  before: number = Number.MAX_SAFE_INTEGER,
): Block | undefined {
  const [first] = tail;
  const found = tail.findLast(({ timestamp }) => timestamp < before);
  return found ?? log.lastBlock(Math.min(before, first?.timestamp ?? before));
}
