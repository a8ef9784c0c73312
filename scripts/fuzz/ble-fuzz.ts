// Decodes mutated advertisements of Bluetooth LE sensors in this process; docs/fuzz.md.
import { mutatedExample, tryMutated } from "@ledge/ble/testing";
import { ReaderTarget } from "./reader-target.ts";
import { drive, type FuzzOptions, type FuzzResult } from "./run.ts";

export async function fuzzBle(options: FuzzOptions): Promise<FuzzResult> {
  const target = new ReaderTarget("ble", options.seed, (below) => {
    const mutated = mutatedExample(below);
    return { ...tryMutated(mutated), shown: Buffer.from(mutated.bytes).toString("hex") };
  });
  return drive(target, options);
}
