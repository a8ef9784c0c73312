// Runs the cases against an adapter in this process, which a crash ends; docs/fuzz.md.
import { type Random, seededRandom } from "@ledge/testkit";
import { memoryOf } from "../process-memory.ts";
import type { Target, TargetName, Tried } from "./run.ts";

/** A network that sends an adapter malformed frames. */
export interface FuzzingNetwork {
  /** Sends what a random number generator decides. */
  try(random: Random): Promise<{
    readonly outcome: string;
    readonly shown: string;
    readonly problems: readonly string[];
  }>;
  /**
   * Checks the invariants of the whole run, if there are any.
   * @returns the violated ones
   */
  finish?(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** The adapter of a network. */
export class AdapterTarget implements Target {
  readonly name: TargetName;
  readonly runs = true;
  readonly #seed: number;
  readonly #network: FuzzingNetwork;

  constructor(name: TargetName, seed: string, network: FuzzingNetwork) {
    this.name = name;
    this.#seed = Number.parseInt(Buffer.from(seed).toString("hex").slice(-8), 16);
    this.#network = network;
  }

  async try(number: number): Promise<Tried> {
    const { outcome, shown, problems } = await this.#network.try(seededRandom(this.#seed + number));
    return { statuses: [outcome], shown, problems };
  }

  memory(): number {
    return memoryOf(process.pid, "RssAnon");
  }

  async finish(): Promise<readonly string[]> {
    return (await this.#network.finish?.()) ?? [];
  }

  close(): Promise<void> {
    return this.#network.close();
  }
}
