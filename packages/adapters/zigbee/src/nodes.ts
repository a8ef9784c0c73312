import type { AdapterHost, DeviceDescription, NativeId } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Models } from "zigbee-herdsman";
import type { AttributeValues, NodeFacts, Unit } from "./map/index.ts";
import { unitsOf } from "./map/index.ts";
import { KnownModel } from "./map/known-model.ts";
import { factsOf } from "./node.ts";

const indexKey = "nodes";
const nodeKey = (ieee: string): string => `node/${ieee}`;
/** A description that leaves a stored value no room is told when the network is up. */
const descriptionChars = 16_384;

/** What is stored of a node that the hub has, so that it is known before the network is up. */
interface StoredNode {
  readonly facts: NodeFacts;
  /** By native id; null where it is too large. */
  readonly kept: Readonly<Record<NativeId, DeviceDescription | null>>;
  readonly isSetUp: boolean;
  /** Left out where there is none. */
  readonly ends?: Readonly<Record<NativeId, End>>;
}

/** What a unit does again by itself, and never says, such as that a siren falls silent. */
export interface End {
  /** When (ms since the epoch), and how long it was to wait when it began. */
  readonly at: number;
  readonly ms: number;
  /** What it is then. */
  readonly attributes: AttributeValues;
}

/** A device in the network: the hub has some of its units, all, or none. */
export class Node {
  readonly ieee: string;
  facts: NodeFacts;
  /** None until the network is up. */
  units: readonly Unit[] = [];
  /** What the library of models knows of it. */
  model: KnownModel | undefined;
  /** Units that the hub has, as they were announced last. */
  readonly kept = new Map<NativeId, DeviceDescription | null>();
  readonly ends = new Map<NativeId, End>();
  /** It has been told what to report. */
  isSetUp = false;
  /** What it has said last, and over it what it was told since, by unit. */
  readonly values = new Map<NativeId, AttributeValues>();
  /** What it was told last, by unit, whatever it has said since. */
  readonly #told = new Map<NativeId, AttributeValues>();
  /** What the converters of its model have said last. */
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

  note(native: NativeId, values: AttributeValues): void {
    this.values.set(native, { ...this.values.get(native), ...values });
  }

  toldOf({ native }: Unit): AttributeValues {
    return this.#told.get(native) ?? {};
  }

  /** A unit is being told: it may report that before it has answered. */
  tell(native: NativeId, wanted: AttributeValues): void {
    this.#told.set(native, { ...this.#told.get(native), ...wanted });
  }
}

/** The address of the node that a unit is of. */
export function ieeeOf(native: NativeId): string {
  return native.split("/", 1)[0] ?? native;
}

/** Whether the store has a value: one that was taken is null. */
export function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

export interface NodesOptions {
  readonly host: Pick<AdapterHost, "store" | "log">;
  /** The converters of a node's model have something to say, by themselves. */
  readonly said: (node: Node, properties: Readonly<Record<string, unknown>>) => void;
  /** A node is something else than it was. */
  readonly changed: (node: Node) => void;
}

/** The nodes that are known, and which the hub has: those outlive the process. */
export class Nodes {
  readonly #options: NodesOptions;
  readonly #nodes = new Map<string, Node>();

  constructor(options: NodesOptions) {
    this.#options = options;
  }

  /** Reads what was stored. */
  load(): void {
    const { store } = this.#options.host;
    const index = store.get(indexKey);
    for (const ieee of Array.isArray(index) ? (index as string[]) : []) {
      const stored = store.get(nodeKey(ieee)) as StoredNode | undefined | null;
      if (!stored) continue;
      const node = new Node(stored.facts);
      for (const [native, description] of Object.entries(stored.kept)) node.kept.set(native, description);
      node.isSetUp = stored.isSetUp;
      for (const [native, end] of Object.entries(stored.ends ?? {})) node.ends.set(native, end);
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
   * A unit that the hub has.
   * @throws AdapterError `refused`; `unreachable` while the network is down.
   */
  kept(native: NativeId): { readonly node: Node; readonly unit: Unit } {
    const node = this.#nodes.get(ieeeOf(native));
    if (node?.kept.has(native) !== true) throw new AdapterError("refused", `no device ${native}`);
    const unit = node.units.find((each) => each.native === native);
    if (unit === undefined) throw new AdapterError("unreachable", "the Zigbee network is not up");
    return { node, unit };
  }

  /** A device of the network is known, or known anew. What the hub has of it stays. */
  async know(device: Models.Device): Promise<Node> {
    const { host, said, changed } = this.#options;
    const { ieeeAddr: ieee } = device;
    const node = this.#nodes.get(ieee) ?? new Node(factsOf(device));
    this.#nodes.set(ieee, node);
    await node.model?.event("stop");
    node.model = await KnownModel.of(device, {
      log: host.log,
      said: (properties) => said(node, properties),
      changed: () => {
        this.lookAgain(node, device);
        changed(node);
      },
    });
    this.lookAgain(node, device);
    await node.model?.event("start");
    return node;
  }

  /** What has been read of a device since may make it something else. */
  lookAgain(node: Node, device: Models.Device): void {
    node.facts = factsOf(device);
    node.units = unitsOf(node.facts, node.model?.facts);
  }

  /** The hub has a unit from now on. @throws AdapterError `refused` when that cannot be stored. */
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

  /** The hub has it no more. What is stored of its node is left as it is. */
  drop(node: Node, native: NativeId): void {
    node.kept.delete(native);
    node.values.delete(native);
    node.ends.delete(native);
  }

  /** Takes what is stored of a node that the hub does not have. */
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

  /** It has left. One that the hub has stays known: it may come back. */
  forget(ieee: string): void {
    const node = this.#nodes.get(ieee);
    void node?.model?.event("stop").catch(() => undefined);
    if (node?.isMember === false) this.#nodes.delete(ieee);
  }

  /** The network is down: converters have nothing to talk to. */
  rest(): void {
    for (const { model } of this.#nodes.values()) void model?.event("stop").catch(() => undefined);
  }

  /** Notes what has become of one that the hub has. */
  async store(node: Node): Promise<void> {
    const { ieee, facts, kept, isSetUp, ends, isMember } = node;
    if (!isMember) return;
    const entries = [...kept].map(([native, description]) => {
      const isSmall = JSON.stringify(description).length <= descriptionChars;
      return [native, isSmall ? description : null] as const;
    });
    const stored: StoredNode = {
      facts,
      kept: Object.fromEntries(entries),
      isSetUp,
      ...(ends.size > 0 && { ends: Object.fromEntries(ends) }),
    };
    await this.#options.host.store.put(nodeKey(ieee), stored);
  }

  async #storeIndex(): Promise<void> {
    const ieees = this.members().map(({ ieee }) => ieee);
    await this.#options.host.store.put(indexKey, ieees);
  }
}
