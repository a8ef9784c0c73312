// Reads mutated answers of cameras, as XML and by every reader of the adapter, in this process; docs/fuzz.md.
import { mutated, tryAnswer } from "@ledge/adapter-onvif/testing";
import { exampleAnswers } from "@ledge/testkit/onvif";
import { ReaderTarget } from "./reader-target.ts";
import { drive, type FuzzOptions, type FuzzResult } from "./run.ts";

export async function fuzzOnvif(options: FuzzOptions): Promise<FuzzResult> {
  const target = new ReaderTarget("onvif", options.seed, (below) => {
    const text = mutated(exampleAnswers, below);
    return { ...tryAnswer(text), shown: text };
  });
  return drive(target, options);
}
