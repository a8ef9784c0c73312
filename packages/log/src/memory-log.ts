import type { Upcasters } from "@ledge/model";
import { type Block, blockOf } from "./block.ts";
import { BlockLog } from "./block-log.ts";
import { LogError, NoRoomError } from "./event-log.ts";
import { type Disk, MirroredStore } from "./mirrored-store.ts";
import type { Sealing } from "./sealing.ts";

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
    const found = this.#blockAt(byte);
    if (found === undefined) return;
    const { index, block, offset } = found;
    this.#store.tear(index, offset > 0 ? [blockOf(block.timestamp, block.bytes.subarray(0, offset))] : []);
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

class MemoryStore extends MirroredStore {
  readonly disk: Disk;
  failNext: "full" | "failed" | "no-room" | undefined;
  readonly #flush: () => Promise<void>;

  constructor(disk: Disk, flush: () => Promise<void> = async () => {}) {
    super(disk);
    this.disk = disk;
    this.#flush = flush;
  }

  protected async keep(): Promise<void> {
    await this.#flush();
    const code = this.failNext;
    this.failNext = undefined;
    if (code === "no-room") throw new NoRoomError("there was made to be no room");
    if (code !== undefined) throw new LogError(code, "a write was made to fail");
  }

  /** Drops the blocks from an index on, and puts others in their place. */
  tear(index: number, blocks: readonly Block[]): void {
    this.disk.blocks.splice(index, Infinity, ...blocks);
    this.reread(this.disk);
  }

  async close(): Promise<void> {}
}

function copyOf({ blocks, parts, compaction, recovery }: Disk): Disk {
  return {
    compaction,
    recovery,
    blocks: blocks.map(({ timestamp, bytes }) => blockOf(timestamp, Buffer.from(bytes))),
    parts: new Map([...parts].map(([key, bytes]) => [key, Buffer.from(bytes)])),
  };
}
