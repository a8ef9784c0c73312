// Reads mutated lines of RFLink and rtl_433 in this process; docs/fuzz.md.
import { mutatedLine, tryLine } from "@ledge/adapter-rf433/testing";
import { seeded } from "../crash/random.ts";
import { memoryOf } from "../process-memory.ts";
import { drive, type FuzzOptions, type FuzzResult, type Target, type Tried } from "./run.ts";

/** More processor time than this, and a line hangs: all are read in less than a millisecond. */
const hangMs = 1000;

export async function fuzzRf433(options: FuzzOptions): Promise<FuzzResult> {
  return drive(new Rf433Target(options.seed), options);
}

class Rf433Target implements Target {
  readonly name = "rf433";
  readonly runs = true;
  readonly #seed: string;

  constructor(seed: string) {
    this.#seed = seed;
  }

  async try(number: number): Promise<Tried> {
    const random = seeded(`${this.#seed}/${number}`);
    const below = (count: number): number => random.below(count);
    const line = mutatedLine(below);
    const from = process.cpuUsage();
    const { outcome, problems } = tryLine(line);
    const { user, system } = process.cpuUsage(from);
    const took = (user + system) / 1000;
    const slow = took > hangMs ? [`it took ${Math.round(took)} ms`] : [];
    return {
      statuses: [outcome],
      shown: JSON.stringify(line),
      problems: [...problems, ...slow],
    };
  }

  memory(): number {
    return memoryOf(process.pid, "RssAnon");
  }

  async finish(): Promise<readonly string[]> {
    return [];
  }

  async close(): Promise<void> {}
}
