// SLIP (RFC 1055), in which the frames of a ConBee stand on the line.

const [end, escape, escapedEnd, escapedEscape] = [0xc0, 0xdb, 0xdc, 0xdd] as const;
/** Longer content is no frame of this protocol. */
const maxLength = 512;

/** Returns content as it stands on the line, between two ends. */
export function encodeSlip(content: Uint8Array): Uint8Array {
  const escaped = [...content].flatMap((byte) => {
    if (byte === end) return [escape, escapedEnd];
    return byte === escape ? [escape, escapedEscape] : [byte];
  });
  return Uint8Array.from([end, ...escaped, end]);
}

/** Assembles content from bytes in any pieces. Skips empty, too long and wrongly escaped content. */
export class SlipReader {
  #held: number[] = [];
  #isEscaped = false;
  #isWrong = false;

  push(chunk: Uint8Array): Uint8Array[] {
    const read: Uint8Array[] = [];
    for (const byte of chunk) {
      if (byte !== end) {
        this.#take(byte);
        continue;
      }
      if (this.#held.length > 0 && !this.#isWrong && !this.#isEscaped) read.push(Uint8Array.from(this.#held));
      this.reset();
    }
    return read;
  }

  /** Discards unfinished content. */
  reset(): void {
    this.#held = [];
    this.#isEscaped = false;
    this.#isWrong = false;
  }

  #take(byte: number): void {
    if (!this.#isEscaped && byte === escape) {
      this.#isEscaped = true;
      return;
    }
    if (this.#isEscaped && byte !== escapedEnd && byte !== escapedEscape) this.#isWrong = true;
    if (this.#held.length >= maxLength) this.#isWrong = true;
    else this.#held.push(this.#isEscaped ? (byte === escapedEnd ? end : escape) : byte);
    this.#isEscaped = false;
  }
}
