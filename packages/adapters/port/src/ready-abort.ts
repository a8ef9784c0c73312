/**
 * An abort that is made ahead of the command that it belongs to. Node makes the signal of an `AbortController` when
 * it is first read, and both take as long as the rest of a short step on the way of a command.
 */
export class ReadyAbort {
  readonly #controller = new AbortController();
  readonly signal: AbortSignal = this.#controller.signal;

  abort(reason?: unknown): void {
    this.#controller.abort(reason);
  }
}

/** Has an abort ready for the next command. Two commands never get the same one. */
export class AbortAhead {
  #next: ReadyAbort | undefined = new ReadyAbort();

  /** Gives the abort that is ready, or a new one when `prepare` was not called since. */
  take(): ReadyAbort {
    const next = this.#next ?? new ReadyAbort();
    this.#next = undefined;
    return next;
  }

  /** Makes the next one, once the command before is on its way. */
  prepare(): void {
    this.#next ??= new ReadyAbort();
  }
}
