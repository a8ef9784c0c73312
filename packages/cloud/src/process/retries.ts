import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";

interface Retry {
  /** Undefined while it is tried. */
  cancel: (() => void) | undefined;
  readonly failures: number;
}

/**
 * Does again what has failed, after `limits.retryMinMs` and then after longer and longer, up to `limits.retryMaxMs`.
 * What is tried goes by a key. Nothing of it survives the process.
 */
export class Retries {
  readonly #clock: Pick<Clock, "after">;
  readonly #retries = new Map<string, Retry>();
  #isStopped = false;

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  /** Notes a failure. @param act is called once, in place of another under the same key */
  failed(key: string, act: () => void): void {
    if (this.#isStopped) return;
    const before = this.#retries.get(key);
    before?.cancel?.();
    const { failures } = before ?? { failures: 0 };
    const ms = Math.min(limits.retryMinMs * 2 ** Math.min(failures, 30), limits.retryMaxMs);
    const retry: Retry = { cancel: undefined, failures: failures + 1 };
    retry.cancel = this.#clock.after(ms, () => {
      retry.cancel = undefined;
      act();
    });
    this.#retries.set(key, retry);
  }

  /** Whether something waits to be tried again. */
  isWaiting(key: string): boolean {
    return this.#retries.get(key)?.cancel !== undefined;
  }

  /** Notes a success: nothing is tried again under the key, and the next failure counts as the first. */
  succeeded(key: string): void {
    this.#retries.get(key)?.cancel?.();
    this.#retries.delete(key);
  }

  stop(): void {
    this.#isStopped = true;
    for (const { cancel } of this.#retries.values()) cancel?.();
    this.#retries.clear();
  }
}
