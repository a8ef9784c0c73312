import { limits } from "@ledge/model";
import { AdapterError, type AdapterHost, type NativeId } from "@ledge/port";
import { faultOf } from "../fault.ts";
import type { NodeNotes } from "./notes.ts";

const dayMs = 86_400_000;

/** What ends an attempt without a word of the device. */
const unheard: ReadonlySet<string> = new Set(["unreachable", "timeout"]);

/** Options of `UpgradeQueue`. */
export interface UpgradeQueueOptions {
  readonly host: AdapterHost;
  readonly notes: NodeNotes;
  /** Whether the network is up. */
  readonly isUp: () => boolean;
}

/**
 * Upgrades of devices that sleep. A request is stored until the device has woken up and fetches the image. It ends as
 * failed when the device does not wake up for `limits.upgradeQueuedMs`, refuses, or does not answer although it is awake
 * `limits.upgradeLostOffers` times.
 */
export class UpgradeQueue {
  readonly #options: UpgradeQueueOptions;
  /** Cancels of the ends of requests. */
  readonly #ends = new Map<NativeId, () => void>();

  constructor(options: UpgradeQueueOptions) {
    this.#options = options;
  }

  has(native: NativeId): boolean {
    return this.#options.notes.of(native).queued !== undefined;
  }

  /** Stores a request. Resolves when it is durable. */
  async add(native: NativeId): Promise<void> {
    const { notes, host } = this.#options;
    const { failure: _, ...note } = notes.of(native);
    await notes.put(native, { ...note, queued: { since: host.clock.now(), failures: 0 } });
    this.resume(native);
  }

  /** Gives up a request. @throws AdapterError `refused` when none waits */
  async cancel(native: NativeId): Promise<void> {
    if (!this.has(native)) throw new AdapterError("refused", "no upgrade waits for this device");
    this.forget(native);
    await this.#options.notes.dequeue(native);
  }

  /** Ends a stored request when its time is over. */
  resume(native: NativeId): void {
    const { notes, host } = this.#options;
    const { queued } = notes.of(native);
    if (queued === undefined) return;
    const left = queued.since + limits.upgradeQueuedMs - host.clock.now();
    this.forget(native);
    const late = `the device has not woken up for ${limits.upgradeQueuedMs / dayMs} days: wake it up and start again`;
    const cancel = host.clock.after(Math.min(Math.max(left, 0), limits.upgradeQueuedMs), () =>
      this.#fail(native, late),
    );
    this.#ends.set(native, cancel);
  }

  /** The device is awake, and an attempt did not begin. */
  async notBegun(native: NativeId, error: unknown): Promise<void> {
    const { notes, host, isUp } = this.#options;
    const { code, message } = faultOf(error);
    const { queued, ...note } = notes.of(native);
    // Without the network nothing was learnt of the device.
    if (queued === undefined || !isUp()) return;
    host.log("info", "a queued upgrade has not begun", { native, reason: message });
    const failures = queued.failures + 1;
    if (!unheard.has(code)) this.#fail(native, message);
    else if (failures >= limits.upgradeLostOffers)
      this.#fail(native, `the device was awake ${failures} times and did not answer: ${message}`);
    else await notes.put(native, { ...note, queued: { ...queued, failures } });
  }

  /** Leaves the stored request as it is. */
  forget(native: NativeId): void {
    this.#ends.get(native)?.();
    this.#ends.delete(native);
  }

  stop(): void {
    for (const native of this.#ends.keys()) this.forget(native);
  }

  #fail(native: NativeId, message: string): void {
    const { notes, host } = this.#options;
    this.forget(native);
    host.log("warn", "an upgrade failed", { native, reason: message });
    notes
      .fail(native, message)
      .catch((error: unknown) =>
        host.log("warn", "an upgrade was not stored", { reason: faultOf(error).message }),
      );
  }
}
