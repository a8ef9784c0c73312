import type Client from "node-bacnet";
import type { LibraryRequest, LibraryValue } from "node-bacnet";
import type { Address } from "./address.ts";
import { receiverOf } from "./address.ts";
import { abortApdu, abortReason, apduOctets } from "./apdu.ts";
import type { ObjectId } from "./value.ts";

/** One part of an array; undefined: all of the property. */
export interface PropertyReference {
  readonly id: number;
  readonly index: number | undefined;
}

/** A request of a client to the hub's own objects. */
export type ServerRequest =
  | { readonly type: "read"; readonly object: ObjectId; readonly property: PropertyReference }
  | {
      readonly type: "readMultiple";
      readonly requests: readonly {
        readonly object: ObjectId;
        readonly properties: readonly PropertyReference[];
      }[];
    }
  | {
      readonly type: "write";
      readonly object: ObjectId;
      readonly property: PropertyReference;
      readonly values: readonly LibraryValue[];
      readonly priority: number;
    }
  | {
      readonly type: "subscribe";
      readonly process: number;
      readonly object: ObjectId;
      readonly confirmed: boolean;
      /** Seconds; 0 for ever; undefined ends the subscription. */
      readonly lifetime: number | undefined;
    };

/** A refusal (ASHRAE 135, 18). */
export interface ServerError {
  readonly errorClass: number;
  readonly errorCode: number;
}

/** The properties of one object that a client has asked for. */
export interface ServerResult {
  readonly object: ObjectId;
  readonly values: readonly {
    readonly property: PropertyReference;
    readonly value: readonly LibraryValue[] | ServerError;
  }[];
}

/** What the hub answers to a request. */
export type ServerAnswer =
  | { readonly type: "done" }
  | { readonly type: "values"; readonly values: readonly LibraryValue[] }
  | { readonly type: "results"; readonly results: readonly ServerResult[] }
  /** More than the client takes. */
  | { readonly type: "tooLong" }
  | ({ readonly type: "error" } & ServerError);

/** Takes requests of clients. */
export interface ServerHandler {
  /** @param octets the most of an APDU that the client takes */
  asked(request: ServerRequest, from: Address, octets: number): ServerAnswer | Promise<ServerAnswer>;
  whoIs(low: number | undefined, high: number | undefined, from: Address): void;
  whoHas(wanted: { readonly object?: ObjectId; readonly name?: string }, from: Address): void;
  timeSynchronized(at: Date, isUtc: boolean, from: Address): void;
}

const all = 0xffff_ffff;
/** The octets of an APDU that a client takes, by the number in its request (20.1.2.5). */
const apduSizes = [50, 128, 206, 480, 1024, apduOctets];

/** Thrown where an answer does not fit into one APDU. */
export class TooLong extends Error {}

/** What the responder needs of its network. */
export interface ResponderLink {
  readonly client: Client;
  /** Runs an encoder whose APDU may have this many octets. @throws TooLong */
  readonly within: (octets: number, encode: () => void) => void;
  answer(apdu: readonly number[], to: Address): void;
}

/** Answers requests of BACnet clients through the library. */
export class Responder {
  readonly #link: ResponderLink;
  handler: ServerHandler | undefined;
  /** Whether the library has passed on the request that it was given last. */
  passedOn = false;

  constructor(link: ResponderLink) {
    this.#link = link;
    const { client } = link;
    const on = (name: string, read: (payload: Fields) => ServerRequest): void => {
      client.on(name, (request: LibraryRequest) => {
        this.passedOn = true;
        void this.#take(request, read(request.payload as Fields));
      });
    };
    on("readProperty", ({ objectId, property }) => ({
      type: "read",
      object: objectId as ObjectId,
      property: referenceOf(property),
    }));
    on("readPropertyMultiple", ({ properties }) => ({
      type: "readMultiple",
      requests: (properties as { objectId: ObjectId; properties: unknown[] }[]).map((each) => ({
        object: each.objectId,
        properties: each.properties.map(referenceOf),
      })),
    }));
    on("writeProperty", ({ objectId, value }) => {
      const written = value as { property: unknown; value: LibraryValue[]; priority: number };
      const { priority, value: values } = written;
      return {
        type: "write",
        object: objectId as ObjectId,
        property: referenceOf(written.property),
        values,
        priority,
      };
    });
    on("subscribeCov", (payload) => ({
      type: "subscribe",
      process: payload["subscriberProcessId"] as number,
      object: payload["monitoredObjectId"] as ObjectId,
      confirmed: payload["issueConfirmedNotifications"] === true,
      lifetime: payload["cancellationRequest"] === true ? undefined : (payload["lifetime"] as number),
    }));
    client.on("whoIs", ({ payload, header }: LibraryRequest) => {
      const { lowLimit, highLimit } = payload as { lowLimit?: number; highLimit?: number };
      this.handler?.whoIs(lowLimit, highLimit, header.sender.address);
    });
    client.on("whoHas", ({ payload, header }: LibraryRequest) => {
      const { lowLimit, highLimit, objectId, objectName } = payload as WhoHas;
      const inRange = { lowLimit, highLimit };
      if (objectId !== undefined) this.#whoHas(inRange, { object: objectId }, header.sender.address);
      else if (objectName !== undefined) this.#whoHas(inRange, { name: objectName }, header.sender.address);
    });
  }

  /** The range of devices that are asked; set by the handler's identity. */
  isInRange: (low: number | undefined, high: number | undefined) => boolean = () => true;

  #whoHas(
    { lowLimit, highLimit }: Pick<WhoHas, "lowLimit" | "highLimit">,
    wanted: { readonly object?: ObjectId; readonly name?: string },
    from: Address,
  ): void {
    if (this.isInRange(lowLimit, highLimit)) this.handler?.whoHas(wanted, from);
  }

  async #take(
    { header, invokeId = 0, service = 0, maxApdu = 5 }: LibraryRequest,
    request: ServerRequest,
  ): Promise<void> {
    const from = header.sender.address;
    const octets = apduSizes[maxApdu] ?? apduOctets;
    const answer = (await this.handler?.asked(request, from, octets)) ?? {
      type: "error",
      errorClass: 5,
      errorCode: 29,
    };
    const { client, within } = this.#link;
    const to = receiverOf(from);
    try {
      within(octets, () => {
        if (answer.type === "tooLong") throw new TooLong("the client takes shorter answers");
        if (answer.type === "done") client.simpleAckResponse(to, service, invokeId);
        else if (answer.type === "error")
          client.errorResponse(to, service, invokeId, answer.errorClass, answer.errorCode);
        else if (answer.type === "results")
          client.readPropertyMultipleResponse(to, invokeId, answer.results.map(toLibraryResult));
        else if (request.type === "read")
          client.readPropertyResponse(
            to,
            invokeId,
            { ...request.object },
            libraryReference(request.property),
            [...answer.values],
          );
      });
    } catch (error) {
      if (!(error instanceof TooLong) && !(error instanceof RangeError)) throw error;
      // The hub does not send segments.
      this.#link.answer(abortApdu(invokeId, abortReason.segmentationNotSupported, true), from);
    }
  }
}

type Fields = Readonly<Record<string, unknown>>;
interface WhoHas {
  readonly lowLimit?: number | undefined;
  readonly highLimit?: number | undefined;
  readonly objectId?: ObjectId;
  readonly objectName?: string;
}

function referenceOf(property: unknown): PropertyReference {
  const { id, index } = property as { id: number; index: number };
  return { id, index: index === all ? undefined : index };
}

function libraryReference({ id, index }: PropertyReference): { id: number; index: number } {
  return { id, index: index ?? all };
}

function toLibraryResult({ object, values }: ServerResult): object {
  return {
    objectId: { ...object },
    values: values.map(({ property, value }) => ({
      property: libraryReference(property),
      value: "errorCode" in value ? [{ value: { type: "BacnetError", ...value } }] : value,
    })),
  };
}
