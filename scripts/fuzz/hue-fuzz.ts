// Reads changed answers of a Hue bridge in this process; docs/fuzz.md.
import { tryAnswers } from "@ledge/adapter-hue/testing";
import { SimulatedBridge } from "@ledge/testkit/hue";
import { ReaderTarget } from "./reader-target.ts";
import { drive, type FuzzOptions, type FuzzResult } from "./run.ts";

export async function fuzzHue(options: FuzzOptions): Promise<FuzzResult> {
  const answers = SimulatedBridge.exampleAnswers();
  return drive(new ReaderTarget("hue", options.seed, (below) => tryAnswers(answers, below)), options);
}
