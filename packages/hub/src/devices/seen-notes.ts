import type { Clock, Kernel } from "@ledge/kernel";
import { limits, seenId } from "@ledge/model";

/** Remembers when devices were last heard of, and writes it down for all of them now and then. */
export class SeenNotes {
  readonly #kernel: Kernel;
  readonly #clock: Clock;
  #unwritten = new Map<string, number>();
  #cancel: () => void = () => {};

  /** Takes over what was written down before. */
  constructor(kernel: Kernel, clock: Clock) {
    this.#kernel = kernel;
    this.#clock = clock;
    for (const [id, at] of Object.entries(kernel.get("seen", seenId)?.at ?? {}))
      kernel.touch("device", id, at);
    this.#wait();
  }

  /** A device was heard of at `at` (ms). */
  heard(id: string, at: number): void {
    this.#unwritten.set(id, at);
    this.#kernel.touch("device", id, at);
  }

  /** Writes down what has not been yet. */
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
      // What cannot be written now is noted with the next report or in the next round.
      this.write().catch(() => undefined);
      this.#wait();
    });
  }
}
