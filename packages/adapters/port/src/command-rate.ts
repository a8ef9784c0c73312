import type { AdapterClock } from "./adapter.ts";

/** Commands of one client: so many at once, and so many in a second after that. */
const atOnce = 256;
const perS = 2;
const clientsAtMost = 256;

/** Counts commands of clients, so that none of them fills the hub's log. */
export class CommandRate {
  readonly #clock: Pick<AdapterClock, "now">;
  /** How many commands a client has used up at a time; the client of the latest is last. */
  readonly #used = new Map<string, { readonly count: number; readonly at: number }>();

  constructor(clock: Pick<AdapterClock, "now">) {
    this.#clock = clock;
  }

  /** Counts a command of a client. @returns false when it must wait */
  take(client: string): boolean {
    const now = this.#clock.now();
    const { count, at } = this.#used.get(client) ?? { count: 0, at: now };
    const left = Math.max(0, count - (Math.max(0, now - at) / 1000) * perS);
    if (left + 1 > atOnce) return false;
    this.#used.delete(client);
    const [oldest] = this.#used.keys();
    if (oldest !== undefined && this.#used.size >= clientsAtMost) this.#used.delete(oldest);
    this.#used.set(client, { count: left + 1, at: now });
    return true;
  }
}
