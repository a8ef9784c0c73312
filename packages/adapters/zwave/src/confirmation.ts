import { randomBytes } from "node:crypto";
import { type AdapterClock, AdapterError } from "@ledge/port";

/** How long the second call may take, ms. */
const confirmedWithinMs = 60_000;
const wordBytes = 4;

/** Lets something be asked for twice, the second time with the word that the first call gave. */
export class Confirmation {
  readonly #clock: AdapterClock;
  /** What the word is for, and the word. */
  #asked: { readonly what: string; readonly word: string } | undefined;
  #cancelWord = (): void => {};

  constructor(clock: AdapterClock) {
    this.#clock = clock;
  }

  /**
   * Takes either call.
   * @param what is asked for
   * @param given the word that came with the call; undefined or null with the first
   * @returns the word for the second call, after which an earlier one counts no longer; null when the call is confirmed
   * @throws AdapterError `refused` for a wrong word, a late one, or one for something else
   */
  wordFor(what: string, given: unknown): string | null {
    if (given === undefined || given === null) return this.#ask(what);
    if (this.#asked === undefined || given !== this.#asked.word || what !== this.#asked.what)
      throw new AdapterError("refused", "confirm: is not what the first call answered in the last minute");
    this.stop();
    return null;
  }

  stop(): void {
    this.#cancelWord();
    this.#asked = undefined;
  }

  #ask(what: string): string {
    this.stop();
    const word = randomBytes(wordBytes).toString("hex");
    this.#asked = { what, word };
    this.#cancelWord = this.#clock.after(confirmedWithinMs, () => (this.#asked = undefined));
    return word;
  }
}
