import type { LibraryValue } from "node-bacnet";
import type { Address } from "./address.ts";
import type { ObjectId, Value } from "./value.ts";

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

/** A change of an object of the hub, for a subscriber. */
export interface ServerNotification {
  readonly process: number;
  readonly deviceId: number;
  readonly object: ObjectId;
  /** Seconds that the subscription still lasts; 0: for ever. */
  readonly lifetime: number;
  readonly confirmed: boolean;
  readonly present: LibraryValue;
  readonly flags: LibraryValue;
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
