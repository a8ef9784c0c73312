import { type Commit, limits } from "@ledge/model";
import { type Block, blockOf, type BlockStore } from "./block.ts";
import { LogError, NoRoomError } from "./event-log.ts";
import { encodeFrame, frameHash } from "./frame.ts";
import type { Tail } from "./tail.ts";

type Writable = Pick<BlockStore, "write" | "writeFailure">;

interface Pending {
  /** The end of the log when this is its newest commit. */
  readonly tail: Tail;
  readonly events: number;
  readonly frame: Buffer;
  readonly resolve: () => void;
  readonly reject: (error: LogError) => void;
}

/**
 * Makes overlapping appends durable in call order, one block in flight: what arrives meanwhile forms the
 * next block. The first failed write is final for this and every later append, unless the store says that it had
 * no room and wrote nothing.
 */
export class AppendQueue {
  readonly #store: Writable;
  /** Newest accepted commit; `#durable` follows it when that is on disk. */
  #tail: Tail;
  #durable: Tail;
  #queue: Pending[] = [];
  #writing: Promise<void> | undefined;
  #failure: Promise<LogError> | undefined;
  readonly #written = { commits: 0, events: 0, frameBytes: 0 };

  constructor(store: Writable, tail: Tail) {
    this.#store = store;
    this.#tail = tail;
    this.#durable = tail;
  }

  /** Timestamp (ms) of the newest durable commit. */
  get last(): number {
    return this.#durable.timestamp;
  }

  /** What became durable through this queue; `frameBytes` in bytes. */
  get written(): { readonly commits: number; readonly events: number; readonly frameBytes: number } {
    return this.#written;
  }

  /** As `EventLog.append`. */
  async append(commit: Commit): Promise<void> {
    const { timestamp, events } = commit;
    if (!Number.isSafeInteger(timestamp) || timestamp <= this.#tail.timestamp) {
      throw new LogError("order", `timestamp ${timestamp} is not above ${this.#tail.timestamp}`);
    }
    const sequence = this.#tail.sequence + 1;
    const frame = encodeFrame(commit, sequence, this.#tail.hash);
    if (frame.length > limits.commitBytes) {
      throw new LogError("too-large", `a commit of ${frame.length} bytes, at most ${limits.commitBytes}`);
    }
    this.#tail = { timestamp, sequence, hash: frameHash(frame, { start: 0, end: frame.length }) };
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#queue.push({ tail: this.#tail, events: events.length, frame, resolve, reject });
    // The block is formed in a later microtask, so that appends of one turn share it.
    this.#writing ??= Promise.resolve().then(() => this.#writeQueue());
    return promise;
  }

  /** Ends all writing because of a failed write, here or elsewhere on the same disk; the first cause counts. */
  fail(cause: unknown): Promise<LogError> {
    this.#failure ??= this.#store.writeFailure(cause);
    return this.#failure;
  }

  /** @throws LogError the failure, when a write has failed */
  async refuseWhenFailed(): Promise<void> {
    if (this.#failure !== undefined) throw await this.#failure;
  }

  /** Resolves when nothing is in flight. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #writeQueue(): Promise<void> {
    while (this.#queue.length > 0) {
      const pending = this.#queue.splice(0, blockLength(this.#queue));
      try {
        await this.refuseWhenFailed();
        await this.#store.write(joined(pending));
      } catch (cause) {
        const failure = cause instanceof NoRoomError ? cause : await this.fail(cause);
        for (const { reject } of [...pending, ...this.#queue.splice(0)]) reject(failure);
        // Nothing of them was written: the next commit follows the last durable one.
        if (cause instanceof NoRoomError) this.#tail = this.#durable;
        continue;
      }
      for (const { tail, events, frame } of pending) {
        this.#durable = tail;
        this.#written.commits += 1;
        this.#written.events += events;
        this.#written.frameBytes += frame.length;
      }
      for (const { resolve } of pending) resolve();
    }
    this.#writing = undefined;
  }
}

/** How many commits of a queue go into the next block: up to its size, but at least one, however large. */
function blockLength(queue: readonly Pending[]): number {
  let bytes = 0;
  const over = queue.findIndex(({ frame }) => (bytes += frame.length) > limits.blockBytes);
  return over === -1 ? queue.length : Math.max(over, 1);
}

function joined(pending: readonly Pending[]): Block {
  const frames = pending.map(({ frame }) => frame);
  const [first, second] = pending;
  if (first === undefined) throw new Error("a block holds a commit");
  return blockOf(first.tail.timestamp, second === undefined ? first.frame : Buffer.concat(frames));
}
