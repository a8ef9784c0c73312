import type { Clock } from "./clock.ts";
import type { CompletionMessage } from "./protocol/messages.ts";

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly cancelTimeout: () => void;
}

/** Calls of a client's methods that expect an answer. */
export class ClientCalls {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #waiting: Map<string, Waiting> | undefined;
  #count = 0;

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Waits for an answer.
   * @param send sends the call under the invocation id
   */
  call(target: string, send: (invocationId: string) => void): Promise<unknown> {
    const invocationId = `s${++this.#count}`;
    const waiting = (this.#waiting ??= new Map<string, Waiting>());
    return new Promise((resolve, reject) => {
      const cancelTimeout = this.#clock.after(this.#timeoutMs, () => {
        waiting.delete(invocationId);
        reject(new Error(`the client did not answer '${target}' within ${this.#timeoutMs} ms`));
      });
      waiting.set(invocationId, { resolve, reject, cancelTimeout });
      try {
        send(invocationId);
      } catch (error) {
        cancelTimeout();
        waiting.delete(invocationId);
        reject(error);
      }
    });
  }

  /** Takes a client's answer. An answer that nothing waits for is ignored: it may be late. */
  complete({ invocationId, error, result }: CompletionMessage): void {
    const waiting = this.#waiting?.get(invocationId);
    if (waiting === undefined) return;
    this.#waiting?.delete(invocationId);
    waiting.cancelTimeout();
    if (error === undefined) waiting.resolve(result);
    else waiting.reject(new Error(error));
  }

  /** Fails all that wait. */
  end(error: Error): void {
    for (const { cancelTimeout, reject } of this.#waiting?.values() ?? []) {
      cancelTimeout();
      reject(error);
    }
    this.#waiting = undefined;
  }
}
