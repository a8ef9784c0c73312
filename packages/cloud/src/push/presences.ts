import type { Tunnels } from "../relay/tunnels.ts";

/** Whether hubs are connected to the platform, and since when. */
export class Presences {
  readonly #tunnels: Pick<Tunnels, "of" | "onChanged">;
  /** When (ms since the epoch) the connection of a hub last changed since the start. */
  readonly #since = new Map<string, number>();

  /** @param now the platform's time, ms since the epoch */
  constructor(tunnels: Pick<Tunnels, "of" | "onChanged">, now: () => number) {
    this.#tunnels = tunnels;
    tunnels.onChanged((hubId) => this.#since.set(hubId, now()));
  }

  isConnected(hubId: string): boolean {
    return this.#tunnels.of(hubId) !== undefined;
  }

  /** Returns when that last changed; null when it has not since the start. */
  sinceOf(hubId: string): number | null {
    return this.#since.get(hubId) ?? null;
  }

  /** Calls back with the id of a hub whose connection has changed; returns a function that unsubscribes. */
  onChanged(callback: (hubId: string) => void): () => void {
    return this.#tunnels.onChanged(callback);
  }

  /** Forgets a hub that is gone. */
  forget(hubId: string): void {
    this.#since.delete(hubId);
  }
}
