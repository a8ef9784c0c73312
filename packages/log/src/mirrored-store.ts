import {
  type Block,
  blockOf,
  type BlockStore,
  type Compaction,
  type Recovery,
  type Rewrite,
  type SnapshotParts,
} from "./block.ts";
import { LogError, noJournal, type StoreStats } from "./event-log.ts";
import { joinedRecovery } from "./tail.ts";

/** Everything that a log has stored. */
export interface Disk {
  /** In order. Replaced by a compaction, and never changed before its end. */
  blocks: Block[];
  readonly parts: Map<string, Buffer>;
  compaction?: Compaction | undefined;
  recovery?: Recovery | undefined;
}

/** What one write changes; what is absent stays as it is. */
export interface Change {
  /** Comes after all others. */
  readonly block?: Block;
  readonly rewrite?: Rewrite;
  readonly parts?: SnapshotParts;
  /** Forgets what cuts have lost. */
  readonly settles?: true;
}

/** A store that reads from memory, and keeps each change elsewhere before it shows. */
export abstract class MirroredStore implements BlockStore {
  #disk: Disk;
  /** The size of all blocks and parts. Each check of health asks for it, so it is kept instead of summed up. */
  #bytes: number;
  /** The largest size so far: like a file, the store never shrinks. */
  #mostBytes = 0;

  constructor(disk: Disk) {
    this.#disk = disk;
    this.#bytes = bytesIn(disk);
  }

  get readOnly(): boolean {
    return false;
  }

  /** Shows blocks that another process has stored after all others. */
  protected extend(blocks: readonly Block[]): void {
    for (const block of blocks) this.#push(block);
  }

  /** Shows what is stored now instead of what was read before. */
  protected reread(disk: Disk): void {
    this.#disk = disk;
    this.#bytes = bytesIn(disk);
  }

  /**
   * Resolves when the whole change is kept for good. One block at a time; other changes may overlap it.
   * @throws as `write`
   */
  protected abstract keep(change: Change): Promise<void>;

  async writeFailure(cause: unknown): Promise<LogError> {
    if (cause instanceof LogError) return cause;
    return new LogError("failed", `the log cannot be written: ${(cause as Error).message}`, { cause });
  }

  abstract close(): Promise<void>;

  *blocks(timestamp: number): Generator<Block> {
    const { blocks } = this.#disk;
    for (let i = Math.max(firstAbove(blocks, timestamp) - 1, 0); i < blocks.length; i++)
      yield blocks[i] as Block;
  }

  lastBlock(before: number = Number.MAX_SAFE_INTEGER): Block | undefined {
    return this.#disk.blocks.findLast(({ timestamp }) => timestamp < before);
  }

  lastMoved(): Block | undefined {
    return this.lastBlock();
  }

  async write(block: Block): Promise<void> {
    await this.keep({ block });
    this.#push(block);
  }

  #push(block: Block): void {
    this.#disk.blocks.push(block);
    this.#bytes += block.bytes.length;
  }

  compaction(): Compaction | undefined {
    return this.#disk.compaction;
  }

  async compact(rewrite: Rewrite, parts: SnapshotParts): Promise<void> {
    await this.keep({ rewrite, parts });
    this.stats();
    const gone = new Set(rewrite.removed);
    const left = this.#disk.blocks.filter(({ timestamp }) => !gone.has(timestamp));
    // Replace the list, because a reader may still be walking the old one.
    this.#disk.blocks = [...left, ...rewrite.blocks].toSorted(
      (one, other) => one.timestamp - other.timestamp,
    );
    this.#disk.compaction = rewrite.compaction;
    this.#bytes = bytesIn(this.#disk);
    this.#put(parts);
  }

  get recovery(): Recovery | undefined {
    return this.#disk.recovery;
  }

  cut(block: Block, keep: number, recovery: Recovery): void {
    this.#disk.recovery = joinedRecovery(this.#disk.recovery, recovery);
    this.#bytes -= this.#disk.blocks.pop()?.bytes.length ?? 0;
    if (keep > 0) this.#push(blockOf(block.timestamp, block.bytes.subarray(0, keep)));
  }

  async settleRecovery(): Promise<void> {
    await this.keep({ settles: true });
    this.#disk.recovery = undefined;
  }

  readSnapshotPart(key: string): Buffer | undefined {
    return this.#disk.parts.get(key);
  }

  snapshotKeys(prefix: string): readonly string[] {
    return [...this.#disk.parts.keys()].filter((key) => key.startsWith(prefix)).toSorted();
  }

  async writeSnapshotParts(parts: SnapshotParts): Promise<void> {
    await this.keep({ parts });
    this.#put(parts);
  }

  #put(parts: SnapshotParts): void {
    for (const [key, bytes] of parts) {
      this.#bytes += (bytes?.length ?? 0) - (this.#disk.parts.get(key)?.length ?? 0);
      if (bytes === undefined) this.#disk.parts.delete(key);
      else this.#disk.parts.set(key, bytes);
    }
  }

  stats(): StoreStats {
    const bytes = this.#bytes;
    this.#mostBytes = Math.max(this.#mostBytes, bytes);
    return { ...noJournal, fileBytes: bytes, usedBytes: bytes, spareBytes: this.#mostBytes - bytes };
  }
}

function bytesIn({ blocks, parts }: Disk): number {
  let sum = 0;
  for (const { bytes } of blocks) sum += bytes.length;
  for (const { length } of parts.values()) sum += length;
  return sum;
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
