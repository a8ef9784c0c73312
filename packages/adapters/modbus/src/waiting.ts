import { Fault } from "./fault.ts";
import type { Request } from "./request.ts";

/** A request that is waiting for a line or pending on it. It settles once; later results are ignored. */
export class Waiting {
  readonly unit: number;
  readonly request: Request;
  readonly outcome: Promise<readonly number[]>;
  readonly #resolve: (words: readonly number[]) => void;
  readonly #reject: (fault: Fault) => void;
  readonly #signal: AbortSignal | undefined;
  #settled = false;

  /** @param signal cancels the request: it fails with `cancelled`. */
  constructor(unit: number, request: Request, signal: AbortSignal | undefined) {
    const { promise, resolve, reject } = Promise.withResolvers<readonly number[]>();
    this.unit = unit;
    this.request = request;
    this.outcome = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = signal;
    signal?.addEventListener("abort", this.#takeBack, { once: true });
    if (signal?.aborted === true) this.#takeBack();
  }

  get settled(): boolean {
    return this.#settled;
  }

  settle(outcome: readonly number[] | Fault): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#signal?.removeEventListener("abort", this.#takeBack);
    if (outcome instanceof Fault) this.#reject(outcome);
    else this.#resolve(outcome);
  }

  readonly #takeBack = (): void => this.settle(new Fault("cancelled", "taken back"));
}
