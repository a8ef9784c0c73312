import type { Clock, Kernel } from "@ledge/kernel";
import { limits, seenId } from "@ledge/model";

/** Remembers when devices were last heard from, and writes that for all of them at intervals. */
export class SeenNotes {
  readonly #kernel: Kernel;
  readonly #clock: Clock;
  #unwritten = new Map<string, number>();
  #cancel: () => void = () => {};

  /** Loads the times that were written before. */
  constructor(kernel: Kernel, clock: Clock) {
    this.#kernel = kernel;
    this.#clock = clock;
    for (const [id, at] of Object.entries(kernel.get("seen", seenId)?.at ?? {}))
      kernel.touch("device", id, at);
    this.#wait();
  }

  /** Records that a device was heard from at `at` (ms). */
  heard(id: string, at: number): void {
    this.#unwritten.set(id, at);
    this.#kernel.touch("device", id, at);
  }

  /** Writes the times that have changed. */
  async write(): Promise<void> {
    if (this.#unwritten.size === 0) return;
    const at = Object.fromEntries(this.#unwritten);
    this.#unwritten = new Map();
    await this.#kernel.submit({
      commands: [{ type: "NOTE_SEEN", at } as never],
      origin: "system",
      quiet: true,
    });
  }

  stop(): void {
    this.#cancel();
  }

  #wait(): void {
    this.#cancel = this.#clock.after(limits.lastSeenLoggedMs, () => {
      // A failed write is repeated with the next report or the next round.
      this.write().catch(() => undefined);
      this.#wait();
    });
  }
}
