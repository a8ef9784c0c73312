/** Holds back whoever passes while it is closed: a slow disk, an answer that keeps others waiting. */
export class Gate {
  #isOpen = true;
  #waiting: (() => void)[] = [];

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  close(): void {
    this.#isOpen = false;
  }

  /** Lets all pass, those that wait and those that come. */
  open(): void {
    this.#isOpen = true;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Lets one of those that wait pass and stays closed. */
  step(): void {
    this.#waiting.shift()?.();
  }

  /** Resolves once the gate lets pass. */
  async pass(): Promise<void> {
    if (this.#isOpen) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}
