import { Arrived } from "./protocol/arrived.ts";
import type { MessageReader } from "./protocol/message-reader.ts";
import { type ClientMessage, ProtocolError } from "./protocol/messages.ts";

/** Longest handshake request, in bytes. */
const handshakeBytesMax = 1024;

interface Receiver {
  /** Reads the handshake request. Returns the reader of the messages behind it; undefined to read no more. */
  handshake(record: Uint8Array): MessageReader | undefined;
  message(message: ClientMessage, byteLength: number): void;
  malformed(error: ProtocolError): void;
  /** While true, messages wait. */
  isBusy(): boolean;
}

/** Takes messages, one after the other, from the bytes of a client, as fast as they can be processed. */
export class Incoming {
  readonly #receiver: Receiver;
  #arrived: Arrived | undefined = new Arrived();
  #reader: MessageReader | undefined;
  #isEnded = false;
  #isRunning = false;

  constructor(receiver: Receiver) {
    this.#receiver = receiver;
  }

  push(chunk: Uint8Array): void {
    if (this.#isEnded) return;
    (this.#reader ?? this.#arrived)?.push(chunk);
    this.proceed();
  }

  /** Goes on with messages that had to wait. */
  proceed(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      while (!this.#isEnded && !this.#receiver.isBusy() && this.#step()) continue;
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.end();
      this.#receiver.malformed(error);
    } finally {
      this.#isRunning = false;
    }
  }

  /** Ignores what comes from now on. */
  end(): void {
    this.#isEnded = true;
    this.#reader = this.#arrived = undefined;
  }

  /** Starts with an empty buffer, on a new transport: half a message on the old one is lost. */
  restart(reader: MessageReader): void {
    this.#reader = reader;
  }

  /** Processes the next message. Returns whether there was one. */
  #step(): boolean {
    const reader = this.#reader;
    if (reader !== undefined) {
      const message = reader.next();
      if (message !== undefined) this.#receiver.message(message, reader.takenBytes);
      return message !== undefined;
    }
    const record = this.#arrived?.takeRecord(handshakeBytesMax);
    if (record === undefined) return false;
    this.#reader = this.#receiver.handshake(record);
    const rest = this.#arrived?.rest();
    this.#arrived = undefined;
    if (this.#reader === undefined) this.end();
    else if (rest !== undefined && rest.length > 0) this.#reader.push(rest);
    return !this.#isEnded;
  }
}
