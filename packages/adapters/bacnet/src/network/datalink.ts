import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { networkInterfaces } from "node:os";
import type { AdapterClock, AdapterLog } from "@ledge/port";
import type { Address } from "./address.ts";
import { addressOf, endpointOf, remoteOf } from "./address.ts";
import type { Frame } from "./frame.ts";
import { answerFrame, asLocal, bvlc, readFrame, registration } from "./frame.ts";

/** How a hub takes part in BACnet/IP. */
export interface DatalinkOptions {
  /** The local address to listen at; all by default, which broadcasts need. */
  readonly host: string;
  /** The local UDP port; 0 picks a free one. */
  readonly port: number;
  /** The address of broadcasts, `host:port`. */
  readonly broadcast: string;
  /** A BBMD, `host:port`, with which the hub registers as a foreign device for `ttlS` seconds at a time. */
  readonly bbmd?: { readonly address: string; readonly ttlS: number } | undefined;
  readonly clock: AdapterClock;
  readonly log: AdapterLog;
}

/** What a datalink tells its owner. */
export interface DatalinkEvents {
  /** A frame with an APDU, rewritten so that it comes from the local network. */
  received(frame: Frame, local: Buffer, from: Address): void;
  opened(): void;
  /** The socket is gone; another one is opened by and by. */
  lost(reason: string): void;
}

const reopenMs = 5000;
const ownAddressesMs = 10_000;
const registerAgainMs = 15_000;

/** The UDP socket of a BACnet/IP node. It opens itself again until `close`. */
export class Datalink {
  readonly #options: DatalinkOptions;
  readonly #events: DatalinkEvents;
  #socket: Socket | undefined;
  #closed = false;
  #port = 0;
  #cancel: () => void = () => {};
  #cancelRegistration: () => void = () => {};
  #registered: boolean | undefined;
  #own: ReadonlySet<string> = new Set();
  #ownAt = -Infinity;
  #closing: Promise<void> = Promise.resolve();
  readonly #tried = Promise.withResolvers<void>();

  constructor(options: DatalinkOptions, events: DatalinkEvents) {
    this.#options = options;
    this.#events = events;
  }

  /** Resolves once the socket has opened, or could not. */
  get tried(): Promise<void> {
    return this.#tried.promise;
  }

  get isOpen(): boolean {
    return this.#socket !== undefined;
  }

  /** The port that it listens at; 0 while closed. */
  get port(): number {
    return this.#port;
  }

  /** Whether the BBMD has accepted the registration; undefined without a BBMD or an answer. */
  get registered(): boolean | undefined {
    return this.#registered;
  }

  open(): void {
    if (this.#closed) return;
    const socket = createSocket("udp4");
    socket.on("error", (error) => this.#fail(socket, error.message));
    socket.on("message", (frame, from) => this.#receive(frame, from));
    const { host, port } = this.#options;
    socket.bind(port, host, () => {
      if (this.#closed) return socket.close();
      socket.setBroadcast(true);
      this.#socket = socket;
      this.#port = socket.address().port;
      this.#tried.resolve();
      this.#events.opened();
      this.#register();
      return undefined;
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#tried.resolve();
    this.#cancel();
    this.#cancelRegistration();
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket !== undefined)
      this.#closing = new Promise((resolve) => {
        socket.close(() => resolve());
      });
    await this.#closing;
  }

  /** Sends a frame to a host, or to all. */
  send(frame: Buffer, to: string | undefined): void {
    if (to !== undefined) return this.#sendTo(frame, to);
    const { bbmd, broadcast } = this.#options;
    this.#sendTo(frame, broadcast);
    if (bbmd === undefined) return;
    const distributed = Buffer.from(frame);
    distributed[1] = bvlc.distribute;
    this.#sendTo(distributed, bbmd.address);
  }

  /** Sends an APDU to an address. */
  answer(apdu: readonly number[], to: Address): void {
    this.#sendTo(answerFrame(apdu, remoteOf(to)), endpointOf(to));
  }

  #sendTo(frame: Buffer, endpoint: string): void {
    const [host, port] = endpoint.split(":");
    // The kernel or the network may refuse; whoever waits for an answer times out.
    const refused = (reason: string): void =>
      this.#options.log("debug", "a BACnet frame was not sent", { to: endpoint, reason });
    try {
      this.#socket?.send(frame, Number(port), host, (error) => {
        if (error) refused(error.message);
      });
    } catch (error) {
      // A port that Node does not take.
      refused((error as Error).message);
    }
  }

  #receive(bytes: Buffer, { address, port }: RemoteInfo): void {
    const frame = readFrame(bytes);
    if (frame === undefined || port === 0 || this.#isOwn(address, port)) return;
    // Such a frame names its sender: from anybody else it would aim answers at any host.
    if (frame.function === bvlc.forwarded && `${address}:${port}` !== this.#options.bbmd?.address) return;
    if (frame.function === bvlc.result) return this.#registrationAnswered(frame.apdu, `${address}:${port}`);
    if (frame.apdu.length === 0 || frame.npdu === bytes.length) return;
    const from = addressOf(frame.origin ?? `${address}:${port}`, frame.source);
    this.#events.received(frame, asLocal(bytes, frame.npdu), from);
  }

  /** A hub hears its own broadcasts. */
  #isOwn(address: string, port: number): boolean {
    if (port !== this.#port) return false;
    const now = this.#options.clock.now();
    if (Math.abs(now - this.#ownAt) > ownAddressesMs) {
      this.#ownAt = now;
      this.#own = new Set(
        Object.values(networkInterfaces()).flatMap((all = []) => all.map((each) => each.address)),
      );
    }
    return this.#own.has(address);
  }

  #fail(socket: Socket, reason: string): void {
    if (this.#closed || (this.#socket !== undefined && socket !== this.#socket)) return;
    this.#socket = undefined;
    this.#cancelRegistration();
    try {
      socket.close();
    } catch {
      // A socket that was never bound is closed already.
    }
    this.#tried.resolve();
    this.#events.lost(reason);
    this.#cancel = this.#options.clock.after(reopenMs, () => this.open());
  }

  #register(): void {
    const { bbmd, clock } = this.#options;
    if (bbmd === undefined || this.#socket === undefined) return;
    this.#sendTo(registration(bbmd.ttlS), bbmd.address);
    this.#cancelRegistration();
    const wait = this.#registered === true ? (bbmd.ttlS * 1000) / 2 : registerAgainMs;
    this.#cancelRegistration = clock.after(wait, () => this.#register());
  }

  #registrationAnswered(content: Buffer, from: string): void {
    const { bbmd, log, clock } = this.#options;
    if (bbmd === undefined || from !== bbmd.address || content.length < 2) return;
    const code = content.readUInt16BE();
    const accepted = code === 0;
    if (accepted !== this.#registered) {
      const fields = { bbmd: bbmd.address, code };
      if (accepted) log("info", "the BBMD has registered this hub as a foreign device", fields);
      else log("warn", "the BBMD refuses to register this hub as a foreign device", fields);
    }
    this.#registered = accepted;
    this.#cancelRegistration();
    const wait = accepted ? (bbmd.ttlS * 1000) / 2 : registerAgainMs;
    this.#cancelRegistration = clock.after(wait, () => this.#register());
  }
}
