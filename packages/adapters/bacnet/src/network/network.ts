import { EventEmitter } from "node:events";
import Client, { type LibraryRequest, type LibraryResult } from "node-bacnet";
import type { Address } from "./address.ts";
import { receiverOf } from "./address.ts";
import type { Apdu } from "./apdu.ts";
import {
  abortApdu,
  abortReason,
  confirmed,
  forbidSegments,
  isAnswer,
  pdu,
  readApdu,
  rejectApdu,
  rejectReason,
} from "./apdu.ts";
import type { DatalinkOptions } from "./datalink.ts";
import { Datalink } from "./datalink.ts";
import { errorFault, Fault } from "./fault.ts";
import type { Frame } from "./frame.ts";
import { sentApdu } from "./frame.ts";
import { isKnown, isWellFormed } from "./grammar.ts";
import { Invocations } from "./invocations.ts";
import type { ObjectId, Value } from "./value.ts";
import { fromLibrary, toLibrary } from "./value.ts";

/** What a device says of itself. */
export interface IAm {
  readonly deviceId: number;
  readonly address: Address;
  readonly maxApdu: number;
  readonly vendorId: number;
}

/** A change of a value to which the hub has subscribed. */
export interface CovNotification {
  readonly from: Address;
  readonly deviceId: number;
  readonly process: number;
  readonly object: ObjectId;
  readonly values: ReadonlyMap<number, readonly Value[]>;
}

/** Properties to read of one object. */
export interface ReadRequest {
  readonly object: ObjectId;
  readonly properties: readonly number[];
}

/** The properties of one object that a device has; a refused property is missing. */
export interface ReadResult {
  readonly object: ObjectId;
  readonly values: ReadonlyMap<number, readonly Value[]>;
}

/** What a network tells its owner. */
export interface NetworkEvents {
  opened(): void;
  lost(reason: string): void;
  iAm(iAm: IAm): void;
  /** The library has failed on a frame that passed all checks. */
  failed(reason: string): void;
  /** @returns whether the hub has this subscription; a device is told to end another. */
  changed(notification: CovNotification): boolean;
}

/** A request to the library, whose answer it passes to `next`. */
type Start<Answer> = (
  client: Client,
  invokeId: number,
  next: (error: Error | null | undefined, answer: Answer) => void,
) => void;

/** The largest frame of BACnet/IP (ASHRAE 135, J.2): an APDU of 1476 octets behind BVLC and NPDU. */
const maxFrame = 1497;

/**
 * BACnet/IP as promises. node-bacnet encodes and decodes; what it trusts is checked before it sees it: the
 * sender of an answer, the form of every frame, and that nobody sends segments, which it cannot join.
 */
export class Network {
  readonly #datalink: Datalink;
  readonly #events: NetworkEvents;
  readonly #client: Client;
  readonly #transport: EventEmitter;
  readonly #invocations = new Invocations();
  readonly #timeoutMs: number;
  #stopped = false;

  constructor(options: DatalinkOptions & { readonly timeoutMs: number }, events: NetworkEvents) {
    this.#events = events;
    this.#timeoutMs = options.timeoutMs;
    this.#datalink = new Datalink(options, {
      opened: () => events.opened(),
      lost: (reason) => {
        this.#invocations.failAll(new Fault("closed", reason));
        events.lost(reason);
      },
      received: (frame, local, from) => this.#receive(frame, local, from),
    });
    this.#transport = Object.assign(new EventEmitter(), {
      open: () => this.#datalink.open(),
      close: () => {},
      getBroadcastAddress: () => options.broadcast,
      getMaxPayload: () => maxFrame,
      send: (buffer: Buffer, length: number, to: string | null) => this.#send(buffer, length, to),
    });
    // Requests end by our own timer, which also covers answers that the library cannot decode.
    this.#client = new Client({ transport: this.#transport, apduTimeout: options.timeoutMs });
    this.#client.on("covNotify", (request: LibraryRequest) => this.#changed(request));
    this.#client.on("covNotifyUnconfirmed", (request: LibraryRequest) => this.#changed(request));
    this.#client.on("iAm", (request: LibraryRequest) => this.#iAm(request));
    this.#client.on("unhandledEvent", () => {});
  }

  /** Resolves once the socket has opened, or could not. */
  get tried(): Promise<void> {
    return this.#datalink.tried;
  }

  get isOpen(): boolean {
    return this.#datalink.isOpen;
  }

  get port(): number {
    return this.#datalink.port;
  }

  get registered(): boolean | undefined {
    return this.#datalink.registered;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#invocations.failAll(new Fault("stopped", "the adapter has stopped"));
    await this.#datalink.close();
  }

  /** Asks who is there: all devices, those in a range, or those at an address. */
  whoIs(range?: readonly [low: number, high: number], address?: Address): void {
    const [lowLimit, highLimit] = range ?? [];
    const options = lowLimit === undefined || highLimit === undefined ? {} : { lowLimit, highLimit };
    // Network 65535 stands for all networks behind all routers.
    this.#client.whoIs(address === undefined ? { net: 0xffff } : receiverOf(address), options);
  }

  /** @throws Fault */
  async readProperty(
    address: Address,
    object: ObjectId,
    property: number,
    signal: AbortSignal,
    index?: number,
  ): Promise<readonly Value[]> {
    const answer = await this.#request<{ values: { type: number; value: unknown }[] }>(
      address,
      signal,
      (client, invokeId, next) =>
        client.readProperty(
          receiverOf(address),
          { ...object },
          property,
          { invokeId, ...(index !== undefined && { arrayIndex: index }) },
          next,
        ),
    );
    return answer.values.map(fromLibrary);
  }

  /** @throws Fault */
  async readMultiple(
    address: Address,
    requests: readonly ReadRequest[],
    signal: AbortSignal,
  ): Promise<readonly ReadResult[]> {
    const wanted = requests.map(({ object, properties }) => ({
      objectId: { ...object },
      properties: properties.map((id) => ({ id })),
    }));
    const answer = await this.#request<{
      values: ({ objectId: ObjectId; values: LibraryResult[] } | undefined)[];
    }>(address, signal, (client, invokeId, next) =>
      client.readPropertyMultiple(receiverOf(address), wanted, { invokeId }, next),
    );
    return answer.values.map((result) => {
      if (result === undefined) throw new Fault("garbled", "the answer cannot be read");
      return { object: result.objectId, values: valuesIn(result.values) };
    });
  }

  /** @param priority 1 to 16; undefined for an object without priorities. @throws Fault */
  async writeProperty(
    address: Address,
    object: ObjectId,
    property: number,
    value: Value,
    priority: number | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#request<undefined>(address, signal, (client, invokeId, next) =>
      client.writeProperty(
        receiverOf(address),
        { ...object },
        property,
        [toLibrary(value)],
        { invokeId, ...(priority !== undefined && { priority }) },
        next,
      ),
    );
  }

  /** @param lifetimeS undefined ends the subscription. @throws Fault */
  async subscribe(
    address: Address,
    object: ObjectId,
    process: number,
    lifetimeS: number | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#request<undefined>(address, signal, (client, invokeId, next) =>
      client.subscribeCov(
        receiverOf(address),
        { ...object },
        process,
        lifetimeS === undefined,
        false,
        lifetimeS ?? 0,
        { invokeId },
        next,
      ),
    );
  }

  async #request<Answer>(address: Address, signal: AbortSignal, start: Start<Answer>): Promise<Answer> {
    if (this.#stopped) throw new Fault("stopped", "the adapter has stopped");
    if (signal.aborted) throw new Fault("cancelled", "nobody waits for the answer");
    if (!this.isOpen) throw new Fault("closed", "the UDP socket is not open");
    const invocation = this.#invocations.take(address);
    if (invocation === undefined) throw new Fault("timeout", "too many requests are pending");
    const { id, outcome, settle, fail } = invocation;
    const cancel = (): void => fail(new Fault("cancelled", "nobody waits for the answer"));
    signal.addEventListener("abort", cancel, { once: true });
    const timer = setTimeout(() => fail(new Fault("timeout", "the device does not answer")), this.#timeoutMs);
    try {
      start(this.#client, id, (error, answer) => {
        this.#invocations.free(id);
        if (error) fail(faultOf(error, invocation.refusal));
        else settle(answer);
      });
      return (await outcome) as Answer;
    } catch (error) {
      throw error instanceof Fault ? error : new Fault("garbled", (error as Error).message);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
    }
  }

  #send(buffer: Buffer, length: number, to: string | null): void {
    const bytes = Buffer.from(buffer.subarray(0, length));
    forbidSegments(sentApdu(bytes));
    this.#datalink.send(bytes, to ?? undefined);
  }

  #receive(frame: Frame, local: Buffer, from: Address): void {
    const apdu = readApdu(frame.apdu);
    if (apdu === undefined) return;
    const { kind, invokeId, service, segmented, content } = apdu;
    if (isAnswer(apdu)) return this.#answered(apdu, local, from);
    if (kind === pdu.segmentAck) return;
    const isRequest = kind === pdu.confirmed;
    if (isRequest && segmented)
      return this.#datalink.answer(abortApdu(invokeId, abortReason.segmentationNotSupported, true), from);
    const known = isKnown(kind, service) && (!isRequest || service === confirmed.covNotification);
    if (isRequest && !known)
      return this.#datalink.answer(rejectApdu(invokeId, rejectReason.unrecognizedService), from);
    if (!known) return;
    if (isWellFormed(kind, service, content)) this.#emit(local, from);
    else if (isRequest) this.#datalink.answer(rejectApdu(invokeId, rejectReason.invalidTag), from);
  }

  #answered(apdu: Apdu, local: Buffer, from: Address): void {
    const { kind, invokeId, service, segmented, content } = apdu;
    const pending = this.#invocations.find(invokeId, from);
    // Late answers, and answers of others: numbers of requests repeat.
    if (pending === undefined) return;
    if (segmented) {
      this.#datalink.answer(abortApdu(invokeId, abortReason.segmentationNotSupported, false), from);
      return pending.fail(
        new Fault("abort", "the device answers in segments", abortReason.segmentationNotSupported),
      );
    }
    if (!isWellFormed(kind, service, content))
      return pending.fail(new Fault("garbled", "the answer is malformed"));
    if (kind === pdu.reject) pending.refusal = "reject";
    if (kind === pdu.abort) pending.refusal = "abort";
    if (this.#emit(local, from)) return undefined;
    this.#invocations.free(invokeId);
    return pending.fail(new Fault("garbled", "the answer cannot be read"));
  }

  /** Returns false when the library fails on a frame. */
  #emit(local: Buffer, from: Address): boolean {
    try {
      this.#transport.emit("message", local, from);
      return true;
    } catch (error) {
      this.#events.failed((error as Error).message);
      return false;
    }
  }

  #iAm({ header, payload }: LibraryRequest): void {
    const { deviceId, maxApdu, vendorId } = payload as Omit<IAm, "address">;
    this.#events.iAm({ deviceId, maxApdu, vendorId, address: header.sender.address });
  }

  #changed({ header, payload, service = 0, invokeId = 0 }: LibraryRequest): void {
    const from = header.sender.address;
    const { subscriberProcessId, initiatingDeviceId, monitoredObjectId, values } = payload as {
      subscriberProcessId: number;
      initiatingDeviceId: ObjectId;
      monitoredObjectId: ObjectId;
      values: { property: { id: number }; value: { type: number; value: unknown }[] }[];
    };
    const isWanted = this.#events.changed({
      from,
      deviceId: initiatingDeviceId.instance,
      process: subscriberProcessId,
      object: monitoredObjectId,
      values: new Map(values.map(({ property, value }) => [property.id, value.map(fromLibrary)])),
    });
    if (!header.confirmedService) return;
    const receiver = receiverOf(from);
    // An error tells the device that this subscription is one that the hub has lost.
    if (isWanted) this.#client.simpleAckResponse(receiver, service, invokeId);
    else this.#client.errorResponse(receiver, service, invokeId, 5, 29);
  }
}

function valuesIn(results: readonly LibraryResult[]): ReadonlyMap<number, readonly Value[]> {
  const good = results.filter(({ value }) => value.every(({ type }) => type !== 105));
  return new Map(good.map(({ id, value }) => [id, value.map(fromLibrary)]));
}

interface LibraryError extends Error {
  readonly bacnetErrorClass?: number;
  readonly bacnetErrorCode?: number;
  readonly bacnetAbortReason?: number;
}

function faultOf(error: LibraryError, refusal: "reject" | "abort" | undefined): Fault {
  const { bacnetErrorClass, bacnetErrorCode, bacnetAbortReason: reason } = error;
  if (bacnetErrorCode !== undefined) return errorFault(bacnetErrorClass ?? 0, bacnetErrorCode);
  if (reason !== undefined) {
    const kind = refusal ?? "abort";
    return new Fault(kind, `the device ${kind}s the request: reason ${reason}`, reason);
  }
  return error.message === "ERR_TIMEOUT"
    ? new Fault("timeout", "the device does not answer")
    : new Fault("garbled", "the answer cannot be read");
}
