// Lets the devices of a simulated Z-Wave network send reports with altered fields; docs/fuzz.md.
import { FuzzedNetwork } from "@ledge/adapter-zwave/testing";
import { AdapterTarget } from "./adapter-target.ts";
import { drive, type FuzzOptions, type FuzzResult } from "./run.ts";

/** Starts a network with the adapter in this process, which a crash ends. */
export async function fuzzZwave(options: FuzzOptions): Promise<FuzzResult> {
  return drive(new AdapterTarget("zwave", options.seed, await FuzzedNetwork.start()), options);
}
