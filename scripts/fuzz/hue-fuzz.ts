// Reads changed answers of a Hue bridge in this process; docs/fuzz.md.
import { tryAnswers } from "@ledge/adapter-hue/testing";
import { SimulatedBridge } from "@ledge/testkit/hue";
import { seeded } from "../crash/random.ts";
import { memoryOf } from "../process-memory.ts";
import { drive, type FuzzOptions, type FuzzResult, type Target, type Tried } from "./run.ts";

/** More processor time than this, and an answer hangs: all are read in a few milliseconds. */
const hangMs = 1000;

export async function fuzzHue(options: FuzzOptions): Promise<FuzzResult> {
  return drive(new HueTarget(options.seed), options);
}

class HueTarget implements Target {
  readonly name = "hue";
  readonly runs = true;
  readonly #seed: string;
  readonly #answers = SimulatedBridge.exampleAnswers();

  constructor(seed: string) {
    this.#seed = seed;
  }

  async try(number: number): Promise<Tried> {
    const random = seeded(`${this.#seed}/${number}`);
    const below = (count: number): number => random.below(count);
    const from = process.cpuUsage();
    const { outcome, shown, problems } = tryAnswers(this.#answers, below);
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
