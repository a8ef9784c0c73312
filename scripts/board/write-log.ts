// Reads what QEMU's filter blklogwrites records of a disk: every write and every flush in the order in which they
// were complete. The format is that of the kernel's dm-log-writes:
// https://docs.kernel.org/admin-guide/device-mapper/log-writes.html. All numbers are little-endian.
import { closeSync, openSync, readSync } from "node:fs";

/** "sdwsfj" as the kernel writes it. */
const magic = 0x6a736677736872n;
const flags = { flush: 1n, fua: 2n, discard: 4n, mark: 8n } as const;
/** Magic, version, number of entries; then the size of a sector. */
const superBytes = 28;
/** Sector, number of sectors, flags, length of a mark. */
const entryBytes = 32;

export interface Write {
  readonly kind: "write";
  /** Where on the disk (bytes). */
  readonly at: number;
  readonly length: number;
  /** Where in the file of the log its bytes begin. */
  readonly data: number;
  /** It is on the disk as soon as it is complete. */
  readonly isDurable: boolean;
}

/** All writes before it are on the disk. */
export interface Flush {
  readonly kind: "flush";
}

/** What changes nothing on a disk that ignores it: a discard or a mark. */
export interface Nothing {
  readonly kind: "nothing";
}

export type Entry = Write | Flush | Nothing;

/** A record of writes, which may still grow. */
export class WriteLog {
  readonly #file: number;
  readonly #sector: number;

  /** @throws Error when the file is no record of writes */
  constructor(path: string) {
    this.#file = openSync(path, "r");
    const head = this.#read(0, superBytes);
    if (head.length < superBytes || head.readBigUInt64LE(0) !== magic || head.readBigUInt64LE(8) !== 1n) {
      closeSync(this.#file);
      throw new Error(`${path} is no record of writes`);
    }
    this.#sector = head.readUInt32LE(24);
  }

  /** The number of entries as of the newest flush, or a few more. */
  get count(): number {
    return Number(this.#read(16, 8).readBigUInt64LE());
  }

  /** Yields the first entries, up to `count` of them. */
  *entries(count = this.count): Generator<Entry> {
    let at = this.#sector;
    for (let index = 0; index < count; index++) {
      const head = this.#read(at, entryBytes);
      if (head.length < entryBytes) return;
      const [sector, sectors, kinds] = [0, 8, 16].map((offset) => head.readBigUInt64LE(offset)) as [
        bigint,
        bigint,
        bigint,
      ];
      const data = at + this.#sector;
      const length = Number(sectors) * this.#sector;
      const hasData = (kinds & (flags.discard | flags.mark)) === 0n;
      at = data + (hasData ? length : 0);
      if (!hasData) yield { kind: "nothing" };
      else if (length > 0) {
        const isDurable = (kinds & flags.fua) !== 0n;
        yield { kind: "write", at: Number(sector) * this.#sector, length, data, isDurable };
      } else yield (kinds & flags.flush) === 0n ? { kind: "nothing" } : { kind: "flush" };
    }
  }

  /** Returns the bytes of a write. */
  bytes({ data, length }: Write): Buffer {
    return this.#read(data, length);
  }

  close(): void {
    closeSync(this.#file);
  }

  #read(at: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(this.#file, bytes, 0, length, at));
  }
}
