import { limits } from "@ledge/model";

interface Tally {
  steps: number;
  units: number;
  isWarned: boolean;
}

/** What a step adds up to: nothing to speak of, something that people should know, or too much. */
export type Judged = "fine" | "warn" | "stop";

/** How much work the machines of custom rules have done lately; it begins anew with the process. */
export class Effort {
  readonly #byMachine = new Map<string, Tally>();

  /** Notes a step. Work is judged by its mean over `limits.ruleMeanSteps`: what is too much twice is stopped. */
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

  /** What is turned on again is not blamed for what it did before. */
  forget(machine: string): void {
    this.#byMachine.delete(machine);
  }
}
