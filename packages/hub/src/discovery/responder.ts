import type { RemoteInfo, Socket } from "node:dgram";
import { createSocket } from "node:dgram";
import { BlockList } from "node:net";
import { networkInterfaces } from "node:os";
import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { Answer } from "dns-packet";
import { AUTHORITATIVE_ANSWER, decode, encode } from "dns-packet";
import type { Logger } from "@ledge/host/logger";
import { Allowance } from "./allowance.ts";
import type { Announcement } from "./records.ts";
import { answersTo, asGoodbye, asLegacy, recordsOf } from "./records.ts";

/** Group and port of multicast DNS (RFC 6762). */
const group = "224.0.0.251";
const mdnsPort = 5353;
/** Of a packet: its header, and in the third byte what makes it a response. */
const headerBytes = 12;
const responseBit = 0x80;

export interface ResponderOptions {
  readonly announcement: () => Announcement;
  /** The address that the API listens on; `0.0.0.0` and `::` stand for all but loopback. */
  readonly host: string;
  readonly clock: Pick<Clock, "after" | "monotonic">;
  readonly logger: Logger;
}

/**
 * Announces the hub on its network, answers who asks for it, and takes leave of them: one socket for each interface
 * with an IPv4 address. A network without multicast costs the hub its announcement and nothing else.
 */
export class Responder {
  readonly #options: ResponderOptions;
  readonly #links = new Map<string, Link>();
  /** Addresses of which the log knows that nothing can be said there. */
  readonly #mute = new Set<string>();
  #cancelCheck: () => void = () => {};
  #isStopped = false;

  constructor(options: ResponderOptions) {
    this.#options = options;
    this.#check();
  }

  /** Says anew what has changed. */
  announce(): void {
    for (const link of this.#links.values()) link.announce();
  }

  /** Resolves when it has taken leave. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelCheck();
    await Promise.all([...this.#links.values()].map((link) => link.close()));
  }

  /** Interfaces come and go: a board may start before its network. */
  #check(): void {
    const { host, clock } = this.#options;
    const found = addressesFor(host);
    for (const [address, link] of this.#links) {
      if (found.has(address) && !link.hasFailed) continue;
      this.#links.delete(address);
      void link.close();
    }
    for (const [address, prefix] of found) {
      if (this.#links.has(address)) continue;
      const link = new Link(address, prefix, this.#options, (error) => this.#told(address, error));
      this.#links.set(address, link);
    }
    if (!this.#isStopped) this.#cancelCheck = clock.after(limits.mdnsCheckMs, () => this.#check());
  }

  #told(address: string, error: Error): void {
    if (this.#mute.has(address)) return;
    this.#mute.add(address);
    this.#options.logger.warn({ error, address }, "the hub is not announced by mDNS at this address");
  }
}

/** IPv4 addresses at which the API can be reached, with the length of their network's prefix. */
function addressesFor(host: string): Map<string, number> {
  const isAll = host === "0.0.0.0" || host === "::";
  const found = new Map<string, number>();
  for (const addresses of Object.values(networkInterfaces())) {
    for (const { family, address, internal, cidr } of addresses ?? []) {
      if (family !== "IPv4" || cidr === null || !(isAll ? !internal : address === host)) continue;
      found.set(address, Number(cidr.split("/")[1]));
    }
  }
  return found;
}

/**
 * How many questions and records a query says that it holds, 0 for what is none (RFC 1035, 4.1.1). Their names may
 * point into each other, so that reading a packet takes time by their number, not by its bytes.
 */
function recordsInQuery(bytes: Buffer): number {
  if (bytes.length < headerBytes || ((bytes[2] ?? 0) & responseBit) !== 0) return 0;
  return [4, 6, 8, 10].reduce((sum, offset) => sum + bytes.readUInt16BE(offset), 0);
}

/** The hub on one interface. */
class Link {
  readonly #address: string;
  readonly #neighbours = new BlockList();
  readonly #options: ResponderOptions;
  readonly #socket: Socket;
  readonly #onFailure: (error: Error) => void;
  readonly #answering: Allowance;
  readonly #reading: Allowance;
  #said: readonly Answer[] = [];
  #cancelAnnouncement: () => void = () => {};
  #isOpen = false;
  #isClosed = false;
  hasFailed = false;

  constructor(address: string, prefix: number, options: ResponderOptions, onFailure: (error: Error) => void) {
    this.#onFailure = onFailure;
    this.#address = address;
    this.#neighbours.addSubnet(address, prefix, "ipv4");
    this.#options = options;
    // Who floods the hub with questions does not have it flood the network, nor keep it from its work.
    this.#answering = new Allowance(options.clock, limits.mdnsAnswersPerSecond);
    this.#reading = new Allowance(options.clock, limits.mdnsRecordsPerSecond);
    this.#socket = createSocket({ type: "udp4", reuseAddr: true });
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.on("message", (bytes, from) => this.#hear(bytes, from));
    this.#socket.bind(mdnsPort, () => this.#join());
  }

  announce(): void {
    if (!this.#isOpen) return;
    this.#cancelAnnouncement();
    const records = this.#records();
    // A name that is no longer the hub's is taken back.
    const isGone = ({ name }: Answer): boolean => !records.some((record) => record.name === name);
    const gone = asGoodbye(this.#said.filter(isGone));
    this.#said = records;
    this.#send(encode({ type: "response", flags: AUTHORITATIVE_ANSWER, answers: [...records, ...gone] }));
    // Twice, as datagrams get lost.
    this.#cancelAnnouncement = this.#options.clock.after(limits.mdnsRepeatMs, () =>
      this.#send(encode({ type: "response", flags: AUTHORITATIVE_ANSWER, answers: records })),
    );
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelAnnouncement();
    const answers = asGoodbye(this.#said);
    if (this.#isOpen && !this.hasFailed) {
      const bytes = encode({ type: "response", flags: AUTHORITATIVE_ANSWER, answers });
      await new Promise<void>((sent) => this.#socket.send(bytes, mdnsPort, group, () => sent()));
    }
    await new Promise<void>((closed) => this.#socket.close(() => closed()));
  }

  #join(): void {
    if (this.#isClosed) return;
    try {
      this.#socket.addMembership(group, this.#address);
      this.#socket.setMulticastInterface(this.#address);
      this.#socket.setMulticastTTL(255);
      this.#isOpen = true;
      this.announce();
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #hear(bytes: Buffer, from: RemoteInfo): void {
    // The system hands each socket what comes in by any interface.
    if (this.#isClosed || !this.#neighbours.check(from.address)) return;
    const recordsInIt = recordsInQuery(bytes);
    if (recordsInIt === 0 || !this.#reading.take(recordsInIt)) return;
    try {
      const { id, questions = [], answers: known = [] } = decode(bytes);
      const { answers, additionals } = answersTo(questions, known, this.#records());
      if (answers.length === 0 || !this.#answering.take(1)) return;
      if (from.port === mdnsPort) {
        this.#send(encode({ type: "response", flags: AUTHORITATIVE_ANSWER, answers, additionals }));
        return;
      }
      const legacy = { answers: asLegacy(answers), additionals: asLegacy(additionals) };
      const answer = encode({
        type: "response",
        id: id ?? 0,
        flags: AUTHORITATIVE_ANSWER,
        questions,
        ...legacy,
      });
      this.#send(answer, from.port, from.address);
    } catch {
      // Anybody on the network may send what is no DNS.
    }
  }

  #records(): Answer[] {
    return recordsOf(this.#options.announcement(), this.#address);
  }

  #send(bytes: Buffer, port: number = mdnsPort, address: string = group): void {
    if (this.#isClosed) return;
    this.#socket.send(bytes, port, address, (error) => {
      if (error !== null) this.#options.logger.debug({ error }, "not sent to the network");
    });
  }

  /** Tried anew with the next look at the interfaces. */
  #fail(error: Error): void {
    this.hasFailed = true;
    this.#onFailure(error);
  }
}
