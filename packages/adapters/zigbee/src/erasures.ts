import type { AdapterHost } from "@ledge/port";

/** How often an erasure is retried that the store refused. */
const againMs = 120_000;

/** Options of `Erasures`. */
export interface ErasuresOptions {
  readonly host: Pick<AdapterHost, "clock" | "log">;
  /** Updates the stored data of a device to what the hub has of it now: nothing, or fewer units. */
  readonly store: (ieee: string) => Promise<void>;
}

/** Erases the stored data of removed devices. A removal never fails: a refused erasure is retried later. */
export class Erasures {
  readonly #options: ErasuresOptions;
  readonly #due = new Set<string>();
  #cancelRetry = (): void => {};
  #isStopped = false;

  constructor(options: ErasuresOptions) {
    this.#options = options;
  }

  /**
   * Records that the hub has removed a device, or a unit of it. Resolves after the first attempt to erase it.
   */
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
        host.log("warn", "could not erase the data of a removed device", { native: ieee, reason });
      }
    }
    this.#cancelRetry();
    if (this.#due.size > 0 && !this.#isStopped)
      this.#cancelRetry = host.clock.after(againMs, () => void this.#try());
  }
}
