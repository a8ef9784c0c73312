import type { AdapterHost, NativeId } from "@ledge/port";
import type { SimulatedWorld } from "./world.ts";

/** How many values are stored at once. */
const putsAtOnce = 100;
const hourMs = 3_600_000;

/**
 * Keeps the devices' states in the host's store, as real devices keep theirs while the hub is away. Stores a
 * commanded device after each command, and meters every hour and at the stop.
 */
export class Memory {
  readonly #world: SimulatedWorld;
  readonly #host: AdapterHost;
  readonly #remembers: boolean;
  readonly #unsaved = new Set<NativeId>();
  #saving: Promise<void> | undefined;
  #countedAt: number;

  /** @param remembers false: stores nothing. */
  constructor(world: SimulatedWorld, host: AdapterHost, remembers: boolean) {
    this.#world = world;
    this.#host = host;
    this.#remembers = remembers;
    this.#countedAt = host.clock.now();
  }

  recall(): void {
    if (!this.#remembers) return;
    for (const native of this.#world.natives)
      this.#world.restore(native, this.#host.store.get(keyOf(native)));
  }

  /** Stores a device after a command. */
  note(native: NativeId): void {
    this.#unsaved.add(native);
    void this.#save();
  }

  /** Called with each step of the world. */
  tick(): void {
    if (this.#host.clock.now() - this.#countedAt >= hourMs) void this.close();
  }

  /** Stores the meters. Resolves when everything is stored, or could not be. */
  close(): Promise<void> {
    this.#countedAt = this.#host.clock.now();
    for (const native of this.#world.counting) this.#unsaved.add(native);
    return this.#save();
  }

  #save(): Promise<void> {
    if (!this.#remembers) return Promise.resolve();
    this.#saving ??= this.#saveAll().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  async #saveAll(): Promise<void> {
    while (this.#unsaved.size > 0) {
      const some = [...this.#unsaved].slice(0, putsAtOnce);
      for (const native of some) this.#unsaved.delete(native);
      try {
        await Promise.all(
          some.map((native) => this.#host.store.put(keyOf(native), this.#world.keep(native))),
        );
      } catch (error) {
        this.#host.log("warn", "could not store the state of a device", { error: String(error) });
      }
    }
  }
}

function keyOf(native: NativeId): string {
  return `state/${native}`;
}
