import type { Tunnels } from "../relay/tunnels.ts";

/** Whether hubs are connected to the platform, and since when. */
export class Presences {
  readonly #tunnels: Pick<Tunnels, "reach">;
  /** When (ms since the epoch) the connection of a hub last changed since the start. */
  readonly #since = new Map<string, number>();
  readonly #followers = new Map<string, Set<() => void>>();

  /** @param now the platform's time, ms since the epoch */
  constructor(tunnels: Pick<Tunnels, "reach" | "onReach">, now: () => number) {
    this.#tunnels = tunnels;
    tunnels.onReach((hubId) => {
      this.#since.set(hubId, now());
      for (const changed of this.#followers.get(hubId) ?? []) changed();
    });
  }

  isConnected(hubId: string): boolean {
    return this.#tunnels.reach(hubId) === "open";
  }

  /** Returns when that last changed; null when it has not since the start. */
  sinceOf(hubId: string): number | null {
    return this.#since.get(hubId) ?? null;
  }

  /** Calls back when the connection of a hub has changed; returns a function that unsubscribes. */
  follow(hubId: string, changed: () => void): () => void {
    const followers = this.#followers.get(hubId) ?? new Set();
    this.#followers.set(hubId, followers.add(changed));
    return () => {
      followers.delete(changed);
      if (followers.size === 0 && this.#followers.get(hubId) === followers) this.#followers.delete(hubId);
    };
  }

  /** Forgets since when a hub that is gone was connected. */
  forget(hubId: string): void {
    this.#since.delete(hubId);
  }
}
