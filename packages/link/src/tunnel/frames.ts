/** Types of frames of HTTP/2 (RFC 9113 6). */
export const frameTypes = { data: 0, headers: 1 } as const;

/** What an end of a connection says before its first frame (RFC 9113 3.4); of the end that accepts it is nothing. */
export const prefaceBytes = 24;

const headBytes = 9;

/** Reads what frames there are in the bytes of one direction of a session, in whatever pieces they come. */
export class FrameReader {
  readonly #heard: (type: number, bytes: number) => void;
  readonly #head = Buffer.alloc(headBytes);
  #headLength = 0;
  /** Bytes before the next head. */
  #left: number;

  /**
   * @param preface bytes that stand before the first frame
   * @param heard called for each frame when its head is there, with its type and the length of its payload
   */
  constructor(preface: number, heard: (type: number, bytes: number) => void) {
    this.#left = preface;
    this.#heard = heard;
  }

  read(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      const skipped = Math.min(this.#left, chunk.length - at);
      this.#left -= skipped;
      at += skipped;
      const copied = Math.min(headBytes - this.#headLength, chunk.length - at);
      chunk.copy(this.#head, this.#headLength, at, at + copied);
      this.#headLength += copied;
      at += copied;
      if (this.#headLength < headBytes) return;
      this.#headLength = 0;
      this.#left = this.#head.readUIntBE(0, 3);
      this.#heard(this.#head[3] ?? 0, this.#left);
    }
  }
}
