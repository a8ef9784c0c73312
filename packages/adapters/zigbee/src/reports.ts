import type { AdapterClock, AdapterHost, NativeId } from "@ledge/port";
import type { Events, Models } from "zigbee-herdsman";
import { attributesOf, corrected, propertiesOf, settingsSaid } from "./map/index.ts";
import type { AttributeValues, Message } from "./map/index.ts";
import type { Node } from "./nodes.ts";
import { Pacing } from "./pacing.ts";

/** An identical frame within this time is a repetition, whose sender missed the acknowledgement. */
const repeatMs = 1000;
/** How often to report that a device without news is alive. */
const seenMs = 60_000;
/** How many frames are remembered to detect repetitions. */
const framesKept = 256;

/** The parts of a library message that are used here. */
export interface Arrival extends Pick<Events.MessagePayload, "cluster" | "type" | "data"> {
  readonly endpoint: Pick<Models.Endpoint, "ID">;
  readonly meta: Pick<Events.MessagePayload["meta"], "rawData">;
}

/** Reports messages of devices to the hub: each transmission once, in the hub's attributes. */
export class Reports {
  readonly #clock: AdapterClock;
  readonly #report: AdapterHost["report"];
  readonly #frames = new Map<string, number>();
  readonly #pacing: Pacing;
  readonly #seen = new Map<NativeId, number>();
  readonly #listeners = new Map<NativeId, Set<(attributes: AttributeValues) => void>>();

  constructor({ clock, report }: Pick<AdapterHost, "clock" | "report">) {
    this.#clock = clock;
    this.#report = report;
    this.#pacing = new Pacing(clock, (native, attributes) => report({ native, attributes }));
  }

  /** Handles a message. */
  take(node: Node, arrival: Arrival): void {
    if (this.#isRepeated(node, arrival)) return;
    const message = messageOf(arrival);
    // The converters' message types distinguish each cluster.
    const properties = node.model?.read(arrival as Parameters<NonNullable<Node["model"]>["read"]>[0]) ?? {};
    const settings = node.units.map((unit) => settingsSaid(unit, message));
    node.properties = Object.assign({ ...node.properties }, properties, ...settings);
    for (const unit of node.units)
      this.report(
        node,
        unit.native,
        attributesOf(unit, message, node.valuesOf(unit), properties, node.toldOf(unit)),
      );
    for (const native of node.kept.keys()) this.#seenNow(native);
  }

  /** Reports what converters of a node's model publish by themselves or after a command. */
  says(node: Node, properties: Readonly<Record<string, unknown>>): void {
    node.properties = { ...node.properties, ...properties };
    for (const unit of node.units)
      this.report(node, unit.native, propertiesOf(unit, properties, node.valuesOf(unit), node.toldOf(unit)));
  }

  /** Reports attributes of a unit. Keeps them for later when the hub does not have the unit. */
  report(node: Node, native: NativeId, attributes: AttributeValues): void {
    if (Object.keys(attributes).length === 0) return;
    node.note(native, attributes);
    for (const listener of this.#listeners.get(native) ?? []) listener(attributes);
    if (!node.kept.has(native)) return;
    this.#seen.set(native, this.#clock.now());
    this.#pass(node, native, attributes);
  }

  /** Reports the last readings of a unit again, because its corrections have changed. */
  corrected(node: Node, native: NativeId): void {
    this.#pacing.forget(native);
    const numbers = Object.entries(node.lastingOf(native)).filter(([, value]) => typeof value === "number");
    if (numbers.length > 0) this.#pass(node, native, Object.fromEntries(numbers));
  }

  #pass(node: Node, native: NativeId, attributes: AttributeValues): void {
    const corrections = node.corrections.get(native);
    const passing = corrections
      ? this.#pacing.passing(native, corrections, corrected(corrections, attributes))
      : attributes;
    if (Object.keys(passing).length > 0) this.#report({ native, attributes: passing });
  }

  /** Calls back with what a unit reports from now on; the returned function ends that. */
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
    this.#pacing.forget(native);
  }

  stop(): void {
    this.#pacing.stop();
  }

  /** Whether the whole frame is repeated, with its sequence number: two presses differ only in that. */
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

/** Returns the content of a message without the library's objects. */
export function messageOf({ endpoint, cluster, type, data }: Arrival): Message {
  return { endpoint: endpoint.ID, cluster: String(cluster), type, data };
}
