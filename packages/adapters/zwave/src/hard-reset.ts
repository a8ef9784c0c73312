import { randomBytes } from "node:crypto";
import type { AdapterClock } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Radio } from "./radio.ts";

/** How long the second call may take, ms. */
const confirmedWithinMs = 60_000;
const wordBytes = 4;

/**
 * Resets the stick: its network is gone, and all devices must join anew. It must be asked for twice, the second time with
 * the word that the first call gave.
 */
export class HardReset {
  readonly #clock: AdapterClock;
  readonly #radio: Radio;
  #word: string | undefined;
  #cancelWord = (): void => {};

  constructor(clock: AdapterClock, radio: Radio) {
    this.#clock = clock;
    this.#radio = radio;
  }

  /** @returns `done`, or the word that confirms it. @throws AdapterError */
  async ask(confirm: unknown): Promise<{ readonly done: boolean; readonly confirm: string | null }> {
    this.#radio.controller();
    const { driver } = this.#radio;
    if (confirm === undefined || confirm === null) {
      this.#cancelWord();
      this.#word = randomBytes(wordBytes).toString("hex");
      this.#cancelWord = this.#clock.after(confirmedWithinMs, () => (this.#word = undefined));
      return { done: false, confirm: this.#word };
    }
    if (this.#word === undefined || confirm !== this.#word)
      throw new AdapterError("refused", "confirm: is not what the first call answered in the last minute");
    this.#word = undefined;
    this.#cancelWord();
    await driver?.hardReset();
    return { done: true, confirm: null };
  }

  stop(): void {
    this.#cancelWord();
    this.#word = undefined;
  }
}
