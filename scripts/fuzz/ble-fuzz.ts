// Decodes mutated advertisements of Bluetooth LE sensors in this process; docs/fuzz.md.
import { mutatedExample, tryMutated } from "@ledge/ble/testing";
import { seeded } from "../crash/random.ts";
import { memoryOf } from "../process-memory.ts";
import { drive, type FuzzOptions, type FuzzResult, type Target, type Tried } from "./run.ts";

/** More processor time than this, and an advertisement hangs: all decode in less than a millisecond. */
const hangMs = 1000;

export async function fuzzBle(options: FuzzOptions): Promise<FuzzResult> {
  return drive(new BleTarget(options.seed), options);
}

class BleTarget implements Target {
  readonly name = "ble";
  readonly runs = true;
  readonly #seed: string;

  constructor(seed: string) {
    this.#seed = seed;
  }

  async try(number: number): Promise<Tried> {
    const random = seeded(`${this.#seed}/${number}`);
    const below = (count: number): number => random.below(count);
    const mutated = mutatedExample(below);
    const from = process.cpuUsage();
    const { outcome, problems } = tryMutated(mutated);
    const { user, system } = process.cpuUsage(from);
    const took = (user + system) / 1000;
    const slow = took > hangMs ? [`it took ${Math.round(took)} ms`] : [];
    return {
      statuses: [outcome],
      shown: Buffer.from(mutated.bytes).toString("hex"),
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
