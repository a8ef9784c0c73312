import { ProtocolError } from "./messages.ts";

/** Ends each record of the handshake and of the JSON protocol. */
const recordSeparator = 0x1e;

const nothing = new Uint8Array(0);

/** Bytes that arrived and were not taken yet. Keeps no memory once all are taken. */
export class Arrived {
  #bytes: Uint8Array = nothing;
  #from = 0;
  #to = 0;
  /** Where the search for the end of a record goes on. */
  #searched = 0;
  /** Whether the memory behind the bytes may be written to. */
  #isOwn = false;

  push(chunk: Uint8Array): void {
    const waiting = this.#to - this.#from;
    if (waiting === 0) {
      this.#bytes = chunk;
      this.#from = this.#searched = 0;
      this.#to = chunk.length;
      this.#isOwn = false;
      return;
    }
    if (!this.#isOwn || this.#to + chunk.length > this.#bytes.length) {
      // Twice the room that is needed, so that a message in many small pieces is not copied for each of them.
      const room = new Uint8Array(2 * (waiting + chunk.length));
      room.set(this.rest());
      this.#searched -= this.#from;
      this.#bytes = room;
      this.#from = 0;
      this.#to = waiting;
      this.#isOwn = true;
    }
    this.#bytes.set(chunk, this.#to);
    this.#to += chunk.length;
  }

  /** What was not taken yet, not copied. */
  rest(): Uint8Array {
    return this.#bytes.subarray(this.#from, this.#to);
  }

  /** Takes this many bytes, not copied. */
  take(count: number): Uint8Array {
    const taken = this.#bytes.subarray(this.#from, this.#from + count);
    this.#from += count;
    this.#searched = this.#from;
    if (this.#from === this.#to) this.#bytes = nothing;
    if (this.#bytes === nothing) this.#from = this.#to = this.#searched = 0;
    return taken;
  }

  /**
   * Takes a record that ends with 0x1E, without that; undefined if its end has not arrived.
   * @throws ProtocolError if the record is longer than allowed
   */
  takeRecord(bytesMax: number): Uint8Array | undefined {
    const found = this.#bytes.indexOf(recordSeparator, this.#searched);
    // Room behind what arrived may hold anything.
    const end = found >= this.#to ? -1 : found;
    const length = (end === -1 ? this.#to : end) - this.#from;
    if (length > bytesMax) throw new ProtocolError(`a message is longer than ${bytesMax} bytes`);
    if (end === -1) {
      this.#searched = this.#to;
      return undefined;
    }
    return this.take(length + 1).subarray(0, length);
  }
}
