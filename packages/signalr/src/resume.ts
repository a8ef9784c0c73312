// The two halves of stateful reconnect: what was sent and may have to be sent again, and what was received already.
// Source: HubProtocol.md, "Stateful Reconnect". Its text lets Sequence carry the next id; clients, and so this,
// send and expect the id of the first message that follows: the oldest unacknowledged one if there is one.
import { type ClientMessage, type Frame, isNumbered, messageType } from "./protocol/messages.ts";

/** Numbered messages that the client has not acknowledged, oldest first. */
export class Unacknowledged {
  #frames: Frame[] = [];
  #firstId = 1;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** The id of the oldest message here; of the next one to be sent, if there is none. */
  get firstId(): number {
    return this.#firstId;
  }

  get frames(): readonly Frame[] {
    return this.#frames;
  }

  add(frame: Frame): void {
    this.#frames.push(frame);
    this.#bytes += frame.byteLength;
  }

  /** Forgets messages up to this id. An id beyond what was sent means all of them. */
  acknowledge(id: number): void {
    const count = Math.min(Math.max(id - this.#firstId + 1, 0), this.#frames.length);
    for (const frame of this.#frames.splice(0, count)) this.#bytes -= frame.byteLength;
    this.#firstId += count;
  }
}

/** Acknowledge at once when the client may not send much more: after a third of its buffer. */
const acknowledgeBytes = 32_768;

/** Which messages of the client to process, and which to acknowledge. */
export class Received {
  #next = 1;
  /** The highest id that was processed. */
  #latest = 0;
  #acknowledged = 0;
  /** Bytes that arrived since the last call of `takeAcknowledged`. */
  #bytes = 0;
  /** After a reconnect: nothing is processed until the client has sent its Sequence. */
  #awaitsSequence = false;

  reconnected(): void {
    this.#awaitsSequence = true;
    // What was acknowledged may have been lost with the old transport, and the client may wait for it.
    this.#acknowledged = 0;
  }

  /** Counts bytes that arrived. Returns whether to acknowledge at once. */
  arrived(byteLength: number): boolean {
    this.#bytes += byteLength;
    return this.#bytes >= acknowledgeBytes;
  }

  /** What an Ack is to carry: the highest id that was processed. Undefined if it is 0 or was taken before. */
  takeAcknowledged(): number | undefined {
    this.#bytes = 0;
    if (this.#latest === this.#acknowledged) return undefined;
    this.#acknowledged = this.#latest;
    return this.#latest;
  }

  /** Counts a message if it is numbered. Returns whether to process it: it may be one that was processed before. */
  accepts(message: ClientMessage): boolean {
    if (this.#awaitsSequence) return message.type === messageType.sequence;
    if (!isNumbered(message)) return true;
    const id = this.#next++;
    if (id <= this.#latest) return false;
    this.#latest = id;
    return true;
  }

  /** The client says the id of its next message. Returns false if messages between are lost. */
  startAt(id: number): boolean {
    if (id > this.#next) return false;
    this.#awaitsSequence = false;
    this.#next = Math.max(id, 1);
    return true;
  }
}
