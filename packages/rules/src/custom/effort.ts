import { limits } from "@ledge/model";

interface Tally {
  steps: number;
  units: number;
  isWarned: boolean;
}

/** The verdict on a machine's work: fine, worth a warning, or too much. */
export type Judged = "fine" | "warn" | "stop";

/** Counts how much work the machines of custom rules have done lately; a restart of the process clears it. */
export class Effort {
  readonly #byMachine = new Map<string, Tally>();

  /**
   * Notes a step. Judges the mean work over `limits.ruleMeanSteps` steps: too much warns the first time and
   * stops the second.
   */
  note(machine: string, units: number): Judged {
    const tally = this.#byMachine.get(machine) ?? { steps: 0, units: 0, isWarned: false };
    this.#byMachine.set(machine, tally);
    tally.steps++;
    tally.units += units;
    if (tally.steps < limits.ruleMeanSteps) return "fine";
    const isTooMuch = tally.units > limits.ruleMeanUnits * tally.steps;
    const judged = !isTooMuch ? "fine" : tally.isWarned ? "stop" : "warn";
    this.#byMachine.set(machine, { steps: 0, units: 0, isWarned: isTooMuch });
    return judged;
  }

  /** Forgets a machine, so that a rule that is turned on again starts with a clean slate. */
  forget(machine: string): void {
    this.#byMachine.delete(machine);
  }
}
