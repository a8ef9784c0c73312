// Reads mutated answers of cameras, as XML and by every reader of the adapter, in this process; docs/fuzz.md.
import { mutated, tryAnswer } from "@ledge/adapter-onvif/testing";
import { exampleAnswers } from "@ledge/testkit/onvif";
import { seeded } from "../crash/random.ts";
import { memoryOf } from "../process-memory.ts";
import { drive, type FuzzOptions, type FuzzResult, type Target, type Tried } from "./run.ts";

/** More processor time than this, and an answer hangs the adapter: most are read in a millisecond. */
const hangMs = 1000;

export async function fuzzOnvif(options: FuzzOptions): Promise<FuzzResult> {
  return drive(new OnvifTarget(options.seed), options);
}

class OnvifTarget implements Target {
  readonly name = "onvif";
  readonly runs = true;
  readonly #seed: string;

  constructor(seed: string) {
    this.#seed = seed;
  }

  async try(number: number): Promise<Tried> {
    const random = seeded(`${this.#seed}/${number}`);
    const text = mutated(exampleAnswers, (count) => random.below(count));
    const from = process.cpuUsage();
    const { outcome, problems } = tryAnswer(text);
    const { user, system } = process.cpuUsage(from);
    const took = (user + system) / 1000;
    const slow = took > hangMs ? [`it took ${Math.round(took)} ms`] : [];
    return { statuses: [outcome], shown: text, problems: [...problems, ...slow] };
  }

  memory(): number {
    return memoryOf(process.pid, "RssAnon");
  }

  async finish(): Promise<readonly string[]> {
    return [];
  }

  async close(): Promise<void> {}
}
