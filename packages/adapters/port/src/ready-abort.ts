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
