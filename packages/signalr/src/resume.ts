// The two halves of stateful reconnect: what was sent and may have to be sent again, and what was received already.
// Source: HubProtocol.md, "Stateful Reconnect". Its text lets Sequence carry the next id; clients, and so this,
// send and expect the id of the first message that follows: the oldest unacknowledged one if there is one.
import type { Frame } from "./protocol/messages.ts";

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

/** Which numbered messages of the client to process. */
export class Received {
  #next = 1;
  #latest = 0;
  #awaitsSequence = false;

  /** The highest id that was processed; what an Ack carries. */
  get latest(): number {
    return this.#latest;
  }

  /** After a reconnect: nothing is processed until the client has sent its Sequence. */
  get awaitsSequence(): boolean {
    return this.#awaitsSequence;
  }

  reconnected(): void {
    this.#awaitsSequence = true;
  }

  /** Counts a numbered message. Returns whether it is new. */
  take(): boolean {
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
