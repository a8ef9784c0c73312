import type { Block, BlockStore } from "../block.ts";

/**
 * The log that a journal stands in front of, as the journal needs it. Its writes are commits: one at a time, in
 * the order of the calls. One that would not fit the disk is not begun (`NoRoomError`), and any other failure is
 * final.
 */
export interface Destination extends BlockStore {
  /** As `BlockStore.blocks`; only those that begin before `below`. */
  blocks(timestamp: number, below?: number): Iterable<Block>;

  /** Stores blocks behind all others in one commit; resolves when they are on disk. */
  writeAll(blocks: readonly Block[]): Promise<void>;

  /** The epoch of the journal that continues this log; undefined when there never was one. */
  epoch(): bigint | undefined;
  /** Nothing of this epoch is awaited yet. */
  writeEpoch(epoch: bigint): Promise<void>;

  /** Whether the journal of the epoch may hold what is not moved: without it the log is not whole. */
  awaitsJournal(): boolean;
  writeAwaitsJournal(isAwaited: boolean): Promise<void>;

  /** Whether the disk has so much room again that a log which met a full one may go on. */
  hasRoom(): Promise<boolean>;

  /** Lets the next read see the newest commit of another process. */
  refresh(): void;
}
