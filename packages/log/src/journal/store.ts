import { randomBytes } from "node:crypto";
import type { Block, BlockStore, SnapshotParts } from "../block.ts";
import type { Compaction, Rewrite } from "../compaction.ts";
import { LogError, NoRoomError, type StoreStats } from "../event-log.ts";
import type { Recovery } from "../tail.ts";
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
  /** `false` leaves the direct mode untried. */
  readonly direct?: boolean;
  /** The module of the thread that writes. */
  readonly worker?: URL;
  /** After a full disk: how long (ms) until room is looked for again. */
  readonly retryMs?: number;
}

/** What opening has found. */
export interface Found {
  /** Undefined when there is no journal yet. */
  readonly file: JournalFile | undefined;
  /** What the journal holds behind the log's end. */
  readonly blocks: readonly Block[];
  /** Whether the journal is another log's, and must not be written over. */
  readonly isSetAside: boolean;
}

/** A journal that takes frames. */
interface Serving {
  readonly file: JournalFile;
  readonly writer: JournalWriter;
  readonly ring: Ring;
}

/**
 * A journal in front of a log: a block is acknowledged by one flushed write to the journal, kept in memory, and
 * moved into the log in large blocks later. Where bytes reach the disk: `JournalWriter.write` (frames),
 * `createJournal`, `stampJournal` and `setJournalAside` (the journal as a whole), and LMDB's own commits.
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

  /** @param log closed with this store, `found.file` too */
  constructor(log: Destination, found: Found, options: JournalOptions) {
    this.#log = log;
    this.#found = found;
    this.#options = options;
    this.#mover = new Mover(log, found.blocks, () => this.#retryLater());
  }

  /**
   * Moves what was found, gives the journal a new epoch, and begins to take frames at its start: a place that
   * may be torn is never used again under the epoch in which it was written. On a full disk it returns with
   * nothing taken, everything readable, and tries again later.
   * @throws LogError `failed` on any error but a full disk
   */
  async begin(): Promise<void> {
    try {
      await this.#mover.moveAll(true);
      const file = await this.#emptyJournal();
      const epoch = randomBytes(8).readBigUInt64LE(0);
      await this.#mover.commit(() => this.#log.writeEpoch(epoch));
      // Only a journal that can be told to be this log's may be awaited.
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
    // While the disk is full the journal goes on until its last region is.
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
    // Whoever waits for a move is told why it failed; here nobody waits.
    if (!ring.fits(size)) void this.#mover.moveAll().catch(() => {});
    const position = ring.place(size, this.#mover.moved);
    if (position !== undefined) return position;
    this.#stalls += 1;
    await this.#mover.moveTo(ring.oldest);
    return this.#place(ring, size);
  }

  /** Why nothing can be moved now. */
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
      // A failure stays with the mover, for the next append.
      this.#resuming = this.#resumeIfRoom().catch(() => {});
    };
    this.#retry = setTimeout(resume, this.#options.retryMs ?? 1000).unref();
  }

  /** Goes on where a full disk has stopped it. */
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

  /** Leaves a journal that holds nothing, so that the log is whole without it. */
  async #moveLast(): Promise<void> {
    await this.#mover.moveAll();
    await this.#mover.commit(() => this.#log.writeAwaitsJournal(false));
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#retry);
    await this.#resuming;
    try {
      // What cannot be moved is still in the journal when it is opened again.
      if (this.#serving !== undefined) await this.#moveLast().catch(() => {});
      await this.#serving?.writer.close();
      if (this.#found.file !== undefined) closeJournal(this.#found.file);
    } finally {
      await this.#log.close();
    }
  }
}
