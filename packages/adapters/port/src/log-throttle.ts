import type { AdapterClock, AdapterLog } from "./adapter.ts";

const windowMs = 10_000;
const linesPerWindow = 200;

/** Passes log lines on until there are too many in a short time, then says how many were left out. */
export class LogThrottle {
  readonly #clock: Pick<AdapterClock, "after">;
  readonly #log: AdapterLog;
  #lines = 0;
  #leftOut = 0;
  #open = false;

  constructor(clock: Pick<AdapterClock, "after">, log: AdapterLog) {
    this.#clock = clock;
    this.#log = log;
  }

  log(...[level, message, fields]: Parameters<AdapterLog>): void {
    if (!this.#open) this.#openWindow();
    if (this.#lines >= linesPerWindow) {
      this.#leftOut += 1;
      return;
    }
    this.#lines += 1;
    this.#log(level, message, fields);
  }

  #openWindow(): void {
    this.#open = true;
    this.#lines = 0;
    this.#clock.after(windowMs, () => {
      this.#open = false;
      if (this.#leftOut === 0) return;
      const fields = { leftOut: this.#leftOut };
      this.#leftOut = 0;
      this.#log("warn", "the adapter logs too much", fields);
    });
  }
}
