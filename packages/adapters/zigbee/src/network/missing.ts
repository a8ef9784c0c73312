import type { AdapterHost } from "@ledge/port";
import type { Kept } from "./kept-network.ts";

/** When those that have not come back are told. */
const tellMs = 600_000;
/** Who is heard waits so long for company before it is written down. */
const writeMs = 10_000;

/** Who has not been heard of since the network was put onto another stick. */
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

  /** The network is on another stick. @param devices all that it had */
  async begin(devices: readonly string[]): Promise<void> {
    this.#missing.clear();
    for (const ieee of devices) this.#missing.add(ieee);
    await this.#kept.setMissing(devices);
    if (devices.length === 0) return;
    this.#host.log("info", "the network is on another stick: its devices are waited for", {
      devices: devices.length,
    });
    this.#cancelTell?.();
    this.#cancelTell = this.#host.clock.after(tellMs, () => this.#tell());
  }

  /** A device was heard, or has gone for good. */
  found(ieee: string): void {
    if (!this.#missing.delete(ieee)) return;
    if (this.#missing.size === 0)
      this.#host.log("info", "all devices have been heard of since the network is on another stick");
    this.#cancelWrite ??= this.#host.clock.after(writeMs, () => void this.#write());
  }

  /** Writes down what has not been yet. */
  async stop(): Promise<void> {
    this.#cancelTell?.();
    this.#cancelTell = undefined;
    if (this.#cancelWrite !== undefined) await this.#write();
  }

  #tell(): void {
    this.#cancelTell = undefined;
    if (this.#missing.size === 0) return;
    this.#host.log("warn", "devices have not been heard of since the network is on another stick", {
      missing: [...this.#missing],
    });
  }

  async #write(): Promise<void> {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    try {
      await this.#kept.setMissing([...this.#missing]);
    } catch (error) {
      this.#host.log("warn", "who was heard was not stored", { reason: (error as Error).message });
    }
  }
}
