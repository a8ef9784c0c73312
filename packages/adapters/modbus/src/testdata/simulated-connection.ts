import type { AdapterClock } from "@ledge/port";
import type { Connection } from "../connection.ts";
import { exceptionFault, Fault } from "../fault.ts";
import type { ReadRequest, Request, TableRequest } from "../request.ts";

/** After `ms`: words or a fault. Never: no answer at all. */
export type Reaction = { readonly ms: number; readonly answer: readonly number[] | Fault } | "never";

/** A connection without a line: a function answers each request, on a given clock. */
export class SimulatedConnection implements Connection {
  readonly #clock: AdapterClock;
  readonly #react: (unit: number, request: TableRequest) => Reaction;
  readonly #closing = Promise.withResolvers<void>();
  readonly #underWay = new Set<(fault: Fault) => void>();
  isOpen = true;
  mostAtOnce = 0;

  constructor(clock: AdapterClock, react: (unit: number, request: TableRequest) => Reaction) {
    this.#clock = clock;
    this.#react = react;
  }

  get closed(): Promise<void> {
    return this.#closing.promise;
  }

  exchange(unit: number, request: Request): Promise<readonly number[]> {
    if (request.kind === "identify") return Promise.reject(exceptionFault(1));
    return new Promise((resolve, reject) => {
      const end = (outcome: readonly number[] | Fault): void => {
        this.#underWay.delete(end);
        if (outcome instanceof Fault) reject(outcome);
        else resolve(outcome);
      };
      this.#underWay.add(end);
      this.mostAtOnce = Math.max(this.mostAtOnce, this.#underWay.size);
      const reaction = this.#react(unit, request);
      if (reaction !== "never") this.#clock.after(reaction.ms, () => end(reaction.answer));
    });
  }

  giveUp(fault: Fault): void {
    for (const end of this.#underWay) end(fault);
  }

  probeBefore(): ReadRequest | undefined {
    return undefined;
  }

  transmissionMs(): number {
    return 0;
  }

  restMs(): number {
    return 0;
  }

  /** Simulates the loss of the line. */
  lose(): void {
    this.isOpen = false;
    this.giveUp(new Fault("closed", "lost"));
    this.#closing.resolve();
  }

  destroy(): Promise<void> {
    this.lose();
    return Promise.resolve();
  }
}
