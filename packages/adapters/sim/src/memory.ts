import type { AdapterHost } from '@ledge/port';
import type { SimulatedWorld } from './world.ts';

/** Devices per stored value, so that a value stays within the store's bound. */
const devicesPerValue = 100;
const hourMs = 3_600_000;

/**
 * Keeps the devices' states in the host's store, as real devices keep theirs while the hub is away: after each
 * command and at the stop. Counts that went on since are lost with the process, at most an hour of them.
 */
export class Memory {
  readonly #world: SimulatedWorld;
  readonly #host: AdapterHost;
  readonly #remembers: boolean;
  #saving: Promise<void> | undefined;
  #stale = false;
  #savedAt: number;

  constructor(world: SimulatedWorld, host: AdapterHost, remembers: boolean) {
    this.#world = world;
    this.#host = host;
    this.#remembers = remembers;
    this.#savedAt = host.clock.now();
  }

  recall(): void {
    if (!this.#remembers) return;
    for (let index = 0; ; index += 1) {
      const kept = this.#host.store.get(keyOf(index));
      if (typeof kept !== 'object' || kept === null) return;
      this.#world.restore(kept as Record<string, unknown>);
    }
  }

  /** Something worth keeping has changed. */
  note(): void {
    void this.save();
  }

  /** Called with each step: saves what has been counted once an hour. */
  tick(): void {
    if (this.#host.clock.now() - this.#savedAt >= hourMs) this.note();
  }

  /** Resolves when everything is stored, or could not be. One value is on its way at a time. */
  save(): Promise<void> {
    if (!this.#remembers) return Promise.resolve();
    this.#stale = true;
    this.#saving ??= this.#saveAll().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  async #saveAll(): Promise<void> {
    while (this.#stale) {
      this.#stale = false;
      this.#savedAt = this.#host.clock.now();
      const states = Object.entries(this.#world.keep());
      try {
        for (let index = 0; index * devicesPerValue < states.length; index += 1) {
          const some = states.slice(index * devicesPerValue, (index + 1) * devicesPerValue);
          await this.#host.store.put(keyOf(index), Object.fromEntries(some));
        }
      } catch (error) {
        this.#host.log('warn', 'the devices will not remember their state', { error: String(error) });
      }
    }
  }
}

function keyOf(index: number): string {
  return `states-${index}`;
}
