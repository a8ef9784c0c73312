import type { Block, BlockStore } from "../block.ts";

/** The log that a journal stands in front of, as the journal needs it. Commits to it come one at a time. */
export interface Destination extends BlockStore {
  /** As `BlockStore.blocks`; only those that begin before `below`. */
  blocks(timestamp: number, below?: number): Iterable<Block>;

  /**
   * Stores blocks behind all others in one commit; resolves when they are on disk.
   * @param again true when a commit of the same blocks may have been stored in part
   */
  writeAll(blocks: readonly Block[], again: boolean): Promise<void>;

  /** The epoch of the journal that continues this log; undefined when there never was one. */
  epoch(): bigint | undefined;
  writeEpoch(epoch: bigint): Promise<void>;

  /**
   * Extends the file ahead of a commit of `bytes`, so that it allocates nothing and cannot meet a full disk.
   * Not while a commit is in flight.
   */
  reserve(bytes: number): Promise<void>;
  /** Bytes by which `reserve` has extended the file. */
  readonly extendedBytes: number;

  /** Whether the disk has so much room again that a log which met a full one may go on. */
  hasRoom(): Promise<boolean>;

  /** Lets the next read see the newest commit of another process. */
  refresh(): void;
}
