import type { AdapterHost, AirGroup, NativeId } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Chores } from "../chores.ts";
import { faultOf, isFinal } from "../fault.ts";
import type { Hearing } from "../hearing.ts";
import type { Unit } from "../map/index.ts";
import { isMains } from "../node.ts";
import type { Node, Nodes } from "../nodes.ts";
import { ieeeOf, isThere } from "../nodes.ts";
import type { Sending } from "../sending.ts";

const storeKey = (ieee: string): string => `groups/${ieee}`;
const groupsCluster = { id: 0x0004, name: "genGroups" } as const;
/** Errors of a device that is already in the group, or already outside. */
const isSo = /DUPLICATE_EXISTS|NOT_FOUND/;

/** Group addresses that a unit may have on the radio: true once it has confirmed. */
type Addresses = Map<number, boolean>;

interface Change {
  readonly unit: Unit;
  readonly address: number;
  readonly name: "add" | "remove";
}

/** Options of `Memberships`. */
export interface MembershipsOptions {
  readonly host: Pick<AdapterHost, "store" | "log">;
  readonly nodes: Nodes;
  readonly chores: Chores;
  readonly hearing: Hearing;
  readonly sending: Sending;
  readonly isReachable: (ieee: string) => boolean;
}

/**
 * Keeps track of which units are in which groups on the radio (ZCL 3.6), and changes that to the hub's
 * groups. A device that is away or asleep is updated when it is heard again. A membership is stored before it
 * is sent: otherwise a device that was forgotten while away would obey its former group for ever.
 */
export class Memberships {
  readonly #options: MembershipsOptions;
  /** Undefined until the hub has sent its groups. */
  #wanted: readonly AirGroup[] | undefined;
  readonly #byUnit = new Map<NativeId, Addresses>();
  readonly #loaded = new Set<string>();
  /** Units without room for a group of this address, as `<native> <address>`. */
  readonly #full = new Set<string>();
  readonly #listening = new Map<string, () => void>();

  constructor(options: MembershipsOptions) {
    this.#options = options;
  }

  keep(groups: readonly AirGroup[]): void {
    this.#wanted = groups;
    this.#full.clear();
    this.catchUp();
  }

  /** Updates the memberships of all devices, as far as the network is up. */
  catchUp(): void {
    for (const node of this.#options.nodes.members()) this.#catchUp(node);
  }

  /** A device may have lost its groups: sets them again. */
  doubt(node: Node): void {
    for (const { native } of node.units) {
      const addresses = this.#of(node, native);
      for (const address of addresses.keys()) addresses.set(address, false);
    }
    this.#catchUp(node);
  }

  /** A device has left the network for good. Leaves its stored data as it is. */
  forget(ieee: string): void {
    this.#stopListening(ieee);
    for (const native of this.#byUnit.keys()) if (ieeeOf(native) === ieee) this.#byUnit.delete(native);
    for (const full of this.#full) if (ieeeOf(full) === ieee) this.#full.delete(full);
  }

  /** Erases the stored groups of a device that the hub does not have. */
  async erase(ieee: string): Promise<void> {
    const { store } = this.#options.host;
    if (isThere(store.get(storeKey(ieee)))) await store.put(storeKey(ieee), null);
  }

  /**
   * Returns the address of a group, and the members that are in it on the radio.
   * @throws AdapterError `refused` for an unknown group, `busy` while a former member is still in it.
   */
  of(id: string): { readonly address: number; readonly members: ReadonlySet<NativeId> } {
    const group = this.#wanted?.find((each) => each.id === id);
    if (group === undefined) throw new AdapterError("refused", `no group ${id}`);
    const { address } = group;
    const members = new Set<NativeId>();
    for (const node of this.#options.nodes.members()) {
      for (const { native } of node.units) {
        const isIn = this.#of(node, native).get(address);
        if (isIn !== undefined && !group.members.includes(native))
          throw new AdapterError("busy", `${native} is still in the group`);
        if (isIn) members.add(native);
      }
    }
    return { address, members };
  }

  /** Returns the groups that the hub wants a unit to be in, by address. */
  wantedOf(node: Node, native: NativeId): ReadonlyMap<number, string> {
    const isIn = node.kept.has(native) && isMains(node.facts);
    const groups = isIn ? (this.#wanted ?? []).filter(({ members }) => members.includes(native)) : [];
    return new Map(groups.map(({ id, address }) => [address, id]));
  }

  /** Takes over the groups that a unit says it is in, and changes those to the hub's. */
  async learn(node: Node, native: NativeId, told: ReadonlySet<number>): Promise<void> {
    const addresses = this.#of(node, native);
    for (const address of told) await this.#note(node, addresses, address, true);
    for (const address of addresses.keys()) if (!told.has(address)) addresses.set(address, false);
    for (const full of this.#full) if (full.startsWith(`${native} `)) this.#full.delete(full);
    this.#catchUp(node);
  }

  #of({ ieee }: Node, native: NativeId): Addresses {
    if (!this.#loaded.has(ieee)) {
      this.#loaded.add(ieee);
      const stored = this.#options.host.store.get(storeKey(ieee)) as Record<NativeId, number[]> | undefined;
      for (const [each, addresses] of Object.entries(stored ?? {}))
        this.#byUnit.set(each, new Map(addresses.map((address) => [address, true])));
    }
    const addresses = this.#byUnit.get(native) ?? new Map();
    this.#byUnit.set(native, addresses);
    return addresses;
  }

  #catchUp(node: Node): void {
    const { chores, isReachable } = this.#options;
    if (this.#changes(node).length === 0) return;
    if (isReachable(node.ieee)) chores.add(`groups ${node.ieee}`, () => this.#change(node));
    else this.#whenHeard(node);
  }

  #whenHeard(node: Node): void {
    const { hearing } = this.#options;
    const { ieee } = node;
    if (this.#listening.has(ieee)) return;
    const heard = (): void => {
      this.#listening.delete(ieee);
      this.#options.chores.add(`groups ${ieee}`, () => this.#change(node));
    };
    this.#listening.set(ieee, hearing.next(ieee, heard));
  }

  #stopListening(ieee: string): void {
    this.#listening.get(ieee)?.();
    this.#listening.delete(ieee);
  }

  #changes(node: Node): Change[] {
    if (this.#wanted === undefined) return [];
    return node.units.flatMap((unit) => {
      const { native } = unit;
      const addresses = this.#of(node, native);
      const wanted = new Set(
        canJoin(node, unit)
          ? this.#wanted?.flatMap(({ address, members }) => (members.includes(native) ? address : []))
          : [],
      );
      const change = (name: Change["name"]) => (address: number) => ({ unit, address, name }) as const;
      const isMissing = (address: number): boolean =>
        addresses.get(address) !== true && !this.#full.has(`${native} ${address}`);
      return [
        ...[...addresses.keys()].filter((address) => !wanted.has(address)).map(change("remove")),
        ...[...wanted].filter(isMissing).map(change("add")),
      ];
    });
  }

  async #change(node: Node): Promise<void> {
    // Before the first attempt: the device may be heard while the frame fails.
    this.#whenHeard(node);
    for (const change of this.#changes(node)) {
      try {
        await this.#carryOut(node, change);
      } catch (error) {
        const { code, message } = faultOf(error);
        this.#options.host.log("debug", "could not update a device's groups yet", {
          native: node.ieee,
          code,
          message,
        });
        return;
      }
    }
    this.#stopListening(node.ieee);
  }

  async #carryOut(node: Node, { unit, address, name }: Change): Promise<void> {
    const addresses = this.#of(node, unit.native);
    if (name === "add") await this.#note(node, addresses, address, false);
    try {
      for (const endpoint of groupEndpointsOf(unit)) await this.#tell(node, endpoint, address, name);
    } catch (error) {
      const fault = faultOf(error);
      if (!isFinal(fault)) throw fault;
      // Its table is full, or it does not support groups after all: it gets commands singly.
      this.#full.add(`${unit.native} ${address}`);
      const fields = { native: unit.native, address, reason: fault.message };
      this.#options.host.log("info", "a device has no room for more groups", fields);
      await this.#note(node, addresses, address, undefined);
      return;
    }
    await this.#note(node, addresses, address, name === "add" ? true : undefined);
  }

  async #tell(node: Node, endpoint: number, address: number, name: Change["name"]): Promise<void> {
    const payload = name === "add" ? { groupid: address, groupname: "" } : { groupid: address };
    const cluster = groupsCluster.name;
    try {
      await this.#options.sending.once(node, { kind: "command", endpoint, cluster, name, payload });
    } catch (error) {
      const fault = faultOf(error);
      if (!isSo.test(fault.message)) throw fault;
    }
  }

  /** @param isIn undefined when it is not. */
  async #note(node: Node, addresses: Addresses, address: number, isIn: boolean | undefined): Promise<void> {
    // The device was removed meanwhile.
    if (!node.isMember) return;
    const isKnown = addresses.has(address);
    if (isIn === undefined) addresses.delete(address);
    else addresses.set(address, isIn);
    if (isKnown === addresses.has(address)) return;
    const entries = node.units.map(({ native }) => [native, [...this.#of(node, native).keys()]] as const);
    await this.#options.host.store.put(storeKey(node.ieee), Object.fromEntries(entries));
  }
}

/** Whether a unit can be in groups of the hub. A sleeping one would miss their frames. */
export function canJoin(node: Node, unit: Unit): boolean {
  return node.kept.has(unit.native) && isMains(node.facts) && groupEndpointsOf(unit).length > 0;
}

/** Returns the endpoints at which a unit joins groups: those that receive its commands. */
export function groupEndpointsOf({ endpoints, served }: Unit): number[] {
  return endpoints
    .filter(
      ({ id, input }) =>
        input.includes(groupsCluster.id) && served.some(({ endpoint }) => endpoint.id === id),
    )
    .map(({ id }) => id);
}
