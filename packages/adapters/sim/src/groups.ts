import type { AirGroup, NativeId } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import { zigbeeRadio } from "./radios.ts";
import type { SimulatedWorld } from "./world.ts";

/** The groups of the Zigbee radio: the hub's wanted groups, and the actual members on the radio. */
export class HomeGroups {
  readonly #world: SimulatedWorld;
  #wanted: readonly AirGroup[] = [];
  readonly #onAir = new Map<number, Set<NativeId>>();

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  keep(groups: readonly AirGroup[]): void {
    this.#wanted = groups;
    this.catchUp();
  }

  /** Adds devices to their groups and removes them from others, as far as they are reachable now. */
  catchUp(): void {
    for (const { address, members } of this.#wanted) {
      const onAir = this.#onAir.get(address) ?? new Set();
      this.#onAir.set(address, onAir);
      for (const native of members) if (this.#isReachable(native)) onAir.add(native);
    }
    for (const [address, onAir] of this.#onAir) {
      const members = this.#wanted.find((group) => group.address === address)?.members ?? [];
      for (const native of onAir)
        if (!members.includes(native) && this.#isReachable(native)) onAir.delete(native);
      if (onAir.size === 0) this.#onAir.delete(address);
    }
  }

  /**
   * Returns the devices that a frame to a group reaches.
   * @throws AdapterError `refused` for an unknown group, `busy` while a former member is still in it.
   */
  reachedBy(id: string): ReadonlySet<NativeId> {
    const group = this.#wanted.find((each) => each.id === id);
    if (group === undefined) throw new AdapterError("refused", `no group ${id}`);
    const onAir = this.#onAir.get(group.address) ?? new Set();
    const former = [...onAir].find((native) => !group.members.includes(native));
    if (former !== undefined) throw new AdapterError("busy", `${former} is still in the group`);
    return onAir;
  }

  #isReachable(native: NativeId): boolean {
    return this.#world.radioOf(native) === zigbeeRadio && this.#world.isReachable(native);
  }
}
