// Runs the cases against a reader of bytes or text in this process, which a crash ends; docs/fuzz.md.
import { seeded } from "../crash/random.ts";
import { memoryOf } from "../process-memory.ts";
import type { Target, TargetName, Tried } from "./run.ts";

/** More processor time than this, and a reader hangs: all cases take a few milliseconds at most. */
const hangMs = 1000;

/** How a reader took one case. */
export interface Read {
  readonly outcome: string;
  /** The case, for whoever repeats it. */
  readonly shown: string;
  readonly problems: readonly string[];
}

/** Draws a whole number from 0 to below `count`. */
export type Below = (count: number) => number;

/** A reader of what devices and their gateways send. */
export class ReaderTarget implements Target {
  readonly name: TargetName;
  readonly runs = true;
  readonly #seed: string;
  readonly #read: (below: Below, number: number) => Read;

  /** @param read makes the case of a number from random numbers, and reads it */
  constructor(name: TargetName, seed: string, read: (below: Below, number: number) => Read) {
    this.name = name;
    this.#seed = seed;
    this.#read = read;
  }

  async try(number: number): Promise<Tried> {
    const random = seeded(`${this.#seed}/${number}`);
    const from = process.cpuUsage();
    const { outcome, shown, problems } = this.#read((count) => random.below(count), number);
    const { user, system } = process.cpuUsage(from);
    const took = (user + system) / 1000;
    const slow = took > hangMs ? [`it took ${Math.round(took)} ms`] : [];
    return { statuses: [outcome], shown, problems: [...problems, ...slow] };
  }

  memory(): number {
    return memoryOf(process.pid, "RssAnon");
  }

  async finish(): Promise<readonly string[]> {
    return [];
  }

  async close(): Promise<void> {}
}
