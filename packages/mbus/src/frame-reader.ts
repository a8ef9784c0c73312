import { MbusError } from "./error.ts";
import { type Frame, lengthOfFrame, readFrame } from "./frame.ts";

/**
 * Takes frames out of a stream of bytes in pieces of any size. It holds at most one frame.
 *
 * After bytes that are no frame it continues at the next byte that could begin one, so that a disturbance costs no
 * frame that follows it.
 */
export class FrameReader {
  #rest: Uint8Array = new Uint8Array(0);
  #dropped = 0;

  /** How many bytes belonged to no frame. */
  get dropped(): number {
    return this.#dropped;
  }

  /** How many bytes of an incomplete frame have arrived. */
  get waiting(): number {
    return this.#rest.length;
  }

  /** Returns the frames that are complete with these bytes. */
  push(bytes: Uint8Array): readonly Frame[] {
    let rest = this.#rest.length === 0 ? bytes : joined(this.#rest, bytes);
    const frames: Frame[] = [];
    while (rest.length > 0) {
      const taken = take(rest);
      if (taken === undefined) break;
      if (taken.frame === undefined) this.#dropped += taken.length;
      else frames.push(taken.frame);
      rest = rest.subarray(taken.length);
    }
    this.#rest = rest.slice();
    return frames;
  }

  /** Forgets what has arrived of an incomplete frame. */
  clear(): void {
    this.#dropped += this.#rest.length;
    this.#rest = new Uint8Array(0);
  }
}

/** Returns the frame at the start, or one byte without a frame; undefined if more bytes must come. */
function take(bytes: Uint8Array): { readonly frame?: Frame; readonly length: number } | undefined {
  try {
    const length = lengthOfFrame(bytes);
    if (length === undefined || bytes.length < length) return undefined;
    return { frame: readFrame(bytes.subarray(0, length)), length };
  } catch (error) {
    if (error instanceof MbusError) return { length: 1 };
    throw error;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
