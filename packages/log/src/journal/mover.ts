import { type Block, blockOf } from "../block.ts";
import { LogError, NoRoomError } from "../event-log.ts";
import type { Destination } from "./destination.ts";

/** Blocks of the journal are joined into blocks of up to this size in the log. A larger one stays alone. */
const joinedBytes = 65_536;
/** How many bytes one commit moves during normal operation. Preparing them blocks the event loop. */
const commitBytes = 524_288;

interface Waiter {
  readonly until: number;
  readonly resolve: () => void;
  readonly reject: (error: LogError) => void;
}

/**
 * Holds the tail, which is the blocks that are only in the journal, and moves them into the log in large blocks.
 * All commits to the log go through here. A commit refused because the disk is full was not begun, and is tried
 * again when there is room. Any other failure is final.
 */
export class Mover {
  readonly #log: Destination;
  readonly #onFull: () => void;
  readonly #tail: Block[];
  #moved = 0;
  #target = 0;
  #isMoving = false;
  #waiters: Waiter[] = [];
  #failure: LogError | undefined;
  /** Commits that moved blocks. */
  moves = 0;

  /**
   * @param tail the blocks that are not moved yet, in order
   * @param onFull called when there is no room for a commit; the mover then waits for `resume`
   */
  constructor(log: Destination, tail: readonly Block[], onFull: () => void) {
    this.#log = log;
    this.#tail = [...tail];
    this.#onFull = onFull;
  }

  /** The blocks that are not moved, oldest first. Changes with every turn of the event loop. */
  get tail(): readonly Block[] {
    return this.#tail;
  }

  /** Timestamp of the newest moved block; 0 before the first move. */
  get moved(): number {
    return this.#moved;
  }

  /** Why moving has stopped: `NoRoomError` until there is room, any other error for good. */
  get failure(): LogError | undefined {
    return this.#failure;
  }

  /** Adds a block that the journal has written. */
  push(block: Block): void {
    this.#tail.push(block);
  }

  /**
   * Resolves when the blocks up to a timestamp are moved and on disk.
   * @param atOnce moves them in one commit of any size; used while opening
   * @throws LogError when they cannot be moved
   */
  async moveTo(until: number, atOnce = false): Promise<void> {
    if (!this.#holds(until)) return;
    if (this.#failure !== undefined) throw this.#failure;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiters.push({ until, resolve, reject });
    this.#target = Math.max(this.#target, until);
    if (!this.#isMoving) void this.#move(atOnce ? Number.MAX_SAFE_INTEGER : commitBytes);
    await promise;
  }

  /** Like `moveTo`, for all blocks. */
  async moveAll(atOnce = false): Promise<void> {
    await this.moveTo(this.#tail.at(-1)?.timestamp ?? 0, atOnce);
  }

  /** Stores a block directly in the log, after all blocks of the journal. */
  async writeAround(block: Block): Promise<void> {
    await this.moveAll();
    await this.commit(() => this.#log.writeAll([block]));
    this.#moved = block.timestamp;
  }

  /**
   * Runs one commit to the log. When it fails, moving stops.
   * @throws LogError when this commit or an earlier one failed
   */
  async commit(action: () => Promise<void>): Promise<void> {
    try {
      await this.commitBeside(action);
    } catch (failure) {
      if (failure instanceof NoRoomError) {
        this.stop(failure);
        this.#onFull();
      }
      throw failure;
    }
  }

  /**
   * Runs one commit that may be left out, such as a compaction. When it is too large for the free room, smaller
   * commits go on.
   * @throws as `commit`
   */
  async commitBeside(action: () => Promise<void>): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      await action();
    } catch (cause) {
      const failure = await this.#log.writeFailure(cause);
      if (!(failure instanceof NoRoomError)) this.stop(failure);
      throw failure;
    }
  }

  /** Stops all moving after a failed write, here or elsewhere. */
  stop(failure: LogError): void {
    if (this.#failure === undefined || this.#failure instanceof NoRoomError) this.#failure = failure;
    for (const { reject } of this.#waiters.splice(0)) reject(failure);
  }

  /** Allows moving again, because the disk may have room. */
  resume(): void {
    if (this.#failure instanceof NoRoomError) this.#failure = undefined;
  }

  #holds(until: number): boolean {
    const [oldest] = this.#tail;
    return oldest !== undefined && oldest.timestamp <= until;
  }

  async #move(bytesPerCommit: number): Promise<void> {
    this.#isMoving = true;
    try {
      while (this.#holds(this.#target)) await this.#moveOnce(bytesPerCommit);
    } catch {
      // `stop` has already rejected the waiters.
    } finally {
      this.#isMoving = false;
    }
  }

  async #moveOnce(bytesPerCommit: number): Promise<void> {
    const blocks = firstOf(this.#tail, this.#target, bytesPerCommit);
    await this.commit(() => this.#log.writeAll(joined(blocks)));
    this.#tail.splice(0, blocks.length);
    this.#moved = blocks.at(-1)?.timestamp ?? this.#moved;
    this.moves += 1;
    const { reached = [], waiting = [] } = Object.groupBy(this.#waiters, ({ until }) =>
      this.#holds(until) ? "waiting" : "reached",
    );
    this.#waiters = waiting;
    for (const { resolve } of reached) resolve();
  }
}

/** Returns the first blocks up to a timestamp that fit into one commit, and at least one. */
function firstOf(tail: readonly Block[], until: number, bytes: number): readonly Block[] {
  let sum = 0;
  const over = tail.findIndex(
    (block, index) => block.timestamp > until || ((sum += block.bytes.length) > bytes && index > 0),
  );
  return over === -1 ? [...tail] : tail.slice(0, over);
}

/** Joins neighbouring blocks into larger ones. */
function joined(blocks: readonly Block[]): Block[] {
  const groups: Block[][] = [];
  let bytes = 0;
  for (const block of blocks) {
    const group = groups.at(-1);
    bytes += block.bytes.length;
    if (group !== undefined && bytes <= joinedBytes) {
      group.push(block);
    } else {
      groups.push([block]);
      bytes = block.bytes.length;
    }
  }
  return groups.map((group) => {
    const [first] = group as [Block, ...Block[]];
    return group.length === 1
      ? first
      : blockOf(first.timestamp, Buffer.concat(group.map((one) => one.bytes)));
  });
}
