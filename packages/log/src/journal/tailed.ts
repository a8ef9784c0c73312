import type { Block } from "../block.ts";
import type { Destination } from "./destination.ts";

/*
 * Reading a log whose newest blocks stand in the journal only. What is moved meanwhile comes to stand at or
 * behind the first block of `tail`, so that bound keeps the two from overlapping.
 */

/**
 * As `BlockStore.blocks`.
 * @param tail the blocks that are not moved, in order; not changed while this is read
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

/** As `BlockStore.lastBlock`. */
export function tailedLastBlock(
  log: Pick<Destination, "lastBlock">,
  tail: readonly Block[],
  before: number = Number.MAX_SAFE_INTEGER,
): Block | undefined {
  const [first] = tail;
  const found = tail.findLast(({ timestamp }) => timestamp < before);
  return found ?? log.lastBlock(Math.min(before, first?.timestamp ?? before));
}
