import { ByteReader, Truncated } from "./zcl/bytes.ts";
import type { Header } from "./zcl/frame.ts";
import type { ReadRecord } from "./zcl/foundation.ts";
import type { Status } from "./zcl/status.ts";
import { status } from "./zcl/status.ts";
import type { DataType, Value } from "./zcl/types.ts";
import { readValue } from "./zcl/types.ts";

/** An attribute of a cluster and how it can be accessed. */
export interface AttributeSpec {
  readonly id: number;
  readonly type: DataType;
  readonly value: Value;
  readonly isWritable?: boolean;
  readonly isReportable?: boolean;
  /** Set for a manufacturer-specific attribute in a standard cluster. */
  readonly manufacturer?: number;
  /** The status of a read that returns no value, such as `writeOnly`. */
  readonly readStatus?: Status;
  /** Returns the status of a write, to refuse values. */
  readonly check?: (value: Value) => Status;
}

export interface Attribute extends Omit<AttributeSpec, "value" | "manufacturer"> {
  readonly manufacturer: number | null;
  value: Value;
}

/** A received command of a cluster. */
export interface Command {
  readonly header: Header;
  /** Endpoint of the coordinator. */
  readonly peerEndpoint: number;
  readonly group: number | null;
  /** Whether it is a group or broadcast command, which is not answered. */
  readonly isMany: boolean;
}

/** An answer by a command of the cluster. */
export interface Reply {
  readonly command: number;
  readonly payload: Uint8Array;
}

/**
 * The result of a command: an answer; a status for the default response; `undefined` for success; null for no
 * answer at all.
 */
export type Outcome = Reply | Status | null | undefined;
export type Handler = (payload: ByteReader, command: Command) => Outcome;

/** A frame that a cluster sends on its own. */
export interface OwnFrame {
  readonly command: number;
  readonly payload: Uint8Array;
  readonly isClusterSpecific?: boolean;
  readonly manufacturer?: number | null;
  /** False by default. */
  readonly wantsDefaultResponse?: boolean;
}

/** The interface of a cluster to its device. */
export interface Host {
  readonly endpoint: number;
  readonly isOnline: boolean;
  /** ms since the epoch. */
  now(): number;
  /** Calls back once. Returns a function that cancels. Never calls back while the device is in no network. */
  after(ms: number, callback: () => void): () => void;
  /** Sends to everything that the cluster is bound to. */
  sendToBound(cluster: Cluster, frame: OwnFrame): void;
  /** Sends to an endpoint of the coordinator. */
  sendTo(peerEndpoint: number, cluster: Cluster, frame: OwnFrame): void;
  /** Announces new values of attributes, so that due reports are sent. */
  changed(cluster: Cluster, attributes: readonly Attribute[]): void;
  /** Returns a server cluster of the same endpoint. */
  sibling(id: number): Cluster | undefined;
}

/** How long (ms) a device that has joined waits, so that its announcement arrives first. */
export const settled = 1000;

export type Side = "server" | "client";

/** The fields of a command; the optional ones are present together or not at all. */
interface Fields {
  readonly fields: readonly DataType[];
  readonly optional: readonly DataType[];
}

export interface Kind {
  readonly side?: Side;
  readonly manufacturer?: number | null;
  readonly reportsUnasked?: boolean;
}

/**
 * A cluster of an endpoint, with its attributes by name and the behaviour of its commands. Each behaviour is a
 * subclass.
 */
export class Cluster<Name extends string = string> {
  readonly id: number;
  readonly side: Side;
  /** Set for a manufacturer-specific cluster. */
  readonly manufacturer: number | null;
  /** Whether it reports changes to the coordinator without binding or configuration, as devices of some makers do. */
  readonly reportsUnasked: boolean;
  readonly attributes: readonly Attribute[];
  readonly #byName: ReadonlyMap<string, Attribute>;
  readonly #commands: Map<string, Handler> = new Map();
  readonly #fields: Map<number, Fields> = new Map();
  #host: Host | undefined;

  constructor(
    id: number,
    attributes: Readonly<Record<Name, AttributeSpec>>,
    { side = "server", manufacturer = null, reportsUnasked = false }: Kind = {},
  ) {
    this.id = id;
    this.side = side;
    this.manufacturer = manufacturer;
    this.reportsUnasked = reportsUnasked;
    const rows = Object.entries<AttributeSpec>(attributes);
    this.#byName = new Map(
      rows.map(([name, spec]) => [name, { ...spec, manufacturer: spec.manufacturer ?? manufacturer }]),
    );
    this.attributes = [...this.#byName.values()].toSorted((a, b) => a.id - b.id);
  }

  /** Called when it becomes part of a device. */
  attach(host: Host): void {
    this.#host = host;
  }

  /** Called when the device forgets the network and its settings. */
  forget(): void {}

  /**
   * Carries out a permitted write from outside.
   * @param peerEndpoint of the coordinator.
   */
  write(attribute: Attribute, value: Value, _peerEndpoint: number): void {
    attribute.value = value;
    this.#host?.changed(this, [attribute]);
  }

  /** Called when it can reach its network: after joining, and when its power returns. */
  online(): void {}

  /** Called when the other side has answered a read of this cluster. */
  learned(_records: readonly ReadRecord[]): void {}

  /** Called when the device has power again, to apply its settings for that. */
  poweredOn(): void {}

  /** Returns its part of a scene (extension field set), if its kind is part of scenes. */
  sceneFields(): Uint8Array | undefined {
    return undefined;
  }

  recall(_fields: ByteReader, _transitionMs: number): void {}

  protected get host(): Host {
    if (!this.#host) throw new Error(`cluster 0x${this.id.toString(16)} belongs to no device`);
    return this.#host;
  }

  protected on(command: number, handler: Handler, manufacturer: number | null = this.manufacturer): void {
    this.#commands.set(`${manufacturer}/${command}`, handler);
  }

  /** Declares the fields of a standard command: a frame with fewer or more octets is malformed. */
  protected takes(command: number, fields: readonly DataType[], optional: readonly DataType[] = []): void {
    this.#fields.set(command, { fields, optional });
  }

  /** Whether it has the attribute. Some attributes exist only in better models. */
  protected knows(name: Name): boolean {
    return this.#byName.has(name);
  }

  get(name: Name): Value {
    return this.#named(name).value;
  }

  /** Returns the value of an attribute that holds a known number. */
  number(name: Name): number {
    const value = this.get(name);
    return typeof value === "number" ? value : 0;
  }

  /** Sets attributes. Due reports of one call go out in one frame. */
  set(values: Partial<Record<Name, Value>>): void {
    const changed: Attribute[] = [];
    for (const [name, value] of Object.entries<Value | undefined>(values)) {
      const attribute = this.#named(name);
      if (value === undefined || attribute.value === value) continue;
      attribute.value = value;
      changed.push(attribute);
    }
    if (changed.length > 0) this.#host?.changed(this, changed);
  }

  attribute(id: number, manufacturer: number | null): Attribute | undefined {
    return this.attributes.find((one) => one.id === id && one.manufacturer === manufacturer);
  }

  /** @returns undefined if the cluster does not know the command. */
  handler(command: number, manufacturer: number | null): Handler | undefined {
    return this.#commands.get(`${manufacturer}/${command}`);
  }

  /** Whether a payload has exactly the declared fields of a standard command; true for undeclared ones. */
  fits(command: number, payload: Uint8Array): boolean {
    const declared = this.#fields.get(command);
    if (declared === undefined) return true;
    const from = new ByteReader(payload);
    try {
      for (const type of declared.fields) readValue(from, type);
      if (from.remaining > 0) for (const type of declared.optional) readValue(from, type);
    } catch (error) {
      if (error instanceof Truncated) return false;
      throw error;
    }
    return from.remaining === 0;
  }

  #named(name: string): Attribute {
    const attribute = this.#byName.get(name);
    if (!attribute) throw new Error(`cluster 0x${this.id.toString(16)} has no ${name}`);
    return attribute;
  }
}

/** Checks that a number is within inclusive bounds. Refuses null. */
export function within(low: number, high: number): (value: Value) => Status {
  return (value) =>
    typeof value === "number" && value >= low && value <= high ? status.success : status.invalidValue;
}
