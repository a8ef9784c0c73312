/** Aborts a signal that costs memory only once somebody has asked for it. */
export class LazyAbort {
  #isAborted = false;
  #controller: AbortController | undefined;

  get isAborted(): boolean {
    return this.#isAborted;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isAborted) this.#controller.abort();
    return this.#controller.signal;
  }

  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort();
  }
}
