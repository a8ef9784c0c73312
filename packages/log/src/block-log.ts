import type { Commit, Upcasters } from "@ledge/model";
import { AppendQueue } from "./append-queue.ts";
import { encodeBase, readBase, removedBases, storedBases, writeBase } from "./base.ts";
import {
  type BlockStore,
  CompactedError,
  nextFrame,
  origin,
  type Position,
  type Recovery,
  type Rewrite,
} from "./block.ts";
import { across, reached, rewrite, sliceBytes } from "./compaction.ts";
import {
  type Base,
  type Compacted,
  type CompactOptions,
  type EventLog,
  LogError,
  type LogStats,
  NoRoomError,
  type Snapshot,
  type Verification,
  type Wants,
} from "./event-log.ts";
import { Followers } from "./followers.ts";
import { frameEvents, payloadStart } from "./frame.ts";
import { noSealing, openedSnapshot, type Sealing, sealedSnapshot } from "./sealing.ts";
import { readSnapshot, type StoredSnapshot, storedSnapshots, writeSnapshot } from "./snapshot.ts";
import { endOf, findEnd } from "./tail.ts";
import { type UpcastEvents, upcastWith } from "./upcast.ts";
import { verifyBlocks } from "./verify.ts";

/** The event log over any store of blocks. Every kind of log uses this one implementation. */
export class BlockLog implements EventLog {
  /**
   * What opening the log cut off its end, or would have cut off if the log were not read-only. Includes cuts of
   * earlier openings until `settleRecovery`.
   */
  readonly recovered: Recovery | undefined;
  readonly #store: BlockStore;
  #appends: AppendQueue;
  readonly #upcast: UpcastEvents;
  readonly #sealing: Sealing;
  readonly #followers = new Followers();
  #working: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  /**
   * @param store not in use by another log; closed with this one
   * @throws LogError `damaged` when the end of the log cannot be found
   */
  constructor(store: BlockStore, upcasters: Upcasters = {}, sealing: Sealing = noSealing) {
    this.#store = store;
    this.#sealing = sealing;
    this.#upcast = upcastWith(upcasters);
    const { tail, recovery, cut } = findEnd(store);
    if (cut !== undefined && recovery !== undefined && !store.readOnly)
      store.cut(cut.block, cut.keep, recovery);
    this.recovered = store.recovery ?? recovery;
    this.#appends = new AppendQueue(store, tail);
  }

  /**
   * Goes on where another process has stopped writing. The store takes writes again, and shows all that is stored.
   * @throws LogError `damaged` when the end of the log cannot be found
   */
  protected takeOver(): void {
    this.#appends = new AppendQueue(this.#store, findEnd(this.#store).tail);
  }

  get last(): number {
    // In a read-only log another process writes, so read the end anew.
    if (this.#store.readOnly && this.#closing === undefined) return findEnd(this.#store).tail.timestamp;
    return this.#appends.last;
  }

  async append(commit: Commit): Promise<void> {
    this.#refuseWritingWhenClosed();
    const events = this.#sealing.seal(commit.events);
    await this.#appends.append(events === commit.events ? commit : { ...commit, events });
    this.#followers.tell(commit);
  }

  follow(after: number, signal: AbortSignal): AsyncIterableIterator<Commit> {
    this.#refuseWhenClosed();
    return this.#followers.follow(this, after, signal);
  }

  read(after?: number, until?: number, wants?: Wants): IterableIterator<Commit> {
    const sealed = this.readSealed(after, until, wants);
    return this.#sealing === noSealing ? sealed : this.#opened(sealed);
  }

  *#opened(sealed: Iterable<Commit>): Generator<Commit> {
    for (const commit of sealed) {
      const events = this.#sealing.open(commit.events);
      yield events === commit.events ? commit : { ...commit, events };
    }
  }

  readSealed(after = 0, until: number = Number.MAX_SAFE_INTEGER, wants?: Wants): IterableIterator<Commit> {
    this.#refuseWhenClosed();
    return this.#commits(after, Math.min(until, this.last), wants);
  }

  *#commits(after: number, until: number, wants: Wants | undefined): Generator<Commit> {
    let from = after;
    while (from < until) {
      try {
        for (const commit of this.#commitsOnce(from, until, wants)) {
          from = commit.timestamp;
          yield commit;
        }
        return;
      } catch (error) {
        if (!(error instanceof CompactedError)) throw error;
      }
    }
  }

  /**
   * Yields the commits of one pass over the blocks.
   * @throws CompactedError when the log was compacted meanwhile
   */
  *#commitsOnce(after: number, until: number, wants: Wants | undefined): Generator<Commit> {
    this.#refuseWhenClosed();
    const compaction = this.#store.compaction();
    let previous: Position | undefined;
    for (const block of this.#store.blocks(after)) {
      // No block begins at or before `after`, so this block is the log's first.
      if (previous === undefined && block.timestamp > after) previous = origin;
      const place = across(compaction, block, previous);
      if (typeof place === "string") throw damaged(block, place);
      // The caller does not ask for what follows, so damage there does not matter.
      if (place !== undefined && place.timestamp >= until) return;
      previous = place;
      for (let offset = 0; offset < block.bytes.length;) {
        if (previous !== undefined && previous.timestamp >= until) return;
        const frame = nextFrame(block, offset, previous);
        if (typeof frame === "string") throw damaged(previous ?? block, frame);
        const { timestamp } = frame;
        if (timestamp > until) return;
        if (
          timestamp > after &&
          wants?.(block.bytes, payloadStart(frame), frame.end, frame.count, block.view) !== false
        ) {
          const payload = frameEvents(block.bytes, frame);
          if (payload === undefined)
            throw damaged(previous ?? block, "the payload is not what the header says");
          yield { timestamp, ...payload, events: this.#upcast(payload.events) };
        }
        previous = frame;
        offset = frame.end;
      }
      this.#refuseWhenClosed();
    }
    if (reached(compaction, previous ?? origin) < until) {
      throw damaged(previous ?? origin, `the log ends before ${until}`);
    }
  }

  get horizon(): number {
    this.#refuseWhenClosed();
    return this.#horizon();
  }

  verify(onWalked?: (timestamp: number) => void): Verification {
    this.#refuseWhenClosed();
    // Read `last` first: another process may be writing, and the walk then reaches at least that far.
    const { last } = this;
    return verifyBlocks(this.#store.blocks(0), last, this.#store.compaction(), onWalked);
  }

  saveSnapshot(snapshot: Snapshot): Promise<void> {
    return this.#save(snapshot, writeSnapshot);
  }

  saveBase(base: Snapshot): Promise<void> {
    return this.#save(base, writeBase);
  }

  async #save(snapshot: Snapshot, write: typeof writeSnapshot | typeof writeBase): Promise<void> {
    this.#refuseWritingWhenClosed();
    const { timestamp } = snapshot;
    if (timestamp > this.last) {
      throw new LogError(
        "order",
        `a snapshot of ${timestamp} is ahead of the log, which ends at ${this.last}`,
      );
    }
    await this.#inTurn(async () => {
      if (timestamp < this.#horizon()) {
        throw new LogError("order", `a snapshot of ${timestamp} is below the horizon`);
      }
      // Move the journal first: a snapshot that outlives the commits it was taken from would be ahead of the log.
      await this.#move();
      await write(this.#parts(), sealedSnapshot(snapshot, this.#sealing));
    });
  }

  /**
   * Declares that everything in this log so far is what compaction has left up to a timestamp. Used when a log is
   * made from another one.
   * @throws LogError `order` when the log has commits after that timestamp, or already has a horizon; otherwise
   *   as `append`
   */
  async markHorizon(timestamp: number): Promise<void> {
    this.#refuseWritingWhenClosed();
    await this.#inTurn(async () => {
      await this.#appends.settled();
      await this.#move();
      const { tail: end } = findEnd(this.#store);
      if (end.timestamp > timestamp || this.#store.compaction() !== undefined)
        throw new LogError("order", `the horizon of this log cannot be ${timestamp}`);
      const compaction = { seam: { ...end, timestamp }, end, removedCommits: 0, removedEvents: 0 };
      await this.#finalUnlessFull(this.#store.compact({ removed: [], blocks: [], compaction }, new Map()));
    });
  }

  /**
   * Notes that the user knows what was lost, so that the next opening does not report it again.
   * @throws LogError as `append`
   */
  async settleRecovery(): Promise<void> {
    this.#refuseWritingWhenClosed();
    await this.#inTurn(async () => {
      await this.#appends.refuseWhenFailed();
      await this.#finalUnlessFull(this.#store.settleRecovery());
    });
  }

  /** Runs snapshots, bases and compactions one after the other. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#working.then(work);
    this.#working = done.catch(() => undefined);
    return done;
  }

  #parts(): Pick<BlockStore, "readSnapshotPart" | "snapshotKeys" | "writeSnapshotParts"> {
    return {
      readSnapshotPart: (key) => this.#store.readSnapshotPart(key),
      snapshotKeys: (prefix) => this.#store.snapshotKeys(prefix),
      writeSnapshotParts: async (parts) => {
        await this.#appends.refuseWhenFailed();
        await this.#finalUnlessFull(this.#store.writeSnapshotParts(parts));
      },
    };
  }

  async boundary(until: number, bytes: number, pause: () => Promise<void>): Promise<number> {
    this.#refuseWritingWhenClosed();
    await this.#move();
    const newest = this.#store.lastMoved()?.timestamp ?? 0;
    const begin = this.#horizon();
    let found = begin;
    let sum = 0;
    let slice = 0;
    for (const block of this.#store.blocks(begin)) {
      if (block.timestamp <= begin) continue;
      const end = block.timestamp < newest ? endOf(block) : undefined;
      sum += block.bytes.length;
      if (end === undefined || end > until || (sum > bytes && found > begin)) break;
      found = end;
      slice += block.bytes.length;
      if (slice < sliceBytes) continue;
      slice = 0;
      await pause();
      this.#refuseWhenClosed();
    }
    return found;
  }

  async compact(options: CompactOptions): Promise<Compacted> {
    const { horizon, keep, isCurrent = () => true, base, pause } = options;
    this.#refuseWritingWhenClosed();
    return this.#inTurn(async () => {
      if (horizon < this.#horizon() || horizon >= (this.#store.lastMoved()?.timestamp ?? 0)) {
        throw new LogError("order", `the log cannot be compacted up to ${horizon}`);
      }
      if (base.timestamp !== horizon)
        throw new LogError("order", `the base is not of the horizon ${horizon}`);
      await this.#appends.refuseWhenFailed();
      const before = this.#store.compaction();
      const parts = this.#parts();
      const old = removedBases(
        parts,
        ({ timestamp, format }) => timestamp < horizon || format !== base.format,
      );
      const together = new Map<string, Buffer | undefined>([
        ...old,
        ...(await encodeBase(sealedSnapshot(base, this.#sealing))),
      ]);
      let change: Rewrite;
      do {
        change = await rewrite(this.#store, horizon, keep, pause);
        await this.#move();
      } while (!isCurrent());
      await this.#finalUnlessFull(this.#store.compact(change, together));
      const { removedCommits, removedEvents } = change.compaction;
      return {
        removedCommits: removedCommits - (before?.removedCommits ?? 0),
        removedEvents: removedEvents - (before?.removedEvents ?? 0),
      };
    });
  }

  async #finalUnlessFull(write: Promise<void>): Promise<void> {
    try {
      await write;
    } catch (cause) {
      throw cause instanceof NoRoomError ? cause : await this.#appends.fail(cause);
    }
  }

  /**
   * Resolves when everything durable is in `data.mdb` and nothing is only in the journal. Call this before
   * copying that file, or before another program reads it.
   * @throws LogError as `append`
   */
  async move(): Promise<void> {
    this.#refuseWritingWhenClosed();
    await this.#move();
  }

  async #move(): Promise<void> {
    await this.#appends.refuseWhenFailed();
    await this.#finalUnlessFull(this.#store.move?.() ?? Promise.resolve());
  }

  loadSnapshot(format: string): Snapshot | undefined {
    this.#refuseWhenClosed();
    const found = readSnapshot(this.#store, format, this.last, (timestamp) => this.#holds(timestamp));
    return openedSnapshot(found, this.#sealing);
  }

  /** Returns the stored snapshots of every format, with their checksums verified. */
  snapshots(): readonly StoredSnapshot[] {
    this.#refuseWhenClosed();
    return storedSnapshots(this.#store);
  }

  bases(): readonly Base[] {
    this.#refuseWhenClosed();
    return storedBases(this.#store);
  }

  loadBase(format: string, until: number = Number.MAX_SAFE_INTEGER): Snapshot | undefined {
    this.#refuseWhenClosed();
    const end = Math.min(until, this.last);
    const isWanted = (base: Base): boolean =>
      base.format === format && base.timestamp <= end && this.#holds(base.timestamp);
    return openedSnapshot(readBase(this.#store, isWanted), this.#sealing);
  }

  #horizon(): number {
    return this.#store.compaction()?.seam.timestamp ?? 0;
  }

  /** Whether a snapshot of `timestamp` belongs to this log, so that every later commit is there. */
  #holds(timestamp: number): boolean {
    const horizon = this.#horizon();
    if (timestamp <= horizon) return timestamp === horizon;
    try {
      return !this.read(timestamp - 1, timestamp).next().done;
    } catch (error) {
      if (error instanceof LogError) return false;
      throw error;
    }
  }

  stats(): LogStats {
    return { ...this.#appends.written, ...this.#store.stats() };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#followers.close();
    await this.#appends.settled();
    await this.#working;
    await this.#store.close();
  }

  #refuseWhenClosed(): void {
    if (this.#closing !== undefined) throw new LogError("closed", "the log is closed");
  }

  #refuseWritingWhenClosed(): void {
    this.#refuseWhenClosed();
    if (this.#store.readOnly) throw new LogError("closed", "the log is open for reading only");
  }
}

function damaged({ timestamp }: { readonly timestamp: number }, problem: string): LogError {
  return new LogError("damaged", `the log is damaged at or after ${timestamp}: ${problem}`);
}
