import { type Commit, limits } from "@ledge/model";
import { type Block, blockOf, type BlockStore, type Tail } from "./block.ts";
import { LogError, NoRoomError } from "./event-log.ts";
import { encodeFrame, frameHash } from "./frame.ts";

type Writable = Pick<BlockStore, "write" | "writeFailure">;

interface Pending {
  /** The end of the log once this commit is its newest. */
  readonly tail: Tail;
  readonly events: number;
  readonly frame: Buffer;
  readonly resolve: () => void;
  readonly reject: (error: LogError) => void;
}

/**
 * Makes overlapping appends durable in call order, with one block in flight. Commits that arrive meanwhile form
 * the next block. After a failed write, this append and every later one fail, unless the store reports that it
 * had no room and wrote nothing.
 */
export class AppendQueue {
  readonly #store: Writable;
  /** Newest accepted commit. `#durable` catches up once it is on disk. */
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

  /** What this queue has made durable; `frameBytes` in bytes. */
  get written(): { readonly commits: number; readonly events: number; readonly frameBytes: number } {
    return this.#written;
  }

  /** Appends one commit; see `EventLog.append`. */
  async append(commit: Commit): Promise<void> {
    const { timestamp, events } = commit;
    if (!Number.isSafeInteger(timestamp) || timestamp <= this.#tail.timestamp) {
      throw new LogError("order", `timestamp ${timestamp} is not above ${this.#tail.timestamp}`);
    }
    const sequence = this.#tail.sequence + 1;
    const frame = encodeFrame(commit, sequence, this.#tail.hash);
    if (frame.length > limits.commitBytes) {
      throw new LogError(
        "too-large",
        `a commit of ${frame.length} bytes exceeds the limit of ${limits.commitBytes} bytes`,
      );
    }
    this.#tail = { timestamp, sequence, hash: frameHash(frame, { start: 0, end: frame.length }) };
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#queue.push({ tail: this.#tail, events: events.length, frame, resolve, reject });
    // Form the block in a later microtask, so that appends of one turn of the event loop share it.
    this.#writing ??= Promise.resolve().then(() => this.#writeQueue());
    return promise;
  }

  /** Stops all writing after a failed write, here or elsewhere on the same disk. Returns the first failure. */
  fail(cause: unknown): Promise<LogError> {
    this.#failure ??= this.#store.writeFailure(cause);
    return this.#failure;
  }

  /**
   * Does nothing unless a write has failed.
   * @throws LogError that failure
   */
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
        // The store wrote nothing, so the next commit follows the last durable one.
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

/** How many commits of the queue go into the next block: as many as fit, and at least one. */
function blockLength(queue: readonly Pending[]): number {
  let bytes = 0;
  const over = queue.findIndex(({ frame }) => (bytes += frame.length) > limits.blockBytes);
  return over === -1 ? queue.length : Math.max(over, 1);
}

function joined(pending: readonly Pending[]): Block {
  const frames = pending.map(({ frame }) => frame);
  const [first, second] = pending;
  if (first === undefined) throw new Error("a block needs at least one commit");
  return blockOf(first.tail.timestamp, second === undefined ? first.frame : Buffer.concat(frames));
}
