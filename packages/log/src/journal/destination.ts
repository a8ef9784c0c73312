import type { Block, BlockStore } from "../block.ts";

/**
 * The log behind a journal, as the journal needs it. Its writes are commits, one at a time and in the order of
 * the calls. It does not begin a commit that would not fit on the disk (`NoRoomError`). Any other failure is
 * final.
 */
export interface Destination extends BlockStore {
  /** Like `BlockStore.blocks`, but only blocks that begin before `below`. */
  blocks(timestamp: number, below?: number): Iterable<Block>;

  /** Stores blocks after all others in one commit. Resolves when they are on disk. */
  writeAll(blocks: readonly Block[]): Promise<void>;

  /** Returns the epoch of the journal that continues this log, or undefined when there never was one. */
  epoch(): bigint | undefined;
  /** Stores a new epoch, whose journal is not awaited yet. */
  writeEpoch(epoch: bigint): Promise<void>;

  /**
   * Whether the journal of the epoch may hold blocks that are not moved, so that the log is incomplete without
   * it.
   */
  awaitsJournal(): boolean;
  writeAwaitsJournal(isAwaited: boolean): Promise<void>;

  /** Whether the disk has enough room again for a log that met a full disk. */
  hasRoom(): Promise<boolean>;

  /** Makes the next read see the newest commit of another process. */
  refresh(): void;
}
