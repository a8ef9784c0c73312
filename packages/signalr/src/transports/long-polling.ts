import type { Clock } from "../clock.ts";
import type { Answer } from "../http/exchange.ts";
import type { HubSettings } from "../settings.ts";
import { HttpTransport } from "./http-transport.ts";

/** A poll was answered with nothing: the client polls again. */
const again: Answer = { status: 200, headers: { "content-type": "text/plain", "cache-control": "no-store" } };
/** The connection is over, or another poll has taken the place of this one. */
const over: Answer = { status: 204, headers: { "cache-control": "no-store" } };

/** Long polling as transport. The client asks again and again; an answer is held until there is something to say. */
export class LongPollingTransport extends HttpTransport {
  readonly name = "LongPolling";
  readonly keepsAlive = true;
  readonly isTextOnly = false;
  readonly #clock: Clock;
  readonly #times: Pick<HubSettings, "pollMs" | "reconnectMs">;
  #unsent: Uint8Array[] = [];
  #bytes = 0;
  #isBinary = false;
  #isEnding = false;
  /** Answers the poll that is held. */
  #answer: ((answer: Answer) => void) | undefined;
  #isPolled = false;
  #cancelTimer: () => void = () => {};

  constructor(clock: Clock, times: Pick<HubSettings, "pollMs" | "reconnectMs">) {
    super();
    this.#clock = clock;
    this.#times = times;
  }

  get bufferedAmount(): number {
    return this.#bytes;
  }

  /**
   * The answer to a poll.
   * @param onGone calls back when the client has left before the answer
   */
  poll(onGone: (callback: () => void) => void): Promise<Answer> | Answer {
    this.#settle(over);
    if (!this.#isPolled) {
      this.#isPolled = true;
      return this.#answered(again);
    }
    if (this.#unsent.length > 0) return this.#answered(this.#takeUnsent());
    if (this.#isEnding) {
      this.closed();
      return over;
    }
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.#setTimer(this.#times.pollMs, () => this.#settle(this.#answered(again)));
      onGone(() => {
        if (this.#answer === resolve) this.#settle(this.#answered(over));
      });
    });
  }

  send(bytes: Uint8Array, isBinary: boolean): void {
    this.#isBinary = isBinary;
    this.#unsent.push(bytes);
    this.#bytes += bytes.byteLength;
    if (this.#answer !== undefined) this.#settle(this.#answered(this.#takeUnsent()));
  }

  /** The next poll learns that the connection is over; it has `reconnectMs` to come. */
  end(): void {
    this.#isEnding = true;
    if (this.#answer === undefined) return;
    this.#settle(over);
    this.closed();
  }

  override destroy(): void {
    this.#unsent = [];
    this.#bytes = 0;
    this.#settle(over);
    this.#cancelTimer();
    super.destroy();
  }

  /** From now on the client has `reconnectMs` to poll again. */
  #answered(answer: Answer): Answer {
    this.#setTimer(this.#times.reconnectMs, () => this.destroy());
    return answer;
  }

  /** Sets the one timer: of the poll that is held, or else of the next one. */
  #setTimer(ms: number, callback: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#clock.after(ms, callback);
  }

  #settle(answer: Answer): void {
    const resolve = this.#answer;
    this.#answer = undefined;
    resolve?.(answer);
  }

  #takeUnsent(): Answer {
    const body = Buffer.concat(this.#unsent);
    this.#unsent = [];
    this.#bytes = 0;
    setImmediate(() => this.listener?.drained(this));
    const type = this.#isBinary ? "application/octet-stream" : "text/plain; charset=utf-8";
    return { status: 200, headers: { "content-type": type, "cache-control": "no-store" }, body };
  }
}
