// Lets the devices of a simulated Z-Wave network send reports with altered fields; docs/fuzz.md.
import { FuzzedNetwork } from "@ledge/adapter-zwave/testing";
import { seededRandom } from "@ledge/testkit";
import { memoryOf } from "../process-memory.ts";
import { drive, type FuzzOptions, type FuzzResult, type Target, type Tried } from "./run.ts";

/** Starts a network with the adapter in this process, which a crash ends. */
export async function fuzzZwave(options: FuzzOptions): Promise<FuzzResult> {
  return drive(new ZwaveTarget(options.seed, await FuzzedNetwork.start()), options);
}

class ZwaveTarget implements Target {
  readonly name = "zwave";
  readonly runs = true;
  readonly #seed: number;
  readonly #network: FuzzedNetwork;

  constructor(seed: string, network: FuzzedNetwork) {
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

  finish(): Promise<readonly string[]> {
    return this.#network.finish();
  }

  close(): Promise<void> {
    return this.#network.close();
  }
}
