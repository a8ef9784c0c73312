/** The types of HTTP/2 frames (RFC 9113 6). */
export const frameTypes = { data: 0, headers: 1 } as const;

/** The length of the client's preface (RFC 9113 3.4); a server sends none. */
export const prefaceBytes = 24;

const headBytes = 9;

/** Finds the frames in the bytes of one direction of a session, in whatever pieces they come. */
export class FrameReader {
  readonly #heard: (type: number, bytes: number) => void;
  readonly #head = Buffer.alloc(headBytes);
  #headLength = 0;
  /** Bytes until the next frame header. */
  #left: number;

  /**
   * @param preface how many bytes come before the first frame
   * @param heard called at each frame header, with the type and the length of the payload
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
