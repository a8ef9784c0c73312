// Sends malformed BACnet frames to the adapter's server and client, over a socket; docs/fuzz.md.
import { HostileNetwork } from "@ledge/adapter-bacnet/testing";
import { AdapterTarget } from "./adapter-target.ts";
import { drive, type FuzzOptions, type FuzzResult } from "./run.ts";

/** Starts the adapter in this process, which a crash ends. */
export async function fuzzBacnet(options: FuzzOptions): Promise<FuzzResult> {
  return drive(new AdapterTarget("bacnet", options.seed, await HostileNetwork.start()), options);
}
