// Decodes mutated M-Bus frames, wired and wireless, in this process; docs/fuzz.md.
import { fromHex } from "@ledge/mbus";
import { exampleFrames, mutated, toWireless, tryDecoding, tryWireless } from "@ledge/mbus/testing";
import { seeded } from "../crash/random.ts";
import { memoryOf } from "../process-memory.ts";
import { drive, type FuzzOptions, type FuzzResult, type Target, type Tried } from "./run.ts";

/** More processor time than this, and a frame hangs: all decode in less than a millisecond. */
const hangMs = 1000;

export async function fuzzMbus(options: FuzzOptions): Promise<FuzzResult> {
  return drive(new MbusTarget(options.seed), options);
}

class MbusTarget implements Target {
  readonly name = "mbus";
  readonly runs = true;
  readonly #seed: string;
  readonly #frames = exampleFrames.map(({ hex }) => fromHex(hex));

  constructor(seed: string) {
    this.#seed = seed;
  }

  async try(number: number): Promise<Tried> {
    const random = seeded(`${this.#seed}/${number}`);
    const below = (count: number): number => random.below(count);
    const wired = mutated(this.#frames, below);
    const isWireless = number % 4 === 0;
    const bytes = isWireless ? toWireless(wired, below) : wired;
    const from = process.cpuUsage();
    const { outcome, problems } = isWireless ? tryWireless(bytes) : tryDecoding(bytes);
    const { user, system } = process.cpuUsage(from);
    const took = (user + system) / 1000;
    const slow = took > hangMs ? [`it took ${Math.round(took)} ms`] : [];
    return {
      statuses: [outcome],
      shown: Buffer.from(bytes).toString("hex"),
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
