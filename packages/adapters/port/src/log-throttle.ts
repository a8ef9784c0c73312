import type { AdapterClock, AdapterLog } from "./adapter.ts";

const windowMs = 10_000;
const linesPerWindow = 200;

/** Forwards up to 200 log lines in 10 seconds, drops the rest, then logs how many it dropped. */
export class LogThrottle {
  readonly #clock: Pick<AdapterClock, "after">;
  readonly #log: AdapterLog;
  #lines = 0;
  #leftOut = 0;
  #closeWindow: (() => void) | undefined;

  constructor(clock: Pick<AdapterClock, "after">, log: AdapterLog) {
    this.#clock = clock;
    this.#log = log;
  }

  log(...[level, message, fields]: Parameters<AdapterLog>): void {
    if (!this.#closeWindow) this.#openWindow();
    if (this.#lines >= linesPerWindow) {
      this.#leftOut += 1;
      return;
    }
    this.#lines += 1;
    this.#log(level, message, fields);
  }

  /** Logs how many lines were dropped so far and closes the window. */
  end(): void {
    this.#closeWindow?.();
    this.#closeWindow = undefined;
    if (this.#leftOut === 0) return;
    const fields = { leftOut: this.#leftOut };
    this.#leftOut = 0;
    this.#log("warn", "the adapter logs too much", fields);
  }

  #openWindow(): void {
    this.#lines = 0;
    this.#closeWindow = this.#clock.after(windowMs, () => this.end());
  }
}
