const minuteMs = 60_000;

/** How often machines of rules have done something lately; it begins anew with the process. */
export class Firings {
  readonly #byMachine = new Map<string, number[]>();

  /** Notes that a machine does it so many times at `now` (ms); true when that is more than `most` within a minute. */
  note(machine: string, most: number, now: number, times = 1): boolean {
    const lately = (this.#byMachine.get(machine) ?? []).filter((at) => now - at < minuteMs);
    for (let left = times; left > 0; left--) lately.push(now);
    this.#byMachine.set(machine, lately);
    return lately.length > most;
  }

  /** What is turned on again is not blamed for what it did before. */
  forget(machine: string): void {
    this.#byMachine.delete(machine);
  }
}
