import { type ConfigurationValues, stateAndPress } from "@ledge/model";
import type { AdapterHost, DeviceDescription, NativeId } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Models } from "zigbee-herdsman";
import { definitionOf } from "./external/definition.ts";
import type { ExternalDescription } from "./external/description.ts";
import { definitionFor } from "./external/folder.ts";
import type { AttributeValues, Corrections, NodeFacts, Unit } from "./map/index.ts";
import type { ByHand } from "./by-hand.ts";
import { correctionsOf, unitsOf } from "./map/index.ts";
import { KnownModel } from "./map/known-model.ts";
import { factsOf } from "./node.ts";

const indexKey = "nodes";
const nodeKey = (ieee: string): string => `node/${ieee}`;
/** A longer description is not stored, to leave room in the value; it is announced when the network is up. */
const descriptionChars = 16_384;

/** The stored data of a node, which make it known before the network is up. */
interface StoredNode {
  readonly facts: NodeFacts;
  /** By native id; null for a description that is too large. */
  readonly kept: Readonly<Record<NativeId, DeviceDescription | null>>;
  readonly isSetUp: boolean;
  /** Absent when there are none. */
  readonly ends?: Readonly<Record<NativeId, End>>;
  /** Absent when there are none. */
  readonly corrections?: Readonly<Record<NativeId, ConfigurationValues>>;
  /** Absent when only its model names it. */
  readonly name?: string;
  /** Absent when there are none. */
  readonly byHand?: readonly ByHand[];
}

/** A change that a unit makes by itself later without a report, such as a siren that stops. */
export interface End {
  /** When it happens (ms since the epoch), and the original delay. */
  readonly at: number;
  readonly ms: number;
  /** The attributes from then on. */
  readonly attributes: AttributeValues;
}

/** A device in the network. The hub has all, some or none of its units. */
export class Node {
  readonly ieee: string;
  facts: NodeFacts;
  /** Empty until the network is up. */
  units: readonly Unit[] = [];
  /** The definition of its model. */
  model: KnownModel | undefined;
  /** The units that the hub has, with their last announced descriptions. */
  readonly kept = new Map<NativeId, DeviceDescription | null>();
  readonly ends = new Map<NativeId, End>();
  /** How readings are corrected before the hub hears of them, by unit. */
  readonly corrections = new Map<NativeId, Corrections>();
  /** The name that a user gave it in another program. */
  name: string | undefined;
  /** The parts of its set-up that a user chose. */
  byHand: readonly ByHand[] = [];
  /** Whether its reporting is set up. */
  isSetUp = false;
  /** The last reported values, overlaid by commands since, by unit. */
  readonly values = new Map<NativeId, AttributeValues>();
  /** The last commanded values by unit, whatever was reported since. */
  readonly #told = new Map<NativeId, AttributeValues>();
  /** The properties last published by its model's converters. */
  properties: Readonly<Record<string, unknown>> = {};

  constructor(facts: NodeFacts) {
    this.ieee = facts.ieee;
    this.facts = facts;
  }

  get isMember(): boolean {
    return this.kept.size > 0;
  }

  get keptUnits(): readonly Unit[] {
    return this.units.filter(({ native }) => this.kept.has(native));
  }

  valuesOf({ native }: Unit): AttributeValues {
    return this.values.get(native) ?? {};
  }

  /** Returns the last values of a unit without its last press: that is over, and is told once. */
  lastingOf(native: NativeId): AttributeValues {
    return stateAndPress(this.values.get(native) ?? {}).state;
  }

  note(native: NativeId, values: AttributeValues): void {
    this.values.set(native, { ...this.values.get(native), ...values });
  }

  toldOf({ native }: Unit): AttributeValues {
    return this.#told.get(native) ?? {};
  }

  /** Records a command before it is sent: the unit may report the values before it answers. */
  tell(native: NativeId, wanted: AttributeValues): void {
    this.#told.set(native, { ...this.#told.get(native), ...wanted });
  }
}

/** Returns the address of the node that a unit belongs to. */
export function ieeeOf(native: NativeId): string {
  return native.split("/", 1)[0] ?? native;
}

/** Whether the store has a value; an erased value is null. */
export function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Options of `Nodes`. */
export interface NodesOptions {
  readonly host: Pick<AdapterHost, "store" | "log">;
  /** Called when the converters of a node's model publish something by themselves. */
  readonly said: (node: Node, properties: Readonly<Record<string, unknown>>) => void;
  /** Definitions of models that a user has. */
  readonly definitions: Promise<readonly ExternalDescription[]>;
  /** Called when a node has changed its units or features. */
  readonly changed: (node: Node) => void;
}

/** The known nodes. Those that the hub has are stored. */
export class Nodes {
  readonly #options: NodesOptions;
  readonly #nodes = new Map<string, Node>();

  constructor(options: NodesOptions) {
    this.#options = options;
  }

  /** Loads the stored nodes. */
  load(): void {
    const { store } = this.#options.host;
    const index = store.get(indexKey);
    for (const ieee of Array.isArray(index) ? (index as string[]) : []) {
      const stored = store.get(nodeKey(ieee)) as StoredNode | undefined | null;
      if (!stored) continue;
      const node = new Node(stored.facts);
      for (const [native, description] of Object.entries(stored.kept)) node.kept.set(native, description);
      node.isSetUp = stored.isSetUp;
      node.name = stored.name;
      node.byHand = stored.byHand ?? [];
      for (const [native, end] of Object.entries(stored.ends ?? {})) node.ends.set(native, end);
      for (const [native, values] of Object.entries(stored.corrections ?? {}))
        node.corrections.set(native, correctionsOf(values));
      this.#nodes.set(ieee, node);
    }
  }

  get(ieee: string): Node | undefined {
    return this.#nodes.get(ieee);
  }

  members(): readonly Node[] {
    return [...this.#nodes.values()].filter(({ isMember }) => isMember);
  }

  /**
   * Returns the node of a unit that the hub has.
   * @throws AdapterError `refused` for others
   */
  member(native: NativeId): Node {
    const node = this.#nodes.get(ieeeOf(native));
    if (node?.kept.has(native) !== true) throw new AdapterError("refused", `no device ${native}`);
    return node;
  }

  /**
   * Returns a unit that the hub has.
   * @throws AdapterError `refused` for others; `unreachable` while the network is down.
   */
  kept(native: NativeId): { readonly node: Node; readonly unit: Unit } {
    const node = this.member(native);
    const unit = node.units.find((each) => each.native === native);
    if (unit === undefined) throw new AdapterError("unreachable", "the Zigbee network is not up");
    return { node, unit };
  }

  /** Creates or updates the node of a device. Keeps what the hub has of it. */
  async know(device: Models.Device): Promise<Node> {
    const { host, said, changed } = this.#options;
    const definitions = await this.#options.definitions;
    const { ieeeAddr: ieee } = device;
    const node = this.#nodes.get(ieee) ?? new Node(factsOf(device));
    this.#nodes.set(ieee, node);
    await node.model?.event("stop");
    node.model = await KnownModel.of(device, {
      log: host.log,
      said: (properties) => said(node, properties),
      external: (of, known) => {
        const external = definitionFor(definitions, of);
        return external && definitionOf(external, known);
      },
      changed: () => {
        this.lookAgain(node, device);
        changed(node);
      },
    });
    this.lookAgain(node, device);
    await node.model?.event("start");
    return node;
  }

  /** Updates a node's units after further facts were read. */
  lookAgain(node: Node, device: Models.Device): void {
    node.facts = factsOf(device);
    node.units = unitsOf(node.facts, node.model?.facts);
  }

  /**
   * Records that the hub has a unit.
   * @throws AdapterError `refused` when it cannot be stored.
   */
  async keep(node: Node, native: NativeId, description: DeviceDescription | null): Promise<void> {
    if (node.kept.has(native)) return;
    const isNew = !node.isMember;
    node.kept.set(native, description);
    try {
      await this.store(node);
      if (isNew) await this.#storeIndex();
    } catch (cause) {
      node.kept.delete(native);
      throw new AdapterError("refused", `not stored: ${(cause as Error).message}`, { cause });
    }
  }

  /** Records that the hub has removed a unit. Leaves the stored data of its node as it is. */
  drop(node: Node, native: NativeId): void {
    node.kept.delete(native);
    node.values.delete(native);
    node.ends.delete(native);
    node.corrections.delete(native);
  }

  /** Erases the stored data of a node that the hub does not have. */
  async erase(ieee: string): Promise<void> {
    const { store } = this.#options.host;
    if (isThere(store.get(nodeKey(ieee)))) await store.put(nodeKey(ieee), null);
    const index = store.get(indexKey);
    if (Array.isArray(index) && index.includes(ieee)) await this.#storeIndex();
  }

  async setUp(node: Node, isSetUp: boolean): Promise<void> {
    if (node.isSetUp === isSetUp) return;
    node.isSetUp = isSetUp;
    await this.store(node);
  }

  /** Handles a node that has left. One that the hub has stays known, because it may return. */
  forget(ieee: string): void {
    const node = this.#nodes.get(ieee);
    void node?.model?.event("stop").catch(() => undefined);
    if (node?.isMember === false) this.#nodes.delete(ieee);
  }

  /** Stops the converters, which cannot talk while the network is down. */
  rest(): void {
    for (const { model } of this.#nodes.values()) void model?.event("stop").catch(() => undefined);
  }

  /** Stores a node that the hub has. */
  async store(node: Node): Promise<void> {
    const { ieee, facts, kept, isSetUp, ends, corrections, name, byHand, isMember } = node;
    if (!isMember) return;
    const entries = [...kept].map(([native, description]) => {
      const isSmall = JSON.stringify(description).length <= descriptionChars;
      return [native, isSmall ? description : null] as const;
    });
    const given = [...corrections].map(([native, each]) => [native, each.given] as const);
    const stored: StoredNode = {
      facts,
      kept: Object.fromEntries(entries),
      isSetUp,
      ...(ends.size > 0 && { ends: Object.fromEntries(ends) }),
      ...(given.length > 0 && { corrections: Object.fromEntries(given) }),
      ...(name !== undefined && { name }),
      ...(byHand.length > 0 && { byHand }),
    };
    await this.#options.host.store.put(nodeKey(ieee), stored);
  }

  async #storeIndex(): Promise<void> {
    const ieees = this.members().map(({ ieee }) => ieee);
    await this.#options.host.store.put(indexKey, ieees);
  }
}
