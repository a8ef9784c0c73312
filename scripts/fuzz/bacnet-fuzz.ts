// Sends malformed BACnet frames to the adapter's server and client, over a socket; docs/fuzz.md.
import { HostileNetwork } from "@ledge/adapter-bacnet/testing";
import { seededRandom } from "@ledge/testkit";
import { memoryOf } from "../process-memory.ts";
import { drive, type FuzzOptions, type FuzzResult, type Target, type Tried } from "./run.ts";

/** Starts the adapter in this process, which a crash ends. */
export async function fuzzBacnet(options: FuzzOptions): Promise<FuzzResult> {
  return drive(new BacnetTarget(options.seed, await HostileNetwork.start()), options);
}

class BacnetTarget implements Target {
  readonly name = "bacnet";
  readonly runs = true;
  readonly #seed: number;
  readonly #network: HostileNetwork;

  constructor(seed: string, network: HostileNetwork) {
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
    return [];
  }

  close(): Promise<void> {
    return this.#network.close();
  }
}
