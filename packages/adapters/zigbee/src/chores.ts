import type { AdapterLog } from "@ledge/port";
import { faultOf } from "./fault.ts";

/** As many at once: commands have the air before them. */
const atOnce = 2;

interface Chore {
  readonly key: string;
  readonly run: () => Promise<void>;
}

/** What nobody waits for, a few at a time: pings, reading anew, setting up. None of a key is begun while one runs. */
export class Chores {
  readonly #log: AdapterLog;
  #waiting: Chore[] = [];
  readonly #running = new Set<string>();

  constructor(log: AdapterLog) {
    this.#log = log;
  }

  /**
   * @param key of which one waits at most: a second is the same.
   * @param when `next` goes before all that wait.
   */
  add(key: string, run: () => Promise<void>, when: "next" | "in turn" = "in turn"): void {
    if (this.#waiting.some((chore) => chore.key === key)) return;
    if (when === "next") this.#waiting.unshift({ key, run });
    else this.#waiting.push({ key, run });
    this.#begin();
  }

  /** Forgets what waits. */
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
      this.#log("debug", "a chore was left undone", { chore: key, reason: faultOf(error).message });
    }
    this.#running.delete(key);
    this.#begin();
  }
}
