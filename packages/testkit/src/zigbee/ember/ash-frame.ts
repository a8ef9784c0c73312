// The frames of ASH, by which a host talks to a Silicon Labs network processor (UG101, UART gateway protocol).

/** Bytes with a meaning of their own, which are escaped within frames (UG101, 2.4). */
const reserved = { xon: 0x11, xoff: 0x13, substitute: 0x18, cancel: 0x1a, escape: 0x7d, flag: 0x7e } as const;
const isReserved: ReadonlySet<number> = new Set(Object.values(reserved));
const flip = 0x20;
/** Control byte, data and CRC of the longest frame: EZSP frames have at most 220 bytes. */
const maxLength = 1 + 220 + 2;
const minDataField = 3;

export type AshFrame =
  | {
      readonly type: "data";
      /** Number of this frame, 0..7. */
      readonly number: number;
      /** Number of the next frame that the sender expects. */
      readonly ack: number;
      readonly isRepeated: boolean;
      /** An EZSP frame of at least 3 bytes. */
      readonly data: Uint8Array;
    }
  /** `isReady`: the sender has room for callbacks. */
  | { readonly type: "ack" | "nak"; readonly ack: number; readonly isReady: boolean }
  | { readonly type: "reset" }
  | { readonly type: "reset done" | "error"; readonly version: number; readonly code: number };

const control = { ack: 0x80, nak: 0xa0, reset: 0xc0, resetDone: 0xc1, error: 0xc2 } as const;
const notReady = 0x08;
const repeated = 0x08;

/** Returns a frame as it stands on the line, with the flag at its end. */
export function encodeAsh(frame: AshFrame): Uint8Array {
  const content = contentOf(frame);
  const crc = crcOf(content);
  const stuffed = [...content, crc >> 8, crc & 0xff].flatMap((byte) =>
    isReserved.has(byte) ? [reserved.escape, byte ^ flip] : [byte],
  );
  return Uint8Array.from([...stuffed, reserved.flag]);
}

function contentOf(frame: AshFrame): readonly number[] {
  switch (frame.type) {
    case "data":
      return [(frame.number << 4) | (frame.isRepeated ? repeated : 0) | frame.ack, ...randomised(frame.data)];
    case "ack":
    case "nak":
      return [control[frame.type] | (frame.isReady ? 0 : notReady) | frame.ack];
    case "reset":
      return [control.reset];
    case "reset done":
      return [control.resetDone, frame.version, frame.code];
    case "error":
      return [control.error, frame.version, frame.code];
  }
}

/** What the reader found: a frame, or one that is damaged. */
export type AshRead =
  | AshFrame
  | { readonly type: "damaged"; /** Whether it looks like a data frame. */ readonly isData: boolean };

/** Assembles frames from bytes in any pieces. */
export class AshReader {
  #held: number[] = [];
  #isEscaped = false;
  #isSpoiled = false;

  push(chunk: Uint8Array): AshRead[] {
    const read: AshRead[] = [];
    for (const byte of chunk) {
      const one = this.#take(byte);
      if (one) read.push(one);
    }
    return read;
  }

  /** Discards an unfinished frame. */
  reset(): void {
    this.#held = [];
    this.#isEscaped = false;
    this.#isSpoiled = false;
  }

  #take(byte: number): AshRead | null {
    switch (byte) {
      case reserved.flag:
        return this.#end();
      case reserved.cancel:
        this.reset();
        return null;
      case reserved.substitute:
        this.#isSpoiled = true;
        return null;
      case reserved.xon:
      case reserved.xoff:
        return null;
      case reserved.escape:
        this.#isEscaped = true;
        return null;
      default:
        // One byte too many is enough to know that the frame is too long.
        if (this.#held.length <= maxLength) this.#held.push(this.#isEscaped ? byte ^ flip : byte);
        this.#isEscaped = false;
        return null;
    }
  }

  #end(): AshRead | null {
    const [held, isSpoiled] = [this.#held, this.#isSpoiled];
    this.reset();
    if (held.length === 0 && !isSpoiled) return null;
    return (isSpoiled ? null : parsed(held)) ?? { type: "damaged", isData: ((held[0] ?? 0x80) & 0x80) === 0 };
  }
}

/** Returns the frame in unescaped bytes with their CRC; null for a damaged one. */
function parsed(bytes: readonly number[]): AshFrame | null {
  const content = bytes.slice(0, -2);
  const [first] = content;
  const [high = 0, low = 0] = bytes.slice(-2);
  if (first === undefined || bytes.length > maxLength || crcOf(content) !== ((high << 8) | low)) return null;
  const rest = content.slice(1);
  const ack = first & 7;
  if ((first & 0x80) === 0) {
    if (rest.length < minDataField) return null;
    const data = Uint8Array.from(randomised(rest));
    return { type: "data", number: first >> 4, ack, isRepeated: (first & repeated) !== 0, data };
  }
  const kind = first & 0xe0;
  if ((kind === control.ack || kind === control.nak) && rest.length === 0) {
    return { type: kind === control.ack ? "ack" : "nak", ack, isReady: (first & notReady) === 0 };
  }
  if (first === control.reset && rest.length === 0) return { type: "reset" };
  const [version = 0, code = 0] = rest;
  if (first === control.resetDone && rest.length === 2) return { type: "reset done", version, code };
  return first === control.error && rest.length === 2 ? { type: "error", version, code } : null;
}

/** Exclusive-ors data with the sequence of UG101, 4.3, which spreads reserved bytes. It is its own inverse. */
function randomised(data: Iterable<number>): readonly number[] {
  let mask = 0x42;
  return Array.from(data, (byte) => {
    const out = byte ^ mask;
    mask = (mask >> 1) ^ ((mask & 1) === 1 ? 0xb8 : 0);
    return out;
  });
}

/** CRC-CCITT: polynomial 0x1021, initial value 0xffff, most significant bit first. */
function crcOf(content: readonly number[]): number {
  let crc = 0xffff;
  for (const byte of content) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return crc;
}
