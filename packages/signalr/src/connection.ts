import type { Connection, HubUser } from "./api.ts";
import { Calls } from "./calls.ts";
import { ClientCalls } from "./client-calls.ts";
import type { Clock } from "./clock.ts";
import { HubError } from "./errors.ts";
import type { Flusher } from "./flusher.ts";
import { Incoming } from "./incoming.ts";
import { LazyAbort } from "./lazy-abort.ts";
import { Outgoing } from "./outgoing.ts";
import type { Codec } from "./protocol/codec.ts";
import { codecFor, handshakeResponse } from "./protocol/handshake.ts";
import type { MessageReader } from "./protocol/message-reader.ts";
import { type ClientMessage, type Frame, messageType } from "./protocol/messages.ts";
import { Received } from "./resume.ts";
import type { HubSettings } from "./settings.ts";
import type { Targets } from "./targets.ts";
import type { Transport, TransportListener, TransportName } from "./transports/transport.ts";

/** What a connection needs of its hub. */
export interface HubSide<User extends HubUser> {
  readonly settings: HubSettings;
  readonly clock: Clock;
  readonly flusher: Flusher;
  readonly targets: Targets<User>;
  /** The handshake is done. Calls of the client wait until this has resolved. */
  opened(connection: ClientConnection<User>): void | Promise<void>;
  /** The connection has ended, for good. */
  ended(connection: ClientConnection<User>, error: Error | undefined, wasOpen: boolean): void;
  report(error: unknown): void;
}

/** Where a connection is in its life. `lost`: stateful, and without a transport for the moment. */
type Phase = "handshake" | "open" | "lost" | "closing" | "ended";

/** One client, whatever transports it comes by. */
export class ClientConnection<User extends HubUser> implements Connection<User>, TransportListener {
  readonly id: string;
  readonly user: User;
  readonly #hub: HubSide<User>;
  readonly #incoming: Incoming;
  readonly #outgoing: Outgoing;
  readonly #clientCalls: ClientCalls;
  #transport: Transport;
  #phase: Phase = "handshake";
  #wasOpen = false;
  /** Whether calls of the client wait for the hub. */
  #isOpening = false;
  #codec: Codec | undefined;
  #calls: Calls<User> | undefined;
  /** Present if the connection may change its transport. */
  #received: Received | undefined;
  readonly #aborting = new LazyAbort();
  #isPaused = false;
  #sentAt: number;
  #receivedAt: number;
  /** When the present phase is over at the latest. */
  #deadline: number;

  constructor(hub: HubSide<User>, id: string, user: User, isStateful: boolean, transport: Transport) {
    this.#hub = hub;
    this.id = id;
    this.user = user;
    this.#transport = transport;
    this.#sentAt = this.#receivedAt = hub.clock.now();
    this.#deadline = this.#receivedAt + hub.settings.handshakeMs;
    this.#clientCalls = new ClientCalls(hub.clock, hub.settings.clientResultMs);
    if (isStateful) this.#received = new Received();
    this.#outgoing = new Outgoing({
      settings: hub.settings,
      flusher: hub.flusher,
      tooSlow: () => this.#end(new Error("the client reads too slowly")),
      wrote: () => (this.#sentAt = hub.clock.now()),
    });
    this.#outgoing.attach(transport);
    this.#incoming = new Incoming({
      handshake: (record) => this.#handshake(record),
      message: (message, byteLength) => this.#take(message, byteLength),
      malformed: (error) => this.#refuse(error),
      isBusy: () => this.#isBusy,
    });
  }

  get transport(): TransportName {
    return this.#transport.name;
  }

  /** What carries the connection at present. */
  get carrier(): Transport {
    return this.#transport;
  }

  get protocol(): "json" | "messagepack" {
    return this.#codec?.name ?? "json";
  }

  get codec(): Codec | undefined {
    return this.#codec;
  }

  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  get bufferedAmount(): number {
    return this.#outgoing.bufferedAmount;
  }

  get isCongested(): boolean {
    return this.#outgoing.isCongested;
  }

  /** Whether another transport may take the place of the present one. */
  get isStateful(): boolean {
    return this.#received !== undefined && this.#phase !== "closing" && this.#phase !== "ended";
  }

  ready(): Promise<void> {
    return this.#outgoing.ready();
  }

  send(target: string, ...args: readonly unknown[]): void {
    if (this.#codec !== undefined) this.sendFrame(this.#codec.invocation(target, args));
  }

  /** Sends a message that may go to other connections as well. */
  sendFrame(frame: Frame): void {
    if (this.#phase !== "closing" && this.#phase !== "ended") this.#outgoing.send(frame);
  }

  async invoke(target: string, ...args: readonly unknown[]): Promise<unknown> {
    const codec = this.#codec;
    if (codec === undefined || this.#phase === "closing" || this.#phase === "ended") {
      throw new Error("the connection has ended");
    }
    return this.#clientCalls.call(target, (invocationId) =>
      this.#outgoing.send(codec.invocation(target, args, invocationId)),
    );
  }

  close({ error, allowReconnect = false }: { error?: string; allowReconnect?: boolean } = {}): void {
    if (this.#phase === "closing" || this.#phase === "ended") return;
    if (this.#phase === "lost") return this.#end(undefined);
    this.#finish(this.#codec?.close(error, allowReconnect));
    // A socket that is not read does not see that the client has closed it too.
    if (this.#isPaused) this.#transport.resume();
    this.#calls?.end();
    this.#clientCalls.end(new Error("the connection was closed"));
  }

  abort(): void {
    this.#end(undefined);
  }

  received(chunk: Uint8Array, from: Transport): void {
    if (from !== this.#transport) return;
    this.#receivedAt = this.#hub.clock.now();
    this.#incoming.push(chunk);
    if (this.#received?.arrived(chunk.byteLength)) this.#acknowledge();
    this.#pauseIfBusy();
  }

  drained(from: Transport): void {
    if (from === this.#transport) this.#outgoing.drained();
  }

  closed(from: Transport): void {
    if (from !== this.#transport || this.#phase === "ended") return;
    if (this.isStateful && this.#phase === "open") this.#lose();
    else this.#end(this.#phase === "closing" ? undefined : new Error("the client has left"));
  }

  /** Goes on over another transport, with what the client has not acknowledged. */
  resume(transport: Transport): void {
    const codec = this.#codec;
    if (codec === undefined || this.#received === undefined) return transport.destroy();
    const old = this.#transport;
    this.#transport = transport;
    if (this.#phase !== "lost") old.destroy();
    this.#phase = "open";
    this.#receivedAt = this.#hub.clock.now();
    this.#isPaused = false;
    this.#received.reconnected();
    this.#incoming.restart(codec.reader(this.#hub.settings));
    this.#outgoing.resume(transport, (firstId) => codec.sequence(firstId));
  }

  /** Does what time demands: pings, acknowledges, or gives up. Called about once a second. */
  tick(now: number): void {
    const { keepAliveMs, clientTimeoutMs } = this.#hub.settings;
    if (this.#phase === "handshake") {
      if (now >= this.#deadline) this.#refuse(new Error("The handshake took too long."));
    } else if (this.#phase === "lost" || this.#phase === "closing") {
      if (now >= this.#deadline)
        this.#end(this.#phase === "lost" ? new Error("the client did not come back") : undefined);
    } else if (this.#phase === "open" && this.#codec !== undefined) {
      this.#acknowledge();
      if (this.#transport.keepsAlive) return;
      if (now - this.#receivedAt >= clientTimeoutMs && !this.#isPaused) this.#transport.destroy();
      else if (now - this.#sentAt >= keepAliveMs) this.#outgoing.ping(this.#codec.ping);
    }
  }

  #handshake(record: Uint8Array): MessageReader | undefined {
    const codec = codecFor(record, this.#transport.isTextOnly);
    if ("refusal" in codec) {
      this.#refuse(new Error(codec.refusal));
      return undefined;
    }
    this.#codec = codec;
    this.#calls = new Calls({
      connection: this,
      codec,
      settings: this.#hub.settings,
      targets: this.#hub.targets,
      send: (frame, isUrgent) => this.#outgoing.send(frame, isUrgent),
      report: (error) => this.#hub.report(error),
      proceed: () => this.#proceed(),
    });
    this.#outgoing.encodeAs(codec.isBinary);
    this.#outgoing.sendOnce(handshakeResponse());
    if (this.#received !== undefined) this.#outgoing.keepUnacknowledged();
    this.#open();
    return codec.reader(this.#hub.settings);
  }

  #open(): void {
    this.#wasOpen = true;
    this.#phase = "open";
    const opened = this.#hub.opened(this);
    if (opened === undefined) return;
    this.#isOpening = true;
    void this.#openAfter(opened);
  }

  async #openAfter(opened: Promise<void>): Promise<void> {
    try {
      await opened;
    } catch (error) {
      const isTold = error instanceof HubError && error.message !== "";
      return this.close({ error: isTold ? error.message : "The connection was refused." });
    }
    this.#isOpening = false;
    this.#proceed();
  }

  #proceed(): void {
    this.#incoming.proceed();
    if (this.#isPaused && !this.#isBusy && this.#phase === "open") {
      this.#isPaused = false;
      this.#receivedAt = this.#hub.clock.now();
      this.#transport.resume();
    }
  }

  /** Whether no further message is to be processed now. */
  get #isBusy(): boolean {
    return this.#isOpening || this.#calls?.isBusy === true;
  }

  #pauseIfBusy(): void {
    if (this.#isPaused || !this.#isBusy || this.#phase !== "open") return;
    this.#isPaused = true;
    this.#transport.pause();
  }

  #take(message: ClientMessage, byteLength: number): void {
    if (this.#received?.accepts(message) === false) return;
    switch (message.type) {
      case messageType.invocation:
        return this.#calls?.invoke(message, byteLength);
      case messageType.streamInvocation:
        return this.#calls?.stream(message);
      case messageType.cancelInvocation:
        return this.#calls?.cancel(message.invocationId);
      case messageType.completion:
        return this.#clientCalls.complete(message);
      case messageType.close:
        return this.#end(message.error === undefined ? undefined : new Error(message.error));
      case messageType.ack:
        return this.#outgoing.acknowledge(message.sequenceId);
      case messageType.sequence:
        if (this.#received?.startAt(message.sequenceId) === false) {
          this.#refuse(new Error("Messages of the client were lost."));
        }
        return;
      case messageType.ping:
      case messageType.streamItem:
    }
  }

  /** Tells the client of a stateful connection what was processed, if that is news. */
  #acknowledge(): void {
    // The ids of one that does not read wait, and become one.
    if (this.#codec === undefined || this.#outgoing.isBackedUp) return;
    const id = this.#received?.takeAcknowledged();
    if (id !== undefined) this.#outgoing.sendOnce(this.#codec.ack(id));
  }

  /** Ends a connection whose client broke the protocol, and says why. */
  #refuse(error: Error): void {
    if (this.#codec === undefined) this.#finish(handshakeResponse(error.message));
    else this.close({ error: error.message });
  }

  /** Writes what is unsent and a last message, and then has `drainMs` until the client closes the transport. */
  #finish(last: Frame | undefined): void {
    this.#incoming.end();
    if (last !== undefined) this.#outgoing.sendOnce(last);
    this.#enter("closing", this.#hub.settings.drainMs);
    this.#outgoing.finish();
  }

  #lose(): void {
    this.#enter("lost", this.#hub.settings.reconnectMs);
    this.#outgoing.detach();
  }

  #enter(phase: Phase, longestMs: number): void {
    this.#phase = phase;
    this.#deadline = this.#hub.clock.now() + longestMs;
  }

  #end(error: Error | undefined): void {
    if (this.#phase === "ended") return;
    this.#phase = "ended";
    this.#incoming.end();
    this.#outgoing.end();
    this.#transport.destroy();
    this.#calls?.end();
    this.#clientCalls.end(error ?? new Error("the connection has ended"));
    this.#aborting.abort();
    this.#hub.ended(this, error, this.#wasOpen);
  }
}
