// Reads mutated lines of RFLink and rtl_433 in this process; docs/fuzz.md.
import { mutatedLine, tryLine } from "@ledge/adapter-rf433/testing";
import { ReaderTarget } from "./reader-target.ts";
import { drive, type FuzzOptions, type FuzzResult } from "./run.ts";

export async function fuzzRf433(options: FuzzOptions): Promise<FuzzResult> {
  const target = new ReaderTarget("rf433", options.seed, (below) => {
    const line = mutatedLine(below);
    return { ...tryLine(line), shown: JSON.stringify(line) };
  });
  return drive(target, options);
}
