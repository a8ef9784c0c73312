import { Arrived } from "./arrived.ts";
import type { ClientMessage } from "./messages.ts";

export interface ReadLimits {
  /** Bytes of one message. */
  readonly maxMessageBytes: number;
  /** Levels of lists and objects in one message. */
  readonly maxDepth: number;
}

/** How an encoding reads. Both functions throw ProtocolError. */
export interface Reading {
  /** Takes the bytes of the next message; undefined if they have not arrived whole. */
  takeRecord(arrived: Arrived, bytesMax: number): Uint8Array | undefined;
  /** Decodes a message; undefined if its type is unknown. */
  messageIn(record: Uint8Array, depthMax: number): ClientMessage | undefined;
}

/** Splits what arrives into messages. A message may arrive in pieces, and many may arrive at once. */
export class MessageReader {
  readonly #reading: Reading;
  readonly #limits: ReadLimits;
  readonly #arrived = new Arrived();
  /** Bytes of the message that was taken last. */
  takenBytes = 0;

  constructor(reading: Reading, limits: ReadLimits) {
    this.#reading = reading;
    this.#limits = limits;
  }

  /** Adds bytes that arrived. */
  push(chunk: Uint8Array): void {
    this.#arrived.push(chunk);
  }

  /**
   * Takes the next whole message; undefined if none is there. Messages of unknown types are left out.
   * @throws ProtocolError
   */
  next(): ClientMessage | undefined {
    for (;;) {
      const record = this.#reading.takeRecord(this.#arrived, this.#limits.maxMessageBytes);
      if (record === undefined) return undefined;
      this.takenBytes = record.byteLength;
      const message = this.#reading.messageIn(record, this.#limits.maxDepth);
      if (message !== undefined) return message;
    }
  }
}
