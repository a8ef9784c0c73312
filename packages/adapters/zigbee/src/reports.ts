import type { AdapterClock, AdapterHost, NativeId } from "@ledge/port";
import type { Events, Models } from "zigbee-herdsman";
import { attributesOf, propertiesOf } from "./map/index.ts";
import type { AttributeValues, Message } from "./map/index.ts";
import type { Node } from "./nodes.ts";

/** A frame that arrives again within this time is the same: its sender has missed the acknowledgement. */
const repeatMs = 1000;
/** A device that says nothing of interest is still alive. */
const seenMs = 60_000;
/** Repetitions are looked for among so many frames. */
const framesKept = 256;

/** A message of the library's, as far as it is of interest here. */
export interface Arrival extends Pick<Events.MessagePayload, "cluster" | "type" | "data"> {
  readonly endpoint: Pick<Models.Endpoint, "ID">;
  readonly meta: Pick<Events.MessagePayload["meta"], "rawData">;
}

/** What devices say, on its way to the hub: each transmission once, in the hub's words. */
export class Reports {
  readonly #clock: AdapterClock;
  readonly #report: AdapterHost["report"];
  readonly #frames = new Map<string, number>();
  readonly #seen = new Map<NativeId, number>();
  readonly #listeners = new Map<NativeId, Set<(attributes: AttributeValues) => void>>();

  constructor({ clock, report }: Pick<AdapterHost, "clock" | "report">) {
    this.#clock = clock;
    this.#report = report;
  }

  /** A message has arrived. */
  take(node: Node, arrival: Arrival): void {
    if (this.#isRepeated(node, arrival)) return;
    const message = messageOf(arrival);
    // The converters' own type of messages knows each cluster for itself.
    const properties = node.model?.read(arrival as Parameters<NonNullable<Node["model"]>["read"]>[0]) ?? {};
    node.properties = { ...node.properties, ...properties };
    for (const unit of node.units)
      this.report(
        node,
        unit.native,
        attributesOf(unit, message, node.valuesOf(unit), properties, node.toldOf(unit)),
      );
    for (const native of node.kept.keys()) this.#seenNow(native);
  }

  /** The converters of a node's model have said something by themselves, or of what it was told. */
  says(node: Node, properties: Readonly<Record<string, unknown>>): void {
    node.properties = { ...node.properties, ...properties };
    for (const unit of node.units)
      this.report(node, unit.native, propertiesOf(unit, properties, node.valuesOf(unit), node.toldOf(unit)));
  }

  /** Says what a unit's attributes are; of one that the hub does not have it is kept for later. */
  report(node: Node, native: NativeId, attributes: AttributeValues): void {
    if (Object.keys(attributes).length === 0) return;
    node.note(native, attributes);
    for (const listener of this.#listeners.get(native) ?? []) listener(attributes);
    if (!node.kept.has(native)) return;
    this.#seen.set(native, this.#clock.now());
    this.#report({ native, attributes });
  }

  /** Calls back with what a unit says from now on; the returned function ends that. */
  listen(native: NativeId, listener: (attributes: AttributeValues) => void): () => void {
    const listeners = this.#listeners.get(native) ?? new Set();
    this.#listeners.set(native, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(native) === listeners) this.#listeners.delete(native);
    };
  }

  forget(native: NativeId): void {
    this.#seen.delete(native);
  }

  /** The whole frame has to be the same, its sequence number included: two presses differ in nothing else. */
  #isRepeated({ ieee }: Node, { endpoint, cluster, meta }: Arrival): boolean {
    const now = this.#clock.now();
    const key = `${ieee}/${endpoint.ID}/${cluster} ${meta.rawData.toString("latin1")}`;
    const at = this.#frames.get(key);
    this.#frames.delete(key);
    this.#frames.set(key, now);
    for (const oldest of this.#frames.keys()) {
      if (this.#frames.size <= framesKept) break;
      this.#frames.delete(oldest);
    }
    return at !== undefined && now >= at && now - at < repeatMs;
  }

  #seenNow(native: NativeId): void {
    const now = this.#clock.now();
    const seen = this.#seen.get(native);
    if (seen !== undefined && now >= seen && now - seen < seenMs) return;
    this.#seen.set(native, now);
    this.#report({ native, attributes: { lastSeen: now } });
  }
}

/** What a message says, without the library's objects. */
export function messageOf({ endpoint, cluster, type, data }: Arrival): Message {
  return { endpoint: endpoint.ID, cluster: String(cluster), type, data };
}
