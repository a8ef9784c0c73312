import { ByteReader } from "./zcl/bytes.ts";
import type { Header } from "./zcl/frame.ts";
import type { ReadRecord } from "./zcl/foundation.ts";
import type { Status } from "./zcl/status.ts";
import { status } from "./zcl/status.ts";
import type { DataType, Value } from "./zcl/types.ts";

/** An attribute of a cluster and what may be done with it. */
export interface AttributeSpec {
  readonly id: number;
  readonly type: DataType;
  readonly value: Value;
  readonly isWritable?: boolean;
  readonly isReportable?: boolean;
  /** Set for an attribute of a maker's own inside a standard cluster. */
  readonly manufacturer?: number;
  /** What reading it answers instead of its value, such as `writeOnly`. */
  readonly readStatus?: Status;
  /** What a write answers: values that it does not take. */
  readonly check?: (value: Value) => Status;
}

export interface Attribute extends Omit<AttributeSpec, "value" | "manufacturer"> {
  readonly manufacturer: number | null;
  value: Value;
}

/** A command of a cluster as it arrived. */
export interface Command {
  readonly header: Header;
  /** Of the coordinator. */
  readonly peerEndpoint: number;
  readonly group: number | null;
  /** To a group or to everybody: nobody answers those. */
  readonly isMany: boolean;
}

/** An answer by a command of the cluster. */
export interface Reply {
  readonly command: number;
  readonly payload: Uint8Array;
}

/**
 * What a command leads to: an answer; a status for the default response; `undefined` is success; null is no
 * answer at all.
 */
export type Outcome = Reply | Status | null | undefined;
export type Handler = (payload: ByteReader, command: Command) => Outcome;

/** What a cluster sends by itself. */
export interface OwnFrame {
  readonly command: number;
  readonly payload: Uint8Array;
  readonly isClusterSpecific?: boolean;
  readonly manufacturer?: number | null;
  /** By default none is wanted. */
  readonly wantsDefaultResponse?: boolean;
}

/** What a cluster can reach of the device around it. */
export interface Host {
  readonly endpoint: number;
  readonly isOnline: boolean;
  /** ms since the epoch. */
  now(): number;
  /** Calls back once; the returned function cancels. Never while the device is in no network. */
  after(ms: number, callback: () => void): () => void;
  /** To wherever the cluster is bound; to nobody if it is bound nowhere. */
  sendToBound(cluster: Cluster, frame: OwnFrame): void;
  /** To an endpoint of the coordinator. */
  sendTo(peerEndpoint: number, cluster: Cluster, frame: OwnFrame): void;
  /** Attributes have new values: reports that are due go out. */
  changed(cluster: Cluster, attributes: readonly Attribute[]): void;
  /** A server cluster of the same endpoint. */
  sibling(id: number): Cluster | undefined;
}

/** A device that has joined lets its announcement arrive before it says more, ms. */
export const settled = 1000;

export type Side = "server" | "client";

export interface Kind {
  readonly side?: Side;
  readonly manufacturer?: number | null;
  readonly reportsUnasked?: boolean;
}

/** A cluster of an endpoint: its attributes by name and what its commands do. Each behaviour is one of these. */
export class Cluster<Name extends string = string> {
  readonly id: number;
  readonly side: Side;
  /** Of a cluster that is a maker's own as a whole. */
  readonly manufacturer: number | null;
  /** It reports changes to the coordinator though nobody has bound or configured it, as some makers' do. */
  readonly reportsUnasked: boolean;
  readonly attributes: readonly Attribute[];
  readonly #byName: ReadonlyMap<string, Attribute>;
  readonly #commands: Map<string, Handler> = new Map();
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

  /** It has become part of a device. */
  attach(host: Host): void {
    this.#host = host;
  }

  /** The network and what it has set up is forgotten. */
  forget(): void {}

  /** A write from outside has been allowed. @param peerEndpoint of the coordinator. */
  write(attribute: Attribute, value: Value, _peerEndpoint: number): void {
    attribute.value = value;
    this.#host?.changed(this, [attribute]);
  }

  /** It can reach its network: after joining, and when its power is back. */
  online(): void {}

  /** The other side has answered a read of this cluster's. */
  learned(_records: readonly ReadRecord[]): void {}

  /** The device has power again: what it does then by its settings. */
  poweredOn(): void {}

  /** What a scene keeps of it (extension field set), of the clusters that are part of scenes. */
  sceneFields(): Uint8Array | undefined {
    return undefined;
  }

  recall(_fields: ByteReader, _transitionMs: number): void {}

  protected get host(): Host {
    if (!this.#host) throw new Error(`cluster 0x${this.id.toString(16)} is of no device`);
    return this.#host;
  }

  protected on(command: number, handler: Handler, manufacturer: number | null = this.manufacturer): void {
    this.#commands.set(`${manufacturer}/${command}`, handler);
  }

  /** Whether it has the attribute: some are there only in better models. */
  protected knows(name: Name): boolean {
    return this.#byName.has(name);
  }

  get(name: Name): Value {
    return this.#named(name).value;
  }

  /** The value of an attribute that holds a number that is known. */
  number(name: Name): number {
    const value = this.get(name);
    return typeof value === "number" ? value : 0;
  }

  /** Gives attributes new values; those of one call that are due are reported in one frame. */
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

  /** @returns undefined if the cluster knows no such command. */
  handler(command: number, manufacturer: number | null): Handler | undefined {
    return this.#commands.get(`${manufacturer}/${command}`);
  }

  #named(name: string): Attribute {
    const attribute = this.#byName.get(name);
    if (!attribute) throw new Error(`cluster 0x${this.id.toString(16)} has no ${name}`);
    return attribute;
  }
}

/** A bound is inclusive; null is no number. */
export function within(low: number, high: number): (value: Value) => Status {
  return (value) =>
    typeof value === "number" && value >= low && value <= high ? status.success : status.invalidValue;
}
