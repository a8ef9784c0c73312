import type { AdapterClock, AdapterErrorCode, AdapterLog } from "./adapter.ts";
import { AdapterError } from "./adapter.ts";
import { asAdapterError } from "./fault.ts";
import type { FromAdapter } from "./messages.ts";
import { AbortAhead, type ReadyAbort } from "./ready-abort.ts";

/** How long an adapter may take to react to an abort; after that the command is answered without it. */
const abortGraceMs = 1000;

interface Send {
  readonly abort: ReadyAbort;
  /** Why the command was aborted. */
  reason: AdapterErrorCode | undefined;
  stopTimer: () => void;
}

/** The commands and requests that the adapter is carrying out. Answers each exactly once. */
export class SendsUnderWay {
  readonly #clock: AdapterClock;
  readonly #post: (message: FromAdapter) => void;
  readonly #log: AdapterLog;
  readonly #sends = new Map<number, Send>();
  readonly #aborts = new AbortAhead();

  constructor(clock: AdapterClock, post: (message: FromAdapter) => void, log: AdapterLog) {
    this.#clock = clock;
    this.#post = post;
    this.#log = log;
  }

  /** Runs a command and posts its outcome: the adapter's, or `timeout` after `timeoutMs`. */
  begin(
    { id, timeoutMs }: { readonly id: number; readonly timeoutMs: number },
    run: (signal: AbortSignal) => Promise<unknown>,
  ): void {
    const send: Send = { abort: this.#aborts.take(), reason: undefined, stopTimer: () => {} };
    this.#sends.set(id, send);
    // Most adapters give their first frame away in this call, so that comes before the timer.
    void this.#follow(id, send, run);
    this.#aborts.prepare();
    send.stopTimer = this.#clock.after(timeoutMs, () => this.#abort(id, "timeout"));
  }

  cancel(id: number): void {
    this.#abort(id, "cancelled");
  }

  /** Answers the commands that the adapter left unanswered when it stopped. */
  end(): void {
    for (const id of this.#sends.keys()) this.#fail(id, "stopped", "the adapter has stopped");
  }

  async #follow(id: number, send: Send, run: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    let value: unknown;
    try {
      value = await run(send.abort.signal);
    } catch (raised) {
      const error = asAdapterError(raised, "send", this.#log);
      this.#fail(id, error.code === "cancelled" ? (send.reason ?? error.code) : error.code, error.message);
      return;
    }
    if (!this.#finish(id)) return;
    this.#post(
      value === undefined ? { type: "outcome", id, ok: true } : { type: "outcome", id, ok: true, value },
    );
  }

  #abort(id: number, reason: "timeout" | "cancelled"): void {
    const send = this.#sends.get(id);
    if (!send || send.reason) return;
    send.reason = reason;
    send.stopTimer();
    send.stopTimer = this.#clock.after(abortGraceMs, () => this.#fail(id, reason, "no answer in time"));
    send.abort.abort(new AdapterError(reason, reason));
  }

  #fail(id: number, code: AdapterErrorCode, message: string): void {
    if (this.#finish(id)) this.#post({ type: "outcome", id, ok: false, code, message });
  }

  /** Returns false when the command was already answered. */
  #finish(id: number): boolean {
    this.#sends.get(id)?.stopTimer();
    return this.#sends.delete(id);
  }
}
