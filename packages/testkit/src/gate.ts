/** Holds back its callers while it is closed. Simulates a slow disk or a slow answer. */
export class Gate {
  #isOpen = true;
  #waiting: (() => void)[] = [];

  /** How many callers wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  close(): void {
    this.#isOpen = false;
  }

  /** Lets all callers pass, waiting and new ones. */
  open(): void {
    this.#isOpen = true;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Lets one waiting caller pass and stays closed. */
  step(): void {
    this.#waiting.shift()?.();
  }

  /** Resolves once the gate lets the caller pass. */
  async pass(): Promise<void> {
    if (this.#isOpen) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}
