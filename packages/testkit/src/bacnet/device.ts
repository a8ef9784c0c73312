import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import type { BacnetObject } from "./object.ts";
import { objectType, property, Refusal, unknownObject, valuesOf } from "./object.ts";
import type { PropertyValue, Tag } from "./tags.ts";
import {
  closing,
  context,
  decodeValue,
  encodeValue,
  objectContent,
  opening,
  readTag,
  unsignedContent,
  unsignedIn,
} from "./tags.ts";

/** How a simulated device treats its peers. */
export interface BacnetBehaviour {
  silent?: boolean;
  /** Delays each answer (ms). */
  delayMs?: number;
  /** Rejects ReadPropertyMultiple, as small devices do. */
  withoutMultiple?: boolean;
  /** Refuses subscriptions. */
  withoutCov?: boolean;
  /** Aborts answers that have more bytes, as devices without segmentation do. */
  maxApdu?: number;
  /** Notifies with requests that want an acknowledgement. */
  confirmed?: boolean;
  /** Replaces an answer: none, or other bytes. */
  lie?: (answer: Buffer) => Buffer | undefined;
  /** Refuses writes with an error of this class and code. */
  refuseWrites?: readonly [errorClass: number, errorCode: number];
}

interface Subscription {
  readonly to: RemoteInfo;
  readonly process: number;
  readonly object: BacnetObject;
  readonly confirmed: boolean;
  readonly lifetime: number;
}

const untilMs = 30_000;

/**
 * A BACnet/IP device on a UDP socket, which shares no code with a library: Who-Is, ReadProperty,
 * ReadPropertyMultiple, WriteProperty, SubscribeCOV, and the part of a BBMD that a foreign device sees.
 */
export class BacnetDevice {
  readonly id: number;
  readonly objects: BacnetObject[];
  readonly behaviour: BacnetBehaviour = {};
  /** What was asked: the number of the service, confirmed ones as they are, unconfirmed ones negative. */
  readonly heard: number[] = [];
  /** Foreign devices that have registered: address and lifetime in seconds. */
  readonly foreign: { readonly address: string; readonly ttl: number }[] = [];
  readonly subscriptions: Subscription[] = [];
  /** The port of the peer that has spoken last. */
  lastPort = 0;
  #socket: Socket | undefined;
  #port = 0;
  #invoke = 0;
  #waits: (() => void)[] = [];

  constructor(id: number, objects: readonly BacnetObject[]) {
    this.id = id;
    this.objects = [...objects];
  }

  get port(): number {
    return this.#port;
  }

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** Listens, the second time at the port of the first. */
  async up(host = "127.0.0.1", port = this.#port): Promise<void> {
    const socket = createSocket("udp4");
    socket.on("message", (frame, from) => this.#receive(frame, from));
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      socket.bind(port, host, resolve);
    });
    this.#socket = socket;
    this.#port = socket.address().port;
  }

  /** Ends as a device does that loses power: it forgets its subscriptions. */
  async down(): Promise<void> {
    const socket = this.#socket;
    this.#socket = undefined;
    this.subscriptions.length = 0;
    if (socket !== undefined) await new Promise<void>((resolve) => socket.close(() => resolve()));
  }

  /**
   * Sends a request to a server on this machine. Resolves with the APDU of the next frame from there; undefined
   * when none comes within half a second.
   */
  async ask(port: number, apdu: readonly number[]): Promise<Buffer | undefined> {
    const frame = Buffer.from([0x81, 0x0a, 0, 0, 1, 4, ...apdu]);
    frame.writeUInt16BE(frame.length, 2);
    const { promise, resolve } = Promise.withResolvers<Buffer | undefined>();
    const take = (bytes: Buffer): void => resolve(bytes.subarray(6));
    this.#socket?.on("message", take);
    const timer = setTimeout(() => resolve(undefined), 500);
    this.#socket?.send(frame, port, "127.0.0.1");
    const answer = await promise;
    clearTimeout(timer);
    this.#socket?.off("message", take);
    return answer;
  }

  /**
   * Resolves when a request has arrived for which the condition holds; at once if it holds already.
   * @throws Error when none has after half a minute
   */
  async until(condition: () => boolean): Promise<void> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`never: ${condition.toString()}`)), untilMs);
    try {
      while (!condition())
        await Promise.race([late, new Promise<void>((resolve) => this.#waits.push(resolve))]);
    } finally {
      clearTimeout(timer);
    }
  }

  object(type: number, instance: number): BacnetObject {
    const found = this.objects.find((each) => each.type === type && each.instance === instance);
    if (found === undefined) throw unknownObject();
    return found;
  }

  /** Changes the present value and notifies the subscribers. */
  change(type: number, instance: number, value: PropertyValue, flags?: BacnetObject["flags"]): void {
    const object = this.object(type, instance);
    object.value = value;
    if (flags !== undefined) object.flags = flags;
    this.#notify(object);
  }

  #notify(object: BacnetObject): void {
    for (const each of this.subscriptions) if (each.object === object) this.#notifyOne(each);
  }

  #notifyOne({ to, process, object, confirmed, lifetime }: Subscription): void {
    const one = (number: number): Buffer =>
      Buffer.concat([
        context(0, unsignedContent(number)),
        opening(2),
        ...valuesOf(this, object, number).map(encodeValue),
        closing(2),
      ]);
    const content = Buffer.concat([
      context(0, unsignedContent(process)),
      context(1, objectContent(objectType.device, this.id)),
      context(2, objectContent(object.type, object.instance)),
      context(3, unsignedContent(lifetime)),
      opening(4),
      one(property.presentValue),
      one(property.statusFlags),
      closing(4),
    ]);
    this.#invoke = (this.#invoke + 1) % 256;
    const head = confirmed ? [0x00, 0x05, this.#invoke, 1] : [0x10, 2];
    this.#send(Buffer.concat([Buffer.from(head), content]), to, confirmed);
  }

  /** Says that it is there, unasked. */
  announce(port: number): void {
    this.#iAm({ address: "127.0.0.1", port, family: "IPv4", size: 0 });
  }

  #iAm(to: RemoteInfo): void {
    const content = Buffer.concat([
      encodeValue({ object: [objectType.device, this.id] }),
      encodeValue({ unsigned: this.behaviour.maxApdu ?? 1476 }),
      encodeValue({ enumerated: 3 }),
      encodeValue({ unsigned: 999 }),
    ]);
    this.#answer(Buffer.concat([Buffer.from([0x10, 0]), content]), to);
  }

  #receive(frame: Buffer, from: RemoteInfo): void {
    this.lastPort = from.port;
    if (frame[0] !== 0x81) return;
    if (frame[1] === 5) {
      this.foreign.push({ address: `${from.address}:${from.port}`, ttl: frame.readUInt16BE(4) });
      this.#socket?.send(Buffer.from([0x81, 0, 0, 6, 0, 0]), from.port, from.address);
      this.#wake();
      return;
    }
    // A destination network, such as all of them, with its address and a hop count.
    const route = ((frame[5] ?? 0) & 0x20) === 0 ? 0 : 4 + (frame[8] ?? 0);
    const apdu = frame.subarray(6 + route);
    try {
      if (apdu[0] === 0x10) this.#unconfirmed(apdu, from);
      else if (((apdu[0] ?? 0) & 0xf0) === 0) this.#confirmed(apdu, from);
    } finally {
      this.#wake();
    }
  }

  #wake(): void {
    for (const wake of this.#waits.splice(0)) wake();
  }

  #unconfirmed(apdu: Buffer, from: RemoteInfo): void {
    this.heard.push(-(apdu[1] ?? 0));
    if (apdu[1] !== 8) return;
    if (apdu.length > 2) {
      const low = readTag(apdu, 2);
      const high = readTag(apdu, low.next);
      if (this.id < unsignedIn(low.content) || this.id > unsignedIn(high.content)) return;
    }
    this.#iAm(from);
  }

  #confirmed(apdu: Buffer, from: RemoteInfo): void {
    const [, , invoke = 0, service = 0] = apdu;
    this.heard.push(service);
    const complex = (content: Buffer): Buffer =>
      Buffer.concat([Buffer.from([0x30, invoke, service]), content]);
    const limit = this.behaviour.maxApdu ?? 1476;
    try {
      const done = this.#perform(service, apdu.subarray(4), from);
      if (done === "reject") return this.#answer(Buffer.from([0x60, invoke, 9]), from);
      const answer = done === undefined ? Buffer.from([0x20, invoke, service]) : complex(done);
      this.#answer(answer.length > limit ? Buffer.from([0x71, invoke, 4]) : answer, from);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { errorClass, errorCode } = error;
      const head = Buffer.from([0x50, invoke, service]);
      const codes = [errorClass, errorCode].map((enumerated) => encodeValue({ enumerated }));
      this.#answer(Buffer.concat([head, ...codes]), from);
    }
    if (service === 5) {
      const latest = this.subscriptions.at(-1);
      if (latest !== undefined) this.#notifyOne(latest);
    }
  }

  /** Returns the content of a complex acknowledgement, nothing for a simple one. */
  #perform(service: number, content: Buffer, from: RemoteInfo): Buffer | undefined | "reject" {
    switch (service) {
      case 5:
        return this.#subscribe(content, from);
      case 12:
        return this.#read(content);
      case 14:
        return this.behaviour.withoutMultiple === true ? "reject" : this.#readMultiple(content);
      case 15:
        return this.#write(content);
      default:
        return "reject";
    }
  }

  #subscribe(content: Buffer, from: RemoteInfo): undefined {
    if (this.behaviour.withoutCov === true) throw new Refusal(5, 43);
    const tags = tagsIn(content);
    const process = unsignedIn(contentOf(tags, 0));
    const object = this.#objectIn(contentOf(tags, 1));
    const isSame = (each: Subscription): boolean =>
      each.process === process && each.object === object && each.to.port === from.port;
    const known = this.subscriptions.findIndex(isSame);
    if (known >= 0) this.subscriptions.splice(known, 1);
    const lifetime = tags.find(({ number }) => number === 3);
    if (lifetime === undefined) return;
    const confirmed = contentOf(tags, 2)[0] === 1;
    this.subscriptions.push({ to: from, process, object, confirmed, lifetime: unsignedIn(lifetime.content) });
  }

  #read(content: Buffer): Buffer {
    const tags = tagsIn(content);
    const number = unsignedIn(contentOf(tags, 1));
    const index = tags.find((tag) => tag.number === 2);
    const object = this.#objectIn(contentOf(tags, 0));
    const values = valuesOf(this, object, number, index && unsignedIn(index.content));
    return Buffer.concat([
      context(0, contentOf(tags, 0)),
      context(1, contentOf(tags, 1)),
      ...(index === undefined ? [] : [context(2, index.content)]),
      opening(3),
      ...values.map(encodeValue),
      closing(3),
    ]);
  }

  #readMultiple(content: Buffer): Buffer {
    const parts: Buffer[] = [];
    for (let offset = 0; offset < content.length;) {
      const id = readTag(content, offset);
      const begin = readTag(content, id.next);
      parts.push(context(0, id.content), opening(1));
      let tag = readTag(content, begin.next);
      while (tag.kind !== "closing") {
        const { content: number, next } = tag;
        const after = readTag(content, next);
        const index = after.kind === "context" && after.number === 1 ? after : undefined;
        parts.push(context(2, number), ...(index === undefined ? [] : [context(3, index.content)]));
        parts.push(this.#result(id.content, unsignedIn(number), index && unsignedIn(index.content)));
        tag = index === undefined ? after : readTag(content, index.next);
      }
      parts.push(closing(1));
      offset = tag.next;
    }
    return Buffer.concat(parts);
  }

  #result(id: Buffer, number: number, index: number | undefined): Buffer {
    try {
      const values = valuesOf(this, this.#objectIn(id), number, index);
      return Buffer.concat([opening(4), ...values.map(encodeValue), closing(4)]);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const codes = [error.errorClass, error.errorCode].map((enumerated) => encodeValue({ enumerated }));
      return Buffer.concat([opening(5), ...codes, closing(5)]);
    }
  }

  #write(content: Buffer): undefined {
    const tags = tagsIn(content);
    const object = this.#objectIn(contentOf(tags, 0));
    const { refuseWrites } = this.behaviour;
    if (refuseWrites !== undefined) throw new Refusal(...refuseWrites);
    if (unsignedIn(contentOf(tags, 1)) !== property.presentValue || object.priorities === undefined)
      throw new Refusal(2, 40);
    const at = tags.findIndex(({ kind }) => kind === "opening");
    const value = decodeValue(tags[at + 1] as Tag);
    const priority = tags.slice(at).find(({ kind, number }) => kind === "context" && number === 4);
    const slot = priority === undefined ? 16 : unsignedIn(priority.content);
    if (value === undefined) throw new Refusal(2, 9);
    if (value === "null") object.priorities.delete(slot);
    else object.priorities.set(slot, value);
    this.#notify(object);
  }

  #objectIn(content: Buffer): BacnetObject {
    const number = content.readUInt32BE();
    const type = Math.floor(number / 0x40_0000);
    const instance = number % 0x40_0000;
    if (type === objectType.device && (instance === this.id || instance === 0x3f_ffff))
      return { type, instance: this.id, name: `Device ${this.id}`, value: "null" };
    return this.object(type, instance);
  }

  #answer(apdu: Buffer, to: RemoteInfo): void {
    const { silent, delayMs, lie } = this.behaviour;
    if (silent === true) return;
    const answer = lie === undefined ? apdu : lie(apdu);
    if (answer === undefined) return;
    if (delayMs === undefined) this.#send(answer, to, false);
    else setTimeout(() => this.#send(answer, to, false), delayMs);
  }

  #send(apdu: Buffer, to: RemoteInfo, expectsReply: boolean): void {
    const length = apdu.length + 6;
    const head = [0x81, 0x0a, length >> 8, length & 255, 1, expectsReply ? 4 : 0];
    this.#socket?.send(Buffer.concat([Buffer.from(head), apdu]), to.port, to.address);
  }
}

function tagsIn(content: Buffer): readonly Tag[] {
  const tags: Tag[] = [];
  for (let offset = 0; offset < content.length;) {
    const tag = readTag(content, offset);
    tags.push(tag);
    offset = tag.next;
  }
  return tags;
}

function contentOf(tags: readonly Tag[], number: number): Buffer {
  const found = tags.find((tag) => tag.kind === "context" && tag.number === number);
  if (found === undefined) throw new Refusal(5, 0);
  return found.content;
}
