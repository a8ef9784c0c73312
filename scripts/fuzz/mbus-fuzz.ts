// Decodes mutated M-Bus frames, wired and wireless, in this process; docs/fuzz.md.
import { fromHex } from "@ledge/mbus";
import { exampleFrames, mutated, toWireless, tryDecoding, tryWireless } from "@ledge/mbus/testing";
import { ReaderTarget } from "./reader-target.ts";
import { drive, type FuzzOptions, type FuzzResult } from "./run.ts";

export async function fuzzMbus(options: FuzzOptions): Promise<FuzzResult> {
  const frames = exampleFrames.map(({ hex }) => fromHex(hex));
  const target = new ReaderTarget("mbus", options.seed, (below, number) => {
    const wired = mutated(frames, below);
    const isWireless = number % 4 === 0;
    const bytes = isWireless ? toWireless(wired, below) : wired;
    const read = isWireless ? tryWireless(bytes) : tryDecoding(bytes);
    return { ...read, shown: Buffer.from(bytes).toString("hex") };
  });
  return drive(target, options);
}
