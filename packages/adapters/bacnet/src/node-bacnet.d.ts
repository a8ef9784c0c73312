/** The part of node-bacnet 0.2.4 that is used; the package has no types. */
declare module "node-bacnet" {
  import type { EventEmitter } from "node:events";

  export interface LibraryObjectId {
    type: number;
    instance: number;
  }
  export interface LibraryValue {
    type: number;
    value: unknown;
  }
  export interface LibraryProperty {
    id: number;
    index?: number;
  }
  export interface LibraryResult {
    id: number;
    index: number;
    value: LibraryValue[];
  }
  /** A receiver: `net` and `adr` when it is behind a router. */
  export interface LibraryReceiver {
    address?: string;
    net?: number;
    adr?: number[];
  }
  export interface LibraryRequest {
    invokeId?: number;
    service?: number;
    /** The number of the length of an answer that the client takes. */
    maxApdu?: number;
    header: { sender: { address: string }; confirmedService: boolean; expectingReply: boolean };
    payload: unknown;
  }
  type Next<Answer> = (error: Error | null | undefined, answer: Answer) => void;
  interface Options {
    invokeId?: number;
    arrayIndex?: number;
    priority?: number;
  }

  export default class Client extends EventEmitter {
    constructor(options: { transport: EventEmitter; apduTimeout: number });
    whoIs(receiver: LibraryReceiver | undefined, options: { lowLimit?: number; highLimit?: number }): void;
    readProperty(
      receiver: LibraryReceiver,
      objectId: LibraryObjectId,
      property: number,
      options: Options,
      next: Next<{ values: LibraryValue[] }>,
    ): void;
    readPropertyMultiple(
      receiver: LibraryReceiver,
      properties: { objectId: LibraryObjectId; properties: LibraryProperty[] }[],
      options: Options,
      next: Next<{ values: ({ objectId: LibraryObjectId; values: LibraryResult[] } | undefined)[] }>,
    ): void;
    writeProperty(
      receiver: LibraryReceiver,
      objectId: LibraryObjectId,
      property: number,
      values: LibraryValue[],
      options: Options,
      next: Next<undefined>,
    ): void;
    subscribeCov(
      receiver: LibraryReceiver,
      objectId: LibraryObjectId,
      process: number,
      cancel: boolean,
      confirmed: boolean,
      lifetime: number,
      options: Options,
      next: Next<undefined>,
    ): void;
    simpleAckResponse(receiver: LibraryReceiver, service: number, invokeId: number): void;
    errorResponse(
      receiver: LibraryReceiver,
      service: number,
      invokeId: number,
      errorClass: number,
      errorCode: number,
    ): void;
    readPropertyResponse(
      receiver: LibraryReceiver,
      invokeId: number,
      objectId: LibraryObjectId,
      property: LibraryProperty,
      value: LibraryValue[],
    ): void;
    readPropertyMultipleResponse(receiver: LibraryReceiver, invokeId: number, values: object[]): void;
    iAmResponse(
      receiver: LibraryReceiver | undefined,
      deviceId: number,
      segmentation: number,
      vendorId: number,
    ): void;
    confirmedCOVNotification(
      receiver: LibraryReceiver,
      object: LibraryObjectId,
      process: number,
      deviceId: number,
      lifetime: number,
      values: { property: LibraryProperty; value: LibraryValue[] }[],
      options: Options,
      next: Next<undefined>,
    ): void;
    unconfirmedCOVNotification(
      receiver: LibraryReceiver,
      process: number,
      deviceId: number,
      object: LibraryObjectId,
      lifetime: number,
      values: { property: LibraryProperty; value: LibraryValue[] }[],
    ): void;
    close(): void;
  }
}
