import type { AdapterHost } from "@ledge/port";

/** What the store refuses is tried again so often. */
const againMs = 120_000;

export interface ErasuresOptions {
  readonly host: Pick<AdapterHost, "clock" | "log">;
  /** Brings what is stored of a device up to what the hub has of it now: nothing, or fewer units. */
  readonly store: (ieee: string) => Promise<void>;
}

/** Has the store lose what it has of devices that were removed. A removal does not fail: what is refused comes later. */
export class Erasures {
  readonly #options: ErasuresOptions;
  readonly #due = new Set<string>();
  #cancelRetry = (): void => {};
  #isStopped = false;

  constructor(options: ErasuresOptions) {
    this.#options = options;
  }

  /** The hub has removed a device, or a unit of it. Resolves when that was tried once. */
  async of(ieee: string): Promise<void> {
    this.#due.add(ieee);
    await this.#try();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelRetry();
  }

  async #try(): Promise<void> {
    this.#cancelRetry();
    const { host, store } = this.#options;
    for (const ieee of this.#due) {
      try {
        await store(ieee);
        this.#due.delete(ieee);
      } catch (error) {
        const reason = (error as Error).message;
        host.log("warn", "a removed device is still stored", { native: ieee, reason });
      }
    }
    this.#cancelRetry();
    if (this.#due.size > 0 && !this.#isStopped)
      this.#cancelRetry = host.clock.after(againMs, () => void this.#try());
  }
}
