import type { Clock, Kernel } from "@ledge/kernel";
import type { Command } from "@ledge/model";
import { limits } from "@ledge/model";

/**
 * Which users have an active session: they poll. Held in memory; only a user coming or going is an event.
 */
export class Presence {
  readonly #kernel: Kernel;
  readonly #clock: Clock;
  readonly #polledAt = new Map<string, number>();
  #cancel: () => void = () => {};

  constructor(kernel: Kernel, clock: Clock) {
    this.#kernel = kernel;
    this.#clock = clock;
    for (const [id, { connected }] of kernel.all("user"))
      if (connected) this.#polledAt.set(id, clock.monotonic());
    this.#sweep();
  }

  /** A user's client has polled. */
  polled(user: string): void {
    const known = this.#polledAt.has(user);
    this.#polledAt.set(user, this.#clock.monotonic());
    if (!known) this.#note(user, true);
  }

  stop(): void {
    this.#cancel();
  }

  #sweep(): void {
    const oldest = this.#clock.monotonic() - limits.presenceMs;
    for (const [user, at] of this.#polledAt) {
      if (at > oldest) continue;
      this.#polledAt.delete(user);
      this.#note(user, false);
    }
    this.#cancel = this.#clock.after(limits.presenceMs / 5, () => this.#sweep());
  }

  #note(id: string, connected: boolean): void {
    const command = { type: "SET_USER_CONNECTED", id, connected } as Command;
    // Whoever polls does not wait for this, and what fails here shows again with the next poll.
    this.#kernel.submit({ commands: [command], origin: "system", quiet: true }).catch(() => undefined);
  }
}
