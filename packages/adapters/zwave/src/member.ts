import type { AdapterStore, DeviceConfiguration, DeviceDescription, NativeId } from "@ledge/port";
import type { Unit } from "./map/units.ts";
import type { AttributeValues } from "./map/value.ts";

const indexKey = "nodes";
const memberKey = (native: NativeId): string => `node/${native}`;
/** The settings of a unit may fill a value alone. */
const settingsKey = (native: NativeId): string => `settings/${native}`;

/** A unit of a node, with what its commands need before the node was interviewed. */
export interface KnownUnit extends Unit {
  readonly native: NativeId;
  readonly commandClasses: readonly number[];
  readonly setpoints: readonly number[];
  /** Absent in a unit that an older release has stored. */
  readonly coverings?: readonly number[];
}

/** A unit that the hub has, as it was last announced. */
export interface KeptUnit {
  readonly unit: KnownUnit;
  readonly description: DeviceDescription;
}

/** A node of which the hub has at least one unit. */
export interface Member {
  readonly native: NativeId;
  readonly units: Map<NativeId, KeptUnit>;
  /** The last reported values by unit. */
  readonly values: Map<NativeId, AttributeValues>;
}

/** Returns the native id of a node: its network's and its own. It is that of its first unit, too. */
export function nativeOf(homeId: number, nodeId: number): NativeId {
  return `${networkOf(homeId)}/${nodeId}`;
}

/** Returns the id of a network, with which the native ids of its nodes begin. */
export function networkOf(homeId: number): string {
  return homeId.toString(16).padStart(8, "0");
}

/** Returns the id of a unit after the first, by its main endpoint. */
export function unitNative(node: NativeId, { endpoints: [endpoint = 0] }: Unit, index: number): NativeId {
  return index === 0 ? node : `${node}/${endpoint}`;
}

/** Returns the id of a node within its network. */
export function nodeIdOf(native: NativeId): number {
  return Number(native.split("/")[1]);
}

/** Returns whether a node has joined by Long Range, where ids begin with 256. Such nodes reach the stick alone, without routes. */
export function isLongRange(nodeId: number): boolean {
  return nodeId > 0xff;
}

/** The nodes that the hub has, in the log. */
export class Members {
  readonly #store: AdapterStore;
  readonly #members = new Map<NativeId, Member>();

  constructor(store: AdapterStore) {
    this.#store = store;
  }

  load(): void {
    const index = (this.#store.get(indexKey) as readonly NativeId[] | undefined) ?? [];
    for (const native of index) {
      const stored = this.#store.get(memberKey(native)) as readonly KeptUnit[] | null | undefined;
      if (!stored) continue;
      const units = new Map(stored.map((kept) => [kept.unit.native, this.#withSettings(kept)]));
      this.#members.set(native, { native, units, values: new Map() });
    }
  }

  all(): readonly Member[] {
    return [...this.#members.values()];
  }

  /** Returns the members of a network. */
  of(network: string): readonly Member[] {
    return this.all().filter(({ native }) => native.startsWith(`${network}/`));
  }

  get(node: NativeId): Member | undefined {
    return this.#members.get(node);
  }

  /** Returns the member with a unit of the hub. */
  withUnit(native: NativeId): Member | undefined {
    return this.all().find(({ units }) => units.has(native));
  }

  /** Adds or replaces a unit. Resolves when it is durable. */
  async keep(node: NativeId, kept: KeptUnit): Promise<Member> {
    const member = this.#members.get(node) ?? { native: node, units: new Map(), values: new Map() };
    member.units.set(kept.unit.native, kept);
    const isNew = !this.#members.has(node);
    this.#members.set(node, member);
    await this.#store.put(settingsKey(kept.unit.native), kept.description.configuration ?? null);
    await this.#storeUnits(member);
    if (isNew) await this.#storeIndex();
    return member;
  }

  /** Removes a unit; true when it was the last of its node. */
  async drop(member: Member, native: NativeId): Promise<boolean> {
    member.units.delete(native);
    member.values.delete(native);
    await this.#store.put(settingsKey(native), null);
    if (member.units.size > 0) {
      await this.#storeUnits(member);
      return false;
    }
    this.#members.delete(member.native);
    await this.#storeIndex();
    await this.#store.put(memberKey(member.native), null);
    return true;
  }

  #withSettings({ unit, description }: KeptUnit): KeptUnit {
    const configuration = this.#store.get(settingsKey(unit.native)) as DeviceConfiguration | null | undefined;
    return { unit, description: { ...description, ...(configuration && { configuration }) } };
  }

  async #storeUnits({ native, units }: Member): Promise<void> {
    const stored = [...units.values()].map(({ unit, description }) => {
      const { configuration: _, ...rest } = description;
      return { unit, description: rest };
    });
    await this.#store.put(memberKey(native), stored);
  }

  async #storeIndex(): Promise<void> {
    await this.#store.put(indexKey, [...this.#members.keys()]);
  }
}
