import type { Flushable, Flusher, Joiner } from "./flusher.ts";
import type { Frame } from "./protocol/messages.ts";
import { Unacknowledged } from "./resume.ts";
import type { HubSettings } from "./settings.ts";
import type { Transport } from "./transports/transport.ts";

interface Surroundings {
  readonly settings: HubSettings;
  readonly flusher: Flusher;
  /** Called when the client is too slow for what is sent. */
  tooSlow(): void;
  /** Called when something was written. */
  wrote(): void;
}

/** What is on its way to one client: messages before they are written, and those that may have to be repeated. */
export class Outgoing implements Flushable {
  readonly #surroundings: Surroundings;
  #transport: Transport | undefined;
  #isBinary = false;
  #frames: Frame[] = [];
  #bytes = 0;
  #isDueJoined = false;
  #isDueSoon = false;
  #waiters: (() => void)[] | undefined;
  #unacknowledged: Unacknowledged | undefined;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  get bufferedAmount(): number {
    return this.#bytes + (this.#transport?.bufferedAmount ?? 0);
  }

  get isCongested(): boolean {
    const { maxUnacknowledgedBytes } = this.#surroundings.settings;
    if (this.#unacknowledged !== undefined && this.#unacknowledged.bytes >= maxUnacknowledgedBytes)
      return true;
    return this.isBackedUp;
  }

  /** Whether more is unsent than should be, whatever the client has acknowledged. */
  get isBackedUp(): boolean {
    const { congestedBytes } = this.#surroundings.settings;
    return this.#bytes >= congestedBytes || this.bufferedAmount >= congestedBytes;
  }

  /** Resolves as soon as there is no congestion. */
  ready(): Promise<void> {
    if (!this.isCongested) return Promise.resolve();
    return new Promise((resolve) => (this.#waiters ??= []).push(resolve));
  }

  /** Keeps numbered messages from now on, until they are acknowledged. */
  keepUnacknowledged(): void {
    this.#unacknowledged = new Unacknowledged();
  }

  acknowledge(id: number): void {
    this.#unacknowledged?.acknowledge(id);
    this.#release();
  }

  /** @param isBinary how transports carry messages from now on. */
  encodeAs(isBinary: boolean): void {
    this.#isBinary = isBinary;
  }

  /** Writes to this transport from now on. */
  attach(transport: Transport): void {
    this.#transport = transport;
  }

  /** Writes to a new transport, first what the client may have missed. */
  resume(transport: Transport, sequence: (firstId: number) => Frame): void {
    const { firstId = 1, frames = [] } = this.#unacknowledged ?? {};
    this.#transport = transport;
    this.#frames = [sequence(firstId), ...frames];
    this.#bytes = this.#frames.reduce((sum, { byteLength }) => sum + byteLength, 0);
    this.#soon();
  }

  /** Writes nothing until there is a transport again. */
  detach(): void {
    this.#transport = undefined;
    this.#frames = [];
    this.#bytes = 0;
  }

  /** Sends a message that has a number on a stateful connection. */
  send(frame: Frame, isUrgent = false): void {
    if (this.#isFull()) return this.#surroundings.tooSlow();
    this.#unacknowledged?.add(frame);
    this.#push(frame, isUrgent);
  }

  /** Sends a message that is not repeated. */
  sendOnce(frame: Frame): void {
    this.#push(frame, true);
  }

  /** Sends a sign of life, unless something waits that is one: a client that does not read is sent one ping. */
  ping(frame: Frame): void {
    if (this.#frames.length === 0) this.#push(frame, true);
  }

  /** Writes what is unsent, unless the transport is still busy with earlier bytes. */
  flush(joiner: Joiner): void {
    this.#isDueJoined = this.#isDueSoon = false;
    const transport = this.#transport;
    if (transport === undefined || this.#frames.length === 0) return;
    if (transport.bufferedAmount >= this.#surroundings.settings.congestedBytes) return;
    const frames = this.#frames;
    this.#frames = [];
    this.#bytes = 0;
    transport.send(joiner.join(frames), this.#isBinary);
    this.#surroundings.wrote();
    this.#release();
  }

  /** The transport can take more. */
  drained(): void {
    if (this.#frames.length > 0) this.#soon();
    this.#release();
  }

  /** Writes all that is unsent and ends the transport behind it. */
  finish(): void {
    if (this.#frames.length > 0) this.#transport?.send(Buffer.concat(this.#frames), this.#isBinary);
    this.#transport?.end();
    this.end();
  }

  /** Drops what is unsent and lets all go on that wait. */
  end(): void {
    this.detach();
    this.#unacknowledged = undefined;
    this.#release();
  }

  #isFull(): boolean {
    const { maxUnsentBytes } = this.#surroundings.settings;
    return this.bufferedAmount >= maxUnsentBytes || (this.#unacknowledged?.bytes ?? 0) >= maxUnsentBytes;
  }

  #push(frame: Frame, isUrgent: boolean): void {
    if (this.#transport === undefined) return;
    this.#frames.push(frame);
    this.#bytes += frame.byteLength;
    if (isUrgent) this.#soon();
    else if (!this.#isDueJoined) {
      this.#isDueJoined = true;
      this.#surroundings.flusher.joined(this);
    }
  }

  #soon(): void {
    if (this.#isDueSoon) return;
    this.#isDueSoon = true;
    this.#surroundings.flusher.soon(this);
  }

  #release(): void {
    if (this.#waiters === undefined || this.isCongested) return;
    const waiters = this.#waiters;
    this.#waiters = undefined;
    for (const resume of waiters) resume();
  }
}
