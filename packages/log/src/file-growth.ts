import { type FileHandle, open } from "node:fs/promises";

/** The file grows by at least this much at a time. */
const stepBytes = 4_194_304;
const chunkBytes = 1_048_576;

/**
 * Extends a file with zeros ahead of its use: a commit that lets the file grow costs more flushes and more
 * bytes, and is where a full disk would be met. Zeros are written only at the end and behind it, so nothing
 * that stands there is touched; but LMDB may lengthen the file too, so not while it commits.
 */
export class FileGrowth {
  readonly #path: string;
  #file: FileHandle | undefined;
  /** Bytes written so far. */
  extendedBytes = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Lets the file be at least `bytes` long; the zeros are on disk when it resolves.
   * @throws the error of `node:fs`, or Error at a short write; what was added until then stays and does no harm
   */
  async extendTo(bytes: number): Promise<void> {
    this.#file ??= await open(this.#path, "r+");
    const { size } = await this.#file.stat();
    if (size >= bytes) return;
    const zeros = Buffer.alloc(chunkBytes);
    const end = Math.max(bytes, size + stepBytes);
    for (let position = size; position < end; position += chunkBytes) {
      const length = Math.min(chunkBytes, end - position);
      const { bytesWritten } = await this.#file.write(zeros, 0, length, position);
      if (bytesWritten < length) throw new Error(`only ${bytesWritten} of ${length} zeros were written`);
      this.extendedBytes += length;
    }
    await this.#file.datasync();
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }
}
