import type { ClientHttp2Session } from "node:http2";
import { setImmediate } from "node:timers/promises";
import type { Clock } from "@ledge/kernel";
import { type BegunChanges, beginChanges } from "./pull.ts";

/** An answer that was asked for before the one in front of it is stored. */
interface Ahead {
  readonly session: ClientHttp2Session;
  readonly cursor: string;
  readonly answer: Promise<BegunChanges | undefined>;
}

/**
 * Asks one hub for its changes. While the cloud stores an answer, the hub already makes the next one, which waits in
 * the tunnel.
 */
export class Asking {
  readonly #clock: Pick<Clock, "after">;
  readonly #signal: AbortSignal;
  #ahead: Ahead | undefined;

  /** @param signal ends every request */
  constructor(clock: Pick<Clock, "after">, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Returns the answer to a cursor once it begins; see `beginChanges`. */
  next(session: ClientHttp2Session, cursor: string | null): Promise<BegunChanges | undefined> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    if (ahead?.session === session && ahead.cursor === cursor) return ahead.answer;
    if (ahead) drop(ahead);
    return beginChanges(session, cursor, this.#clock, this.#signal);
  }

  /** Asks for the answer that follows one which is not stored yet. Resolves when the request has left. */
  async ahead(session: ClientHttp2Session, cursor: string): Promise<void> {
    if (this.#ahead) drop(this.#ahead);
    const answer = beginChanges(session, cursor, this.#clock, this.#signal);
    // Who asks for the next answer gets the error.
    answer.catch(() => {});
    this.#ahead = { session, cursor, answer };
    // HTTP/2 sends at the end of a turn, and who stores an answer keeps the turn for long.
    await setImmediate();
  }

  /** Ends the request that nobody will read. */
  end(): void {
    if (this.#ahead) drop(this.#ahead);
    this.#ahead = undefined;
  }
}

function drop({ answer }: Ahead): void {
  answer.then((begun) => begun?.end()).catch(() => {});
}
