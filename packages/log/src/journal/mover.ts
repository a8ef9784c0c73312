import { type Block, blockOf } from "../block.ts";
import { LogError, NoRoomError } from "../event-log.ts";
import type { Destination } from "./destination.ts";

/** A block in the log holds blocks of the journal up to this size; one larger stands alone. */
const joinedBytes = 65_536;
/** Bytes that one commit moves while the loop has other work: preparing them holds the loop. */
const commitBytes = 524_288;

interface Waiter {
  readonly until: number;
  readonly resolve: () => void;
  readonly reject: (error: LogError) => void;
}

/**
 * Holds the blocks that stand in the journal only, the tail, and moves them into the log in large blocks. All
 * commits to the log go through here. One that is refused because the disk is full was not begun, and is made
 * when there is room; any other failure is final.
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
  /** Commits by which blocks were moved. */
  moves = 0;

  /**
   * @param tail what is not moved yet, in order
   * @param onFull called when there is no room for a commit; nothing is moved until `resume`
   */
  constructor(log: Destination, tail: readonly Block[], onFull: () => void) {
    this.#log = log;
    this.#tail = [...tail];
    this.#onFull = onFull;
  }

  /** The blocks that are not moved, oldest first; changes with every turn. */
  get tail(): readonly Block[] {
    return this.#tail;
  }

  /** Timestamp of the newest moved block; 0 when none was. */
  get moved(): number {
    return this.#moved;
  }

  /** Why nothing is moved: `NoRoomError` until there is room, any other for ever. */
  get failure(): LogError | undefined {
    return this.#failure;
  }

  /** A block stands in the journal. */
  push(block: Block): void {
    this.#tail.push(block);
  }

  /**
   * Resolves when the blocks up to a timestamp are moved and on disk.
   * @param atOnce in one commit however large; for opening
   * @throws LogError when they cannot be
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

  /** As `moveTo`, of everything. */
  async moveAll(atOnce = false): Promise<void> {
    await this.moveTo(this.#tail.at(-1)?.timestamp ?? 0, atOnce);
  }

  /** Stores a block that has not been in the journal, behind all that was. */
  async writeAround(block: Block): Promise<void> {
    await this.moveAll();
    await this.commit(() => this.#log.writeAll([block]));
    this.#moved = block.timestamp;
  }

  /**
   * One commit to the log, without which nothing is moved.
   * @throws LogError when it fails, or one has before
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
   * One commit that may be left out, such as a compaction: when it is too large for the room that there is, smaller
   * ones may not be.
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

  /** Ends all moving: a write has failed here or elsewhere. */
  stop(failure: LogError): void {
    if (this.#failure === undefined || this.#failure instanceof NoRoomError) this.#failure = failure;
    for (const { reject } of this.#waiters.splice(0)) reject(failure);
  }

  /** There may be room on the disk again. */
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
      // The waiters were told by `stop`.
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

/** The first blocks up to a timestamp that make up a commit; at least one. */
function firstOf(tail: readonly Block[], until: number, bytes: number): readonly Block[] {
  let sum = 0;
  const over = tail.findIndex(
    (block, index) => block.timestamp > until || ((sum += block.bytes.length) > bytes && index > 0),
  );
  return over === -1 ? [...tail] : tail.slice(0, over);
}

/** Neighbours made into larger blocks. */
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
