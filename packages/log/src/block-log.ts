import type { Commit, Upcasters } from "@ledge/model";
import { AppendQueue } from "./append-queue.ts";
import { type BlockStore, nextFrame, origin, type Position } from "./block.ts";
import {
  type EventLog,
  LogError,
  type LogStats,
  NoRoomError,
  type Snapshot,
  type Verification,
} from "./event-log.ts";
import { frameEvents } from "./frame.ts";
import { readSnapshot, writeSnapshot } from "./snapshot.ts";
import { findEnd, type Recovery } from "./tail.ts";
import { type UpcastEvents, upcastWith } from "./upcast.ts";
import { verifyBlocks } from "./verify.ts";

/** An event log over a store of blocks; the one implementation behind every kind of log. */
export class BlockLog implements EventLog {
  /** What opening cut off the end, or would have if the log were not open for reading only. */
  readonly recovered: Recovery | undefined;
  readonly #store: BlockStore;
  readonly #appends: AppendQueue;
  readonly #upcast: UpcastEvents;
  #saving: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  /**
   * @param store not in use by another log; closed with this one
   * @throws LogError `damaged` when the end of the log cannot be found
   */
  constructor(store: BlockStore, upcasters: Upcasters = {}) {
    this.#store = store;
    this.#upcast = upcastWith(upcasters);
    const { tail, recovery, cut } = findEnd(store);
    if (cut !== undefined && !store.readOnly) store.cut(cut.block, cut.keep);
    this.recovered = store.recovery ?? recovery;
    this.#appends = new AppendQueue(store, tail);
  }

  get last(): number {
    // Another process writes what is read here.
    if (this.#store.readOnly && this.#closing === undefined) return findEnd(this.#store).tail.timestamp;
    return this.#appends.last;
  }

  async append(commit: Commit): Promise<void> {
    this.#refuseWritingWhenClosed();
    await this.#appends.append(commit);
  }

  read(after = 0, until: number = Number.MAX_SAFE_INTEGER): IterableIterator<Commit> {
    this.#refuseWhenClosed();
    return this.#commits(after, Math.min(until, this.last));
  }

  *#commits(after: number, until: number): Generator<Commit> {
    if (after >= until) return;
    this.#refuseWhenClosed();
    let previous: Position | undefined;
    for (const block of this.#store.blocks(after)) {
      // No block begins at or before `after`, so this is the log's first.
      if (previous === undefined && block.timestamp > after) previous = origin;
      for (let offset = 0; offset < block.bytes.length;) {
        // What lies behind is not asked for, whole or not.
        if (previous !== undefined && previous.timestamp >= until) return;
        const frame = nextFrame(block, offset, previous);
        if (typeof frame === "string") throw damaged(previous ?? block, frame);
        const { timestamp } = frame;
        if (timestamp > until) return;
        if (timestamp > after) {
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
    if (previous === undefined || previous.timestamp < until) {
      throw damaged(previous ?? origin, `it ends before ${until}`);
    }
  }

  verify(): Verification {
    this.#refuseWhenClosed();
    // First, because another process may be writing: what is walked then reaches at least that far.
    const { last } = this;
    return verifyBlocks(this.#store.blocks(0), last);
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    this.#refuseWritingWhenClosed();
    if (snapshot.timestamp > this.last) {
      throw new LogError("order", `a snapshot as of ${snapshot.timestamp} is ahead of ${this.last}`);
    }
    const saved = this.#saving.then(() => this.#save(snapshot));
    this.#saving = saved.catch(() => {});
    await saved;
  }

  async #save(snapshot: Snapshot): Promise<void> {
    const store = {
      readSnapshotPart: (key: string) => this.#store.readSnapshotPart(key),
      writeSnapshotParts: async (parts: ReadonlyMap<string, Buffer>) => {
        await this.#appends.refuseWhenFailed();
        await this.#finalUnlessFull(this.#store.writeSnapshotParts(parts));
      },
    };
    // A snapshot that outlives what it was taken from would be ahead of the log.
    await this.#move();
    await writeSnapshot(store, snapshot);
  }

  async #finalUnlessFull(write: Promise<void>): Promise<void> {
    try {
      await write;
    } catch (cause) {
      throw cause instanceof NoRoomError ? cause : await this.#appends.fail(cause);
    }
  }

  /**
   * Resolves when all that is durable now stands in `data.mdb`, and none of it in the journal only: before a
   * copy is made of that file, and before another program reads it.
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
    return readSnapshot(this.#store, format, this.last, (timestamp) => this.#holds(timestamp));
  }

  #holds(timestamp: number): boolean {
    if (timestamp === 0) return true;
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
    await this.#appends.settled();
    await this.#saving;
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
