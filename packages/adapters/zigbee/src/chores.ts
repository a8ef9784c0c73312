import type { AdapterLog } from "@ledge/port";
import { faultOf } from "./fault.ts";

/** How many run at once; few, so that commands find the radio free. */
const atOnce = 2;

interface Chore {
  readonly key: string;
  readonly run: () => Promise<void>;
}

/** Runs background work a few at a time: pings, reads, set-up. Never runs two chores of a key at once. */
export class Chores {
  readonly #log: AdapterLog;
  #waiting: Chore[] = [];
  readonly #running = new Set<string>();

  constructor(log: AdapterLog) {
    this.#log = log;
  }

  /**
   * Queues a chore.
   * @param key at most one chore of a key waits; a second is dropped.
   * @param when `next` goes before all waiting chores.
   */
  add(key: string, run: () => Promise<void>, when: "next" | "in turn" = "in turn"): void {
    if (this.#waiting.some((chore) => chore.key === key)) return;
    if (when === "next") this.#waiting.unshift({ key, run });
    else this.#waiting.push({ key, run });
    this.#begin();
  }

  /** Drops the waiting chores. */
  clear(): void {
    this.#waiting = [];
  }

  #begin(): void {
    while (this.#running.size < atOnce) {
      const next = this.#waiting.find(({ key }) => !this.#running.has(key));
      if (next === undefined) return;
      this.#waiting = this.#waiting.filter((chore) => chore !== next);
      this.#running.add(next.key);
      void this.#do(next);
    }
  }

  async #do({ key, run }: Chore): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.#log("debug", "a background task failed", { chore: key, reason: faultOf(error).message });
    }
    this.#running.delete(key);
    this.#begin();
  }
}
