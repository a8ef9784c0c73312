/** The bytes of the Serial API's framing (INS12350, section 5). */
export const serialByte = { sof: 0x01, ack: 0x06, nak: 0x15, can: 0x18 } as const;

/** Where a frame has its function, and what follows that. */
export const functionAt = 3;
export const payloadAt = 4;

const headerBytes = 2;
/** Type, command and checksum; a shorter frame says nothing. */
const minimumLength = 3;

/** What arrived from a host: a control byte, a frame with its right checksum, or a damaged one. */
export type Arrival =
  | { readonly type: "control"; readonly byte: number }
  | { readonly type: "frame"; readonly bytes: Uint8Array }
  | { readonly type: "damaged" };

/** Cuts a stream of bytes into frames, wherever its chunks begin and end. Skips bytes that begin no frame. */
export class SerialFrames {
  #waiting: Uint8Array = new Uint8Array();

  /** @returns what is complete with these bytes, in order */
  take(chunk: Uint8Array): readonly Arrival[] {
    let rest = Uint8Array.from([...this.#waiting, ...chunk]);
    const arrivals: Arrival[] = [];
    while (rest.length > 0) {
      const taken = lengthOf(rest);
      if (taken === undefined || taken > rest.length) break;
      const arrival = arrivalOf(rest.subarray(0, taken));
      if (arrival) arrivals.push(arrival);
      rest = rest.subarray(taken);
    }
    this.#waiting = rest;
    return arrivals;
  }

  /** Forgets the beginning of a frame, as after a pause of the host. */
  reset(): void {
    this.#waiting = new Uint8Array();
  }
}

/** Returns the number of bytes of what stands at the start; undefined while that cannot be told. */
function lengthOf([first, length]: Uint8Array): number | undefined {
  if (first !== serialByte.sof) return 1;
  if (length === undefined) return undefined;
  return length < minimumLength ? 1 : length + headerBytes;
}

function arrivalOf(bytes: Uint8Array): Arrival | undefined {
  const [first = 0] = bytes;
  if (bytes.length === 1) {
    const isControl = first === serialByte.ack || first === serialByte.nak || first === serialByte.can;
    return isControl ? { type: "control", byte: first } : undefined;
  }
  return bytes.at(-1) === checksumOf(bytes) ? { type: "frame", bytes } : { type: "damaged" };
}

/** Returns the checksum of a frame whose last byte is its checksum. */
export function checksumOf(frame: Uint8Array): number {
  return frame.subarray(1, -1).reduce((sum, byte) => sum ^ byte, 0xff);
}
