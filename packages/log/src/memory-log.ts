import type { Upcasters } from "@ledge/model";
import {
  type Block,
  blockOf,
  type BlockStore,
  type Compaction,
  type Recovery,
  type Rewrite,
  type SnapshotParts,
} from "./block.ts";
import { BlockLog } from "./block-log.ts";
import type { Sealing } from "./sealing.ts";
import { LogError, noJournal, NoRoomError, type StoreStats } from "./event-log.ts";
import { joinedRecovery } from "./tail.ts";

interface Disk {
  blocks: Block[];
  readonly parts: Map<string, Buffer>;
  compaction?: Compaction | undefined;
  recovery?: Recovery | undefined;
}

export interface MemoryLogOptions {
  readonly upcasters?: Upcasters;
  readonly sealing?: Sealing;
  /** Awaited before anything counts as on disk; simulates a slow disk. */
  readonly flush?: () => Promise<void>;
}

/** The durable log's twin for tests: the same frames in the same blocks, in memory. */
export class MemoryLog extends BlockLog {
  readonly #store: MemoryStore;
  readonly #options: MemoryLogOptions;

  constructor(store: MemoryStore, options: MemoryLogOptions) {
    super(store, options.upcasters, options.sealing);
    this.#store = store;
    this.#options = options;
  }

  /** Makes the next write fail: `no-room` before anything is written, the other codes for good, as a disk would. */
  failNext(code: "full" | "failed" | "no-room"): void {
    this.#store.failNext = code;
  }

  /** The total size of its blocks. */
  get blockBytes(): number {
    return this.#store.disk.blocks.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  /** Flips a bit of a byte of the log. The byte is counted over all its blocks. */
  damage(byte: number, bit = 0): void {
    const found = this.#blockAt(byte);
    if (found === undefined) throw new RangeError(`the log ends before byte ${byte}`);
    flip(found.block.bytes, found.offset, bit);
  }

  /** Drops everything from a byte on. The byte is counted over all blocks. */
  tear(byte: number): void {
    const { blocks } = this.#store.disk;
    const found = this.#blockAt(byte);
    if (found === undefined) return;
    const { index, block, offset } = found;
    blocks.splice(index);
    if (offset > 0) blocks.push(blockOf(block.timestamp, block.bytes.subarray(0, offset)));
  }

  /** Like `damage`, in a part of a snapshot: `<slot>/<number>` or `<slot>/header`. */
  damageSnapshot(key: string, byte: number): void {
    const part = this.#store.disk.parts.get(key);
    if (part === undefined) throw new RangeError(`there is no snapshot part ${key}`);
    flip(part, byte, 0);
  }

  #blockAt(byte: number): { index: number; block: Block; offset: number } | undefined {
    let offset = byte;
    for (const [index, block] of this.#store.disk.blocks.entries()) {
      if (offset < block.bytes.length) return { index, block, offset };
      offset -= block.bytes.length;
    }
    return undefined;
  }

  /** Returns the log that a restart would open now: a separate log over a copy of what is durable. */
  clone(options: MemoryLogOptions = this.#options): MemoryLog {
    return new MemoryLog(new MemoryStore(copyOf(this.#store.disk), options.flush), options);
  }
}

function flip(bytes: Buffer, offset: number, bit: number): void {
  bytes.writeUInt8(bytes.readUInt8(offset) ^ (1 << bit), offset);
}

/** Creates a log that lives as long as the process. */
export function memoryLog(options: MemoryLogOptions = {}): MemoryLog {
  return new MemoryLog(new MemoryStore({ blocks: [], parts: new Map() }, options.flush), options);
}

class MemoryStore implements BlockStore {
  readonly readOnly = false;
  readonly disk: Disk;
  /** The largest size so far: like a file, the store never shrinks. */
  #mostBytes = 0;
  failNext: "full" | "failed" | "no-room" | undefined;
  readonly #flush: () => Promise<void>;

  constructor(disk: Disk, flush: () => Promise<void> = async () => {}) {
    this.disk = disk;
    this.#flush = flush;
  }

  *blocks(timestamp: number): Generator<Block> {
    const { blocks } = this.disk;
    for (let i = Math.max(firstAbove(blocks, timestamp) - 1, 0); i < blocks.length; i++)
      yield blocks[i] as Block;
  }

  lastBlock(before: number = Number.MAX_SAFE_INTEGER): Block | undefined {
    return this.disk.blocks.findLast(({ timestamp }) => timestamp < before);
  }

  async write(block: Block): Promise<void> {
    await this.#flushed();
    this.disk.blocks.push(block);
  }

  lastMoved(): Block | undefined {
    return this.lastBlock();
  }

  compaction(): Compaction | undefined {
    return this.disk.compaction;
  }

  async compact({ removed, blocks, compaction }: Rewrite, parts: SnapshotParts): Promise<void> {
    await this.#flushed();
    this.stats();
    const gone = new Set(removed);
    const left = this.disk.blocks.filter(({ timestamp }) => !gone.has(timestamp));
    // Replace the list, because a reader may still be walking the old one.
    this.disk.blocks = [...left, ...blocks].toSorted((one, other) => one.timestamp - other.timestamp);
    this.disk.compaction = compaction;
    this.#put(parts);
  }

  get recovery(): Recovery | undefined {
    return this.disk.recovery;
  }

  cut(block: Block, keep: number, recovery: Recovery): void {
    this.disk.recovery = joinedRecovery(this.disk.recovery, recovery);
    this.disk.blocks.pop();
    if (keep > 0) this.disk.blocks.push(blockOf(block.timestamp, block.bytes.subarray(0, keep)));
  }

  async settleRecovery(): Promise<void> {
    await this.#flushed();
    this.disk.recovery = undefined;
  }

  readSnapshotPart(key: string): Buffer | undefined {
    return this.disk.parts.get(key);
  }

  snapshotKeys(prefix: string): readonly string[] {
    return [...this.disk.parts.keys()].filter((key) => key.startsWith(prefix)).toSorted();
  }

  async writeSnapshotParts(parts: SnapshotParts): Promise<void> {
    await this.#flushed();
    this.#put(parts);
  }

  #put(parts: SnapshotParts): void {
    for (const [key, bytes] of parts) {
      if (bytes === undefined) this.disk.parts.delete(key);
      else this.disk.parts.set(key, bytes);
    }
  }

  async writeFailure(cause: unknown): Promise<LogError> {
    return cause instanceof LogError ? cause : new LogError("failed", "the log cannot be written", { cause });
  }

  stats(): StoreStats {
    const parts = [...this.disk.blocks.map(({ bytes }) => bytes), ...this.disk.parts.values()];
    const bytes = parts.reduce((sum, { length }) => sum + length, 0);
    this.#mostBytes = Math.max(this.#mostBytes, bytes);
    return { ...noJournal, fileBytes: bytes, usedBytes: bytes, spareBytes: this.#mostBytes - bytes };
  }

  async close(): Promise<void> {}

  async #flushed(): Promise<void> {
    await this.#flush();
    const code = this.failNext;
    this.failNext = undefined;
    if (code === "no-room") throw new NoRoomError("there was made to be no room");
    if (code !== undefined) throw new LogError(code, "a write was made to fail");
  }
}

function copyOf({ blocks, parts, compaction, recovery }: Disk): Disk {
  return {
    compaction,
    recovery,
    blocks: blocks.map(({ timestamp, bytes }) => blockOf(timestamp, Buffer.from(bytes))),
    parts: new Map([...parts].map(([key, bytes]) => [key, Buffer.from(bytes)])),
  };
}

/** Returns the index of the first block that begins after `timestamp`. */
function firstAbove(blocks: readonly Block[], timestamp: number): number {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((blocks[middle] as Block).timestamp > timestamp) high = middle;
    else low = middle + 1;
  }
  return low;
}
