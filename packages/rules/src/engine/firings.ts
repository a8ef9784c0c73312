const minuteMs = 60_000;

/** Counts how often machines of rules have acted lately; a restart of the process clears it. */
export class Firings {
  readonly #byMachine = new Map<string, number[]>();

  /** Counts actions of a machine at `now` (ms); returns whether there were more than `most` within a minute. */
  note(machine: string, most: number, now: number, times = 1): boolean {
    const lately = (this.#byMachine.get(machine) ?? []).filter((at) => now - at < minuteMs);
    for (let left = times; left > 0; left--) lately.push(now);
    this.#byMachine.set(machine, lately);
    return lately.length > most;
  }

  /** Forgets a machine, so that a rule that is turned on again starts with a clean slate. */
  forget(machine: string): void {
    this.#byMachine.delete(machine);
  }
}
