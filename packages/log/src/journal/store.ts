import { randomBytes } from "node:crypto";
import type { Block, BlockStore, Compaction, Recovery, Rewrite, SnapshotParts } from "../block.ts";
import { LogError, NoRoomError, type StoreStats } from "../event-log.ts";
import type { Destination } from "./destination.ts";
import {
  closeJournal,
  createJournal,
  type JournalFile,
  openJournal,
  setJournalAside,
  stampJournal,
} from "./file.ts";
import { frameBytes } from "./frame.ts";
import { journalBytes, regionBytes } from "./layout.ts";
import { Mover } from "./mover.ts";
import { Ring } from "./ring.ts";
import { tailedBlocks, tailedLastBlock } from "./tailed.ts";
import { JournalWriter } from "./writer.ts";

export interface JournalOptions {
  readonly folder: string;
  /** `false` skips the direct mode. */
  readonly direct?: boolean;
  /** The module of the writing thread. */
  readonly worker?: URL;
  /** How long (ms) to wait before the next look for room on a full disk. */
  readonly retryMs?: number;
}

/** What opening the files found. */
export interface Found {
  /** Undefined when there is no journal yet. */
  readonly file: JournalFile | undefined;
  /** The blocks of the journal after the log's end. */
  readonly blocks: readonly Block[];
  /** Whether the journal belongs to another log and must not be overwritten. */
  readonly isSetAside: boolean;
}

/** A journal that accepts frames. */
interface Serving {
  readonly file: JournalFile;
  readonly writer: JournalWriter;
  readonly ring: Ring;
}

/**
 * A journal in front of a log. One flushed write to the journal acknowledges a block. The block stays in memory
 * and is moved into the log later, as part of a large block. Bytes reach the disk in `JournalWriter.write`
 * (frames), `createJournal`, `stampJournal` and `setJournalAside` (the journal as a whole), and in LMDB's own
 * commits.
 */
export class JournaledStore implements BlockStore {
  readonly readOnly = false;
  readonly #options: JournalOptions;
  readonly #log: Destination;
  readonly #mover: Mover;
  #found: Found;
  #serving: Serving | undefined;
  #stalls = 0;
  #retry: NodeJS.Timeout | undefined;
  #resuming: Promise<void> | undefined;
  #isClosing = false;

  /** @param log closed with this store, together with `found.file` */
  constructor(log: Destination, found: Found, options: JournalOptions) {
    this.#log = log;
    this.#found = found;
    this.#options = options;
    this.#mover = new Mover(log, found.blocks, () => this.#retryLater());
  }

  /**
   * Moves the found blocks, gives the journal a new epoch, and begins to write frames at its start. A place that
   * may be torn is thus never reused under the epoch in which it was written. On a full disk it returns without
   * accepting writes, keeps everything readable, and tries again later.
   * @throws LogError `failed` on any error but a full disk
   */
  async begin(): Promise<void> {
    try {
      await this.#mover.moveAll(true);
      const file = await this.#emptyJournal();
      const epoch = randomBytes(8).readBigUInt64LE(0);
      await this.#mover.commit(() => this.#log.writeEpoch(epoch));
      // Stamp the journal first: only a journal that can be recognised as this log's may be awaited.
      stampJournal(file, epoch);
      await this.#mover.commit(() => this.#log.writeAwaitsJournal(true));
      const writer = new JournalWriter(file.descriptor, epoch, this.#options.worker);
      this.#serving = { file, writer, ring: new Ring() };
    } catch (cause) {
      const failure = await this.writeFailure(cause);
      if (failure.code !== "full") throw failure;
      this.#mover.stop(new NoRoomError(failure.message, { cause }));
      this.#retryLater();
    }
  }

  async #emptyJournal(): Promise<JournalFile> {
    const { folder, direct = true } = this.#options;
    const { file, isSetAside } = this.#found;
    if (file?.bytes === journalBytes && !isSetAside) return file;
    if (file !== undefined) {
      closeJournal(file);
      if (isSetAside) setJournalAside(folder, this.#log.lastBlock()?.timestamp ?? 0);
      this.#found = { ...this.#found, file: undefined, isSetAside: false };
    }
    await createJournal(folder);
    const made = openJournal(folder, { readOnly: false, direct });
    if (made === undefined) throw new Error(`the journal in ${folder} is gone`);
    this.#found = { ...this.#found, file: made };
    return made;
  }

  blocks(timestamp: number): Iterable<Block> {
    return tailedBlocks(this.#log, [...this.#mover.tail], timestamp);
  }

  lastBlock(before?: number): Block | undefined {
    return tailedLastBlock(this.#log, this.#mover.tail, before);
  }

  async write(block: Block): Promise<void> {
    const { failure } = this.#mover;
    // While the disk is full, the journal accepts frames until its last region is full too.
    if (failure !== undefined && !(failure instanceof NoRoomError)) throw failure;
    if (this.#serving === undefined) throw failure ?? new LogError("failed", "the journal is not open");
    const { writer, ring } = this.#serving;
    const size = frameBytes(block.bytes.length);
    if (size > regionBytes) {
      await this.#mover.writeAround(block);
      return;
    }
    const position = await this.#place(ring, size);
    try {
      await writer.write(block.bytes, position);
    } catch (cause) {
      const final = await this.writeFailure(cause);
      this.#mover.stop(final);
      throw final;
    }
    ring.took(size, block.timestamp);
    this.#mover.push(block);
  }

  async #place(ring: Ring, size: number): Promise<number> {
    // Nobody waits for this move. Whoever waits for a later one gets the error.
    if (!ring.fits(size)) void this.#mover.moveAll().catch(() => {});
    const position = ring.place(size, this.#mover.moved);
    if (position !== undefined) return position;
    this.#stalls += 1;
    await this.#mover.moveTo(ring.oldest);
    return this.#place(ring, size);
  }

  /** Why moving has stopped. */
  get failure(): LogError | undefined {
    return this.#mover.failure;
  }

  move(): Promise<void> {
    return this.#mover.moveAll();
  }

  get recovery(): Recovery | undefined {
    return this.#log.recovery;
  }

  settleRecovery(): Promise<void> {
    return this.#mover.commitBeside(() => this.#log.settleRecovery());
  }

  cut(): never {
    throw new LogError("damaged", "the end of the log is damaged behind its recovery");
  }

  lastMoved(): Block | undefined {
    return this.#log.lastBlock();
  }

  compaction(): Compaction | undefined {
    return this.#log.compaction();
  }

  compact(change: Rewrite, parts: SnapshotParts): Promise<void> {
    return this.#mover.commitBeside(() => this.#log.compact(change, parts));
  }

  readSnapshotPart(key: string): Buffer | undefined {
    return this.#log.readSnapshotPart(key);
  }

  snapshotKeys(prefix: string): readonly string[] {
    return this.#log.snapshotKeys(prefix);
  }

  writeSnapshotParts(parts: SnapshotParts): Promise<void> {
    return this.#mover.commitBeside(() => this.#log.writeSnapshotParts(parts));
  }

  writeFailure(cause: unknown): Promise<LogError> {
    return this.#log.writeFailure(cause);
  }

  stats(): StoreStats {
    const stats = this.#log.stats();
    const { file, writer } = this.#serving ?? {};
    return {
      fileBytes: stats.fileBytes + (this.#found.file?.bytes ?? 0),
      usedBytes: stats.usedBytes,
      spareBytes: stats.spareBytes,
      journalMode: file?.mode ?? "none",
      journalFrames: this.#mover.tail.length,
      moves: this.#mover.moves,
      stalls: this.#stalls,
      flushes: writer?.flushes ?? 0,
    };
  }

  #retryLater(): void {
    clearTimeout(this.#retry);
    if (this.#isClosing) return;
    const resume = (): void => {
      // The mover keeps the failure for the next append.
      this.#resuming = this.#resumeIfRoom().catch(() => {});
    };
    this.#retry = setTimeout(resume, this.#options.retryMs ?? 1000).unref();
  }

  /** Resumes after a full disk. */
  async #resumeIfRoom(): Promise<void> {
    const hasRoom = await this.#log.hasRoom().catch(() => false);
    if (this.#isClosing) return;
    if (!hasRoom) {
      this.#retryLater();
      return;
    }
    this.#mover.resume();
    await (this.#serving === undefined ? this.begin() : this.#mover.moveAll());
  }

  /** Empties the journal, so that the log is whole without it. */
  async #moveLast(): Promise<void> {
    await this.#mover.moveAll();
    await this.#mover.commit(() => this.#log.writeAwaitsJournal(false));
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#retry);
    await this.#resuming;
    try {
      // Blocks that cannot be moved are still in the journal at the next opening.
      if (this.#serving !== undefined) await this.#moveLast().catch(() => {});
      await this.#serving?.writer.close();
      if (this.#found.file !== undefined) closeJournal(this.#found.file);
    } finally {
      await this.#log.close();
    }
  }
}
