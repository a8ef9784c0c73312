// TI's Unified Network Processor Interface: the format of frames on the serial line.

/** Kind of a frame: a synchronous request, its response, and unsolicited messages in both directions. */
export const frameType = { sreq: 1, areq: 2, srsp: 3 } as const;

export interface UnpiFrame {
  readonly type: number;
  readonly subsystem: number;
  readonly id: number;
  readonly data: Uint8Array;
}

const startOfFrame = 0xfe;
const headLength = 4;
/** The largest payload of a frame. */
export const maxData = 250;

/** SOF, length, type and subsystem, id, data, FCS. */
export function encodeFrame(frame: UnpiFrame): Uint8Array {
  if (frame.data.length > maxData) throw new RangeError(`${frame.data.length} bytes do not fit a frame`);
  const head = [frame.data.length, (frame.type << 5) | frame.subsystem, frame.id];
  return Uint8Array.from([startOfFrame, ...head, ...frame.data, checksum([...head, ...frame.data])]);
}

/** Assembles frames from bytes in any pieces. Skips everything else. */
export class FrameReader {
  #held: number[] = [];

  push(chunk: Uint8Array): UnpiFrame[] {
    for (const byte of chunk) this.#held.push(byte);
    const frames: UnpiFrame[] = [];
    for (;;) {
      const start = this.#held.indexOf(startOfFrame);
      this.#held.splice(0, start === -1 ? this.#held.length : start);
      const length = this.#held[1];
      if (length === undefined) return frames;
      // Drop only the first byte of an impossible frame, because a real one may begin within it.
      if (length > maxData) this.#held.shift();
      else if (this.#held.length <= headLength + length) return frames;
      else this.#take(length, frames);
    }
  }

  /** Discards an unfinished frame. */
  reset(): void {
    this.#held = [];
  }

  #take(length: number, frames: UnpiFrame[]): void {
    const end = headLength + length;
    const [, , kind = 0, id = 0] = this.#held;
    if (checksum(this.#held.slice(1, end)) !== this.#held[end]) {
      this.#held.shift();
      return;
    }
    const data = Uint8Array.from(this.#held.slice(headLength, end));
    frames.push({ type: kind >> 5, subsystem: kind & 0x1f, id, data });
    this.#held.splice(0, end + 1);
  }
}

function checksum(content: readonly number[]): number {
  return content.reduce((sum, byte) => sum ^ byte, 0);
}
