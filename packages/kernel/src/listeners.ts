import type { Commit, LoggedEvent } from "@ledge/model";
import type { KernelState } from "./health.ts";
import type { KernelListener } from "./kernel.ts";

/** The listeners of the commit loop, in order of subscription. */
export class Listeners {
  readonly #listeners = new Set<KernelListener>();

  /** Adds a listener. Returns a function that removes it. */
  subscribe(listener: KernelListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  decided(timestamp: number, firstIndex: number, events: readonly LoggedEvent[], relayed: boolean): void {
    for (const listener of this.#listeners) listener.decided?.(timestamp, firstIndex, events, relayed);
  }

  published(commit: Commit): void {
    for (const listener of this.#listeners) listener.published?.(commit);
  }

  failed(events: readonly LoggedEvent[]): void {
    if (events.length === 0) return;
    for (const listener of this.#listeners) listener.failed?.(events);
  }

  stateChanged(state: KernelState): void {
    for (const listener of this.#listeners) listener.stateChanged?.(state);
  }
}
