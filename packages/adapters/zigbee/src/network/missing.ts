import type { AdapterHost } from "@ledge/port";
import type { Kept } from "./kept-network.ts";

/** When to log the devices that have not returned. */
const tellMs = 600_000;
/** How long to collect returned devices before the list is stored. */
const writeMs = 10_000;

/** Tracks the devices that have not been heard since the network moved to another stick. */
export class Missing {
  readonly #host: AdapterHost;
  readonly #kept: Kept;
  readonly #missing: Set<string>;
  #cancelWrite: (() => void) | undefined;
  #cancelTell: (() => void) | undefined;

  constructor(host: AdapterHost, kept: Kept) {
    this.#host = host;
    this.#kept = kept;
    this.#missing = new Set(kept.missing);
  }

  get all(): ReadonlySet<string> {
    return this.#missing;
  }

  /**
   * Starts the list: the network is on another stick.
   * @param devices all devices of the network
   */
  async begin(devices: readonly string[]): Promise<void> {
    this.#missing.clear();
    for (const ieee of devices) this.#missing.add(ieee);
    await this.#kept.setMissing(devices);
    if (devices.length === 0) return;
    this.#host.log("info", "the network is on another stick: waiting for its devices", {
      devices: devices.length,
    });
    this.#cancelTell?.();
    this.#cancelTell = this.#host.clock.after(tellMs, () => this.#tell());
  }

  /** Removes a device that was heard, or that has left for good. */
  found(ieee: string): void {
    if (!this.#missing.delete(ieee)) return;
    if (this.#missing.size === 0)
      this.#host.log("info", "all devices were heard after the network moved to another stick");
    this.#cancelWrite ??= this.#host.clock.after(writeMs, () => void this.#write());
  }

  /** Stores changes that are not stored yet. */
  async stop(): Promise<void> {
    this.#cancelTell?.();
    this.#cancelTell = undefined;
    if (this.#cancelWrite !== undefined) await this.#write();
  }

  #tell(): void {
    this.#cancelTell = undefined;
    if (this.#missing.size === 0) return;
    this.#host.log("warn", "some devices were not heard after the network moved to another stick", {
      missing: [...this.#missing],
    });
  }

  async #write(): Promise<void> {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    try {
      await this.#kept.setMissing([...this.#missing]);
    } catch (error) {
      this.#host.log("warn", "could not store which devices were heard", {
        reason: (error as Error).message,
      });
    }
  }
}
