import { EventEmitter } from "node:events";
import Client, { type LibraryReceiver, type LibraryRequest, type LibraryResult } from "node-bacnet";
import type { Address } from "./address.ts";
import { receiverOf } from "./address.ts";
import { apduOctets, forbidSegments } from "./apdu.ts";
import type { DatalinkOptions } from "./datalink.ts";
import { Datalink } from "./datalink.ts";
import { Fault, libraryFault } from "./fault.ts";
import { sentApdu } from "./frame.ts";
import { Incoming } from "./incoming.ts";
import { Invocations } from "./invocations.ts";
import type { IAm, NetworkEvents, ReadRequest, ReadResult, ServerNotification } from "./messages.ts";
import type { ServerHandler } from "./responder.ts";
import { Responder, TooLong } from "./responder.ts";
import type { ObjectId, Value } from "./value.ts";
import { fromLibrary, toLibrary, valuesIn } from "./value.ts";

/** A request to the library, whose answer it passes to `next`. */
type Start<Answer> = (
  client: Client,
  invokeId: number,
  next: (error: Error | null | undefined, answer: Answer) => void,
) => void;

/** The properties of a notification. */
const notified = { presentValue: 85, statusFlags: 111 } as const;

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
  readonly #clock: DatalinkOptions["clock"];
  readonly #responder: Responder;
  readonly #incoming: Incoming;
  /** The most octets of the APDU that is being encoded. */
  #most = Infinity;
  #stopped = false;

  constructor(options: DatalinkOptions & { readonly timeoutMs: number }, events: NetworkEvents) {
    this.#events = events;
    this.#timeoutMs = options.timeoutMs;
    this.#clock = options.clock;
    this.#datalink = new Datalink(options, {
      opened: () => events.opened(),
      lost: (reason) => {
        this.#invocations.failAll(new Fault("closed", reason));
        events.lost(reason);
      },
      received: (frame, local, from) => this.#incoming.receive(frame, local, from),
    });
    this.#transport = Object.assign(new EventEmitter(), {
      open: () => this.#datalink.open(),
      close: () => {},
      getBroadcastAddress: () => options.broadcast,
      getMaxPayload: () => apduOctets,
      send: (buffer: Buffer, length: number, to: string | LibraryReceiver | null) =>
        this.#send(buffer, length, to),
    });
    // Requests end by our own timer, which also covers answers that the library cannot decode.
    this.#client = new Client({ transport: this.#transport, apduTimeout: options.timeoutMs });
    this.#client.on("covNotify", (request: LibraryRequest) => this.#changed(request));
    this.#client.on("covNotifyUnconfirmed", (request: LibraryRequest) => this.#changed(request));
    this.#client.on("iAm", (request: LibraryRequest) => this.#iAm(request));
    this.#client.on("unhandledEvent", () => {});
    this.#responder = new Responder({
      client: this.#client,
      within: (octets, encode) => this.#within(octets, encode),
      answer: (apdu, to) => this.#datalink.answer(apdu, to),
    });
    this.#incoming = new Incoming({
      invocations: this.#invocations,
      responder: this.#responder,
      answer: (apdu, to) => this.#datalink.answer(apdu, to),
      pass: (local, from) => void this.#transport.emit("message", local, from),
      failed: (reason) => events.failed(reason),
    });
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

  /** Answers requests of clients from now on; undefined: no longer. */
  serve(handler: ServerHandler | undefined, isInRange: Responder["isInRange"] = () => true): void {
    this.#responder.handler = handler;
    this.#responder.isInRange = isInRange;
  }

  /** Says that the hub is there: to all, or to one. */
  iAm(deviceId: number, segmentation: number, vendorId: number, to?: Address): void {
    const receiver = to === undefined ? { net: 0xffff } : receiverOf(to);
    this.#client.iAmResponse(receiver, deviceId, segmentation, vendorId);
  }

  /** Sends an APDU that the library cannot encode. */
  sendApdu(apdu: readonly number[], to: Address): void {
    this.#datalink.answer(apdu, to);
  }

  /** Notifies a subscriber. Resolves when it has acknowledged a confirmed notification. @throws Fault */
  async notify(
    to: Address,
    { process, deviceId, object, lifetime, confirmed: isConfirmed, present, flags }: ServerNotification,
    signal: AbortSignal,
  ): Promise<void> {
    const values = [
      { property: { id: notified.presentValue }, value: [present] },
      { property: { id: notified.statusFlags }, value: [flags] },
    ];
    const receiver = receiverOf(to);
    if (!isConfirmed)
      return this.#client.unconfirmedCOVNotification(
        receiver,
        process,
        deviceId,
        { ...object },
        lifetime,
        values,
      );
    await this.#request<undefined>(to, signal, (client, invokeId, next) =>
      client.confirmedCOVNotification(
        receiver,
        { ...object },
        process,
        deviceId,
        lifetime,
        values,
        { invokeId },
        next,
      ),
    );
    return undefined;
  }

  #within(octets: number, encode: () => void): void {
    this.#most = octets;
    try {
      encode();
    } finally {
      this.#most = Infinity;
    }
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
    const cancelTimer = this.#clock.after(this.#timeoutMs, () =>
      fail(new Fault("timeout", "the device does not answer")),
    );
    try {
      start(this.#client, id, (error, answer) => {
        this.#invocations.free(id);
        if (error) fail(libraryFault(error, invocation.refusal));
        else settle(answer);
      });
      return (await outcome) as Answer;
    } catch (error) {
      throw error instanceof Fault ? error : new Fault("garbled", (error as Error).message);
    } finally {
      cancelTimer();
      signal.removeEventListener("abort", cancel);
    }
  }

  /** @param receiver the library passes on what it was given, in some of its calls as an object. */
  #send(buffer: Buffer, length: number, receiver: string | LibraryReceiver | null): void {
    const to = typeof receiver === "string" ? receiver : receiver?.address;
    if (length > buffer.length) throw new TooLong("the answer does not fit into its buffer");
    const bytes = Buffer.from(buffer.subarray(0, length));
    if (sentApdu(bytes).length > this.#most) throw new TooLong("the client takes shorter answers");
    forbidSegments(sentApdu(bytes));
    this.#datalink.send(bytes, to);
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
