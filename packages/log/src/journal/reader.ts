import { type Block, type BlockStore, type Compaction, origin, type Recovery, type Tail } from "../block.ts";
import { LogError, type StoreStats } from "../event-log.ts";
import { findEnd } from "../tail.ts";
import type { Destination } from "./destination.ts";
import { closeJournal, openJournal } from "./file.ts";
import { type Continuation, continuation, framesOf, journalProblem, lostBehind } from "./recovery.ts";
import { tailedBlocks, tailedLastBlock } from "./tailed.ts";

/** How often to try. A writer that fills a region during the read leaves a gap, but not this often in a row. */
const readings = 4;

/**
 * Reads the log and its journal while another process writes them. Reads the journal again whenever it is asked
 * for the newest block.
 */
export class JournalReader implements BlockStore {
  readonly readOnly = true;
  readonly #folder: string;
  readonly #log: Destination;
  #found: Omit<Continuation, "end"> & { readonly end?: Tail } = { blocks: [] };

  /** @param log open for reading only; closed with this store */
  constructor(log: Destination, folder: string) {
    this.#log = log;
    this.#folder = folder;
    this.#read();
  }

  /**
   * The acknowledged commits that cannot be reached, for which a writer would refuse to open; otherwise the
   * recovery of the log that is not settled.
   */
  get recovery(): Recovery | undefined {
    const { gap, end = origin } = this.#found;
    const { timestamp } = end;
    return gap === undefined ? this.#log.recovery : { ...gap, timestamp, lostUntil: timestamp };
  }

  /**
   * Reads the journal again.
   * @throws LogError `damaged` when the journal beside the log is not the one that the log awaits
   */
  #read(): void {
    let lost: string | undefined;
    for (let i = 0; i < readings; i++) {
      const expected = { epoch: this.#log.epoch(), isAwaited: this.#log.awaitsJournal() };
      const file = openJournal(this.#folder, { readOnly: true });
      try {
        const frames = file === undefined ? [] : framesOf(file, expected.epoch);
        // Read the log last: blocks that were overwritten in the journal meanwhile were moved before.
        this.#log.refresh();
        if (this.#log.epoch() !== expected.epoch) continue;
        const { tail, cut } = findEnd(this.#log);
        const problem = journalProblem(file, { ...expected, sequence: tail.sequence });
        lost = problem && lostBehind(tail.timestamp, problem);
        if (lost !== undefined) continue;
        // No block can continue a damaged end that is still there.
        this.#found = cut === undefined ? continuation(frames, tail) : { blocks: [] };
        if (this.#found.gap === undefined) return;
      } finally {
        if (file !== undefined) closeJournal(file);
      }
    }
    if (lost !== undefined) throw new LogError("damaged", lost);
  }

  blocks(timestamp: number): Iterable<Block> {
    return tailedBlocks(this.#log, this.#found.blocks, timestamp);
  }

  lastBlock(before?: number): Block | undefined {
    if (before === undefined) this.#read();
    return tailedLastBlock(this.#log, this.#found.blocks, before);
  }

  lastMoved(): Block | undefined {
    return this.#log.lastBlock();
  }

  compaction(): Compaction | undefined {
    return this.#log.compaction();
  }

  readSnapshotPart(key: string): Buffer | undefined {
    return this.#log.readSnapshotPart(key);
  }

  snapshotKeys(prefix: string): readonly string[] {
    return this.#log.snapshotKeys(prefix);
  }

  stats(): StoreStats {
    return { ...this.#log.stats(), journalFrames: this.#found.blocks.length };
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  async write(): Promise<never> {
    throw readingOnly();
  }

  cut(): never {
    throw readingOnly();
  }

  async settleRecovery(): Promise<never> {
    throw readingOnly();
  }

  async compact(): Promise<never> {
    throw readingOnly();
  }

  async writeSnapshotParts(): Promise<never> {
    throw readingOnly();
  }

  async writeFailure(): Promise<LogError> {
    return readingOnly();
  }
}

function readingOnly(): LogError {
  return new LogError("closed", "the log is open for reading only");
}
