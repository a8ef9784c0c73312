import type { AdapterClock } from "@ledge/port";
import { Confirmation } from "./confirmation.ts";
import type { Radio } from "./radio.ts";

const what = "hard reset";

/** Resets the stick: its network is gone, and all devices must join anew. It must be asked for twice. */
export class HardReset {
  readonly #radio: Radio;
  readonly #confirmation: Confirmation;

  constructor(clock: AdapterClock, radio: Radio) {
    this.#radio = radio;
    this.#confirmation = new Confirmation(clock);
  }

  /** @returns `done`, or the word that confirms it. @throws AdapterError */
  async ask(confirm: unknown): Promise<{ readonly done: boolean; readonly confirm: string | null }> {
    this.#radio.controller();
    const { driver } = this.#radio;
    const word = this.#confirmation.wordFor(what, confirm);
    if (word !== null) return { done: false, confirm: word };
    await driver?.hardReset();
    return { done: true, confirm: null };
  }

  stop(): void {
    this.#confirmation.stop();
  }
}
