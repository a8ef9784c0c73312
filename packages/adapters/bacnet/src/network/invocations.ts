import type { Address } from "./address.ts";
import type { Fault } from "./fault.ts";

/** A pending request. It settles once; later results are ignored. */
export interface Invocation {
  readonly id: number;
  readonly address: Address;
  readonly outcome: Promise<unknown>;
  readonly settle: (answer: unknown) => void;
  readonly fail: (fault: Fault) => void;
  /** How the device has refused the request, which the library does not tell. */
  refusal?: "reject" | "abort";
}

/** An invoke id has one octet. Fewer are in use at once, so that a late answer meets no new request. */
const ids = 255;
const most = 128;

/** The invoke ids of requests. An id belongs to the device that was asked until the library is done with it. */
export class Invocations {
  readonly #pending = new Map<number, Invocation>();
  #last = 0;

  /** Returns a new request with a free id; undefined when too many are pending. */
  take(address: Address): Invocation | undefined {
    if (this.#pending.size >= most) return undefined;
    do this.#last = (this.#last % ids) + 1;
    while (this.#pending.has(this.#last));
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const invocation = { id: this.#last, address, outcome: promise, settle: resolve, fail: reject };
    this.#pending.set(this.#last, invocation);
    return invocation;
  }

  /** Returns the request that an answer from an address is for. */
  find(id: number, from: Address): Invocation | undefined {
    const invocation = this.#pending.get(id);
    return invocation?.address === from ? invocation : undefined;
  }

  free(id: number): void {
    this.#pending.delete(id);
  }

  /** Fails all requests. Their ids stay in use until the library times out. */
  failAll(fault: Fault): void {
    for (const { fail } of this.#pending.values()) fail(fault);
  }
}
