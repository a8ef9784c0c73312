import type { RemoteInfo, Socket } from "node:dgram";
import { createSocket } from "node:dgram";
import { BlockList } from "node:net";
import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { Answer, Question } from "dns-packet";
import { AUTHORITATIVE_ANSWER, decode, encode } from "dns-packet";
import type { Logger } from "@ledge/host/logger";
import { Allowance } from "./allowance.ts";
import type { Announcement } from "./records.ts";
import type { LinkAddresses } from "./links.ts";
import { linksFor } from "./links.ts";
import { answersTo, asGoodbye, asLegacy, recordsOf } from "./records.ts";

/** Groups and port of multicast DNS (RFC 6762). */
const groups = { IPv4: "224.0.0.251", IPv6: "ff02::fb" } as const;
const mdnsPort = 5353;
/** Bytes of a packet's header. Its third byte marks a response. */
const headerBytes = 12;
const responseBit = 0x80;

/** Services of others that the hub looks for. */
export interface Browsing {
  /** The types to ask for, such as `_slzb-06._tcp.local`; empty while nobody wants to know. */
  wanted(): readonly string[];
  /** Gets the records of all responses. */
  heard(records: readonly Answer[]): void;
}

export interface ResponderOptions {
  readonly announcement: () => Announcement;
  /** The address that the API listens on; `0.0.0.0` and `::` stand for all but loopback. */
  readonly host: string;
  readonly clock: Pick<Clock, "after" | "monotonic">;
  readonly logger: Logger;
  readonly browsing?: Browsing;
}

/**
 * Announces the hub on its network, answers questions and says goodbye, with one socket for each interface and
 * IP version. On a network without multicast the hub only lacks its announcement.
 */
export class Responder {
  readonly #options: ResponderOptions;
  readonly #links = new Map<string, Link>();
  /** Links without multicast that are already logged. */
  readonly #mute = new Set<string>();
  #cancelCheck: () => void = () => {};
  #cancelAsking: () => void = () => {};
  #isStopped = false;

  constructor(options: ResponderOptions) {
    this.#options = options;
    this.#check();
    if (options.browsing !== undefined) this.#ask(options.browsing);
  }

  /** Announces what has changed. */
  announce(): void {
    for (const link of this.#links.values()) link.announce();
  }

  /** Resolves when the goodbye is sent. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelCheck();
    this.#cancelAsking();
    await Promise.all([...this.#links.values()].map((link) => link.close()));
  }

  /** Interfaces come and go: a board may start before its network. */
  #check(): void {
    const { host, clock } = this.#options;
    const found = linksFor(host);
    for (const [key, link] of this.#links) {
      if (found.has(key) && !link.hasFailed) continue;
      this.#links.delete(key);
      void link.close();
    }
    for (const [key, addresses] of found) {
      if (this.#links.has(key)) continue;
      const link = new Link(addresses, this.#options, (error) => this.#told(addresses, error));
      this.#links.set(key, link);
    }
    if (!this.#isStopped) this.#cancelCheck = clock.after(limits.mdnsCheckMs, () => this.#check());
  }

  /** Asks now and again; sticks that start later announce themselves. */
  #ask(browsing: Browsing): void {
    const types = browsing.wanted();
    if (types.length > 0) for (const link of this.#links.values()) link.ask(types);
    this.#cancelAsking = this.#options.clock.after(limits.mdnsAskMs, () => this.#ask(browsing));
  }

  #told({ interface: name, family }: LinkAddresses, error: Error): void {
    const link = `${name} ${family}`;
    if (this.#mute.has(link)) return;
    this.#mute.add(link);
    this.#options.logger.warn({ error, link }, "the hub is not announced by mDNS here");
  }
}

/**
 * Returns the number of questions and records in a packet, from its header; 0 for what is no packet (RFC 1035,
 * 4.1.1). Names may point into each other, so the time to read a packet depends on this number and not on its
 * size.
 */
function recordsIn(bytes: Buffer): number {
  if (bytes.length < headerBytes) return 0;
  return [4, 6, 8, 10].reduce((sum, offset) => sum + bytes.readUInt16BE(offset), 0);
}

function isResponse(bytes: Buffer): boolean {
  return ((bytes[2] ?? 0) & responseBit) !== 0;
}

/** The announcement on one interface for one IP version. */
class Link {
  readonly #addresses: LinkAddresses;
  readonly #neighbours = new BlockList();
  readonly #options: ResponderOptions;
  readonly #socket: Socket;
  readonly #onFailure: (error: Error) => void;
  readonly #answering: Allowance;
  readonly #reading: Allowance;
  #said: readonly Answer[] = [];
  #cancelAnnouncement: () => void = () => {};
  /** What to ask once the link is open. */
  #asked: readonly string[] = [];
  #isOpen = false;
  #isClosed = false;
  hasFailed = false;

  constructor(addresses: LinkAddresses, options: ResponderOptions, onFailure: (error: Error) => void) {
    this.#onFailure = onFailure;
    this.#addresses = addresses;
    const { family, networks } = addresses;
    const isSix = family === "IPv6";
    for (const [address, prefix] of networks)
      this.#neighbours.addSubnet(address, prefix, isSix ? "ipv6" : "ipv4");
    this.#options = options;
    // A flood of questions must not make the hub flood the network or block its work.
    this.#answering = new Allowance(options.clock, limits.mdnsAnswersPerSecond);
    this.#reading = new Allowance(options.clock, limits.mdnsRecordsPerSecond);
    this.#socket = createSocket({ type: isSix ? "udp6" : "udp4", reuseAddr: true, ipv6Only: isSix });
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.on("message", (bytes, from) => this.#hear(bytes, from));
    this.#socket.bind(mdnsPort, () => this.#join());
  }

  announce(): void {
    if (!this.#isOpen) return;
    this.#cancelAnnouncement();
    const records = this.#records();
    // Records under a former name get a goodbye.
    const isGone = ({ name }: Answer): boolean => !records.some((record) => record.name === name);
    const gone = asGoodbye(this.#said.filter(isGone));
    this.#said = records;
    this.#send(encode({ type: "response", flags: AUTHORITATIVE_ANSWER, answers: [...records, ...gone] }));
    // The announcement goes out twice, because datagrams get lost.
    this.#cancelAnnouncement = this.#options.clock.after(limits.mdnsRepeatMs, () =>
      this.#send(encode({ type: "response", flags: AUTHORITATIVE_ANSWER, answers: records })),
    );
  }

  /** Asks the network for services. */
  ask(types: readonly string[]): void {
    if (!this.#isOpen) {
      this.#asked = types;
      return;
    }
    const questions = types.map((name): Question => ({ name, type: "PTR" }));
    this.#send(encode({ type: "query", questions }));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelAnnouncement();
    const answers = asGoodbye(this.#said);
    if (this.#isOpen && !this.hasFailed) {
      const bytes = encode({ type: "response", flags: AUTHORITATIVE_ANSWER, answers });
      await new Promise<void>((sent) => this.#socket.send(bytes, mdnsPort, this.#group, () => sent()));
    }
    await new Promise<void>((closed) => this.#socket.close(() => closed()));
  }

  #join(): void {
    if (this.#isClosed) return;
    try {
      const { interface: name, family, networks } = this.#addresses;
      const at = family === "IPv6" ? `::%${name}` : (networks[0]?.[0] ?? "");
      this.#socket.addMembership(this.#group, at);
      this.#socket.setMulticastInterface(at);
      this.#socket.setMulticastTTL(255);
      this.#isOpen = true;
      this.announce();
      if (this.#asked.length > 0) this.ask(this.#asked);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #hear(bytes: Buffer, from: RemoteInfo): void {
    // The operating system delivers packets of all interfaces to each socket.
    if (this.#isClosed || !this.#isNeighbour(from.address)) return;
    const { browsing } = this.#options;
    if (isResponse(bytes) && browsing === undefined) return;
    const records = recordsIn(bytes);
    if (records === 0 || !this.#reading.take(records)) return;
    try {
      if (isResponse(bytes)) {
        const { answers: heard = [], additionals: more = [] } = decode(bytes);
        return browsing?.heard([...heard, ...more]);
      }
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
      // Any host on the network may send packets that are no DNS.
    }
  }

  /** A sender in one of the link's own networks belongs to this interface. */
  #isNeighbour(from: string): boolean {
    const [address = "", scope] = from.split("%");
    if (scope !== undefined && scope !== this.#addresses.interface) return false;
    return this.#neighbours.check(address, this.#addresses.family === "IPv6" ? "ipv6" : "ipv4");
  }

  get #group(): string {
    return groups[this.#addresses.family];
  }

  #records(): Answer[] {
    return recordsOf(this.#options.announcement(), this.#addresses.served);
  }

  #send(bytes: Buffer, port: number = mdnsPort, address: string = this.#group): void {
    if (this.#isClosed) return;
    this.#socket.send(bytes, port, address, (error) => {
      if (error !== null) this.#options.logger.debug({ error }, "not sent to the network");
    });
  }

  /** The next check of the interfaces tries again. */
  #fail(error: Error): void {
    this.hasFailed = true;
    this.#onFailure(error);
  }
}
