import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHex } from "./index.ts";
import { exampleFrames, mutated, toWireless, tryDecoding, tryWireless } from "./testdata/index.ts";

// The long form is `npm run -s fuzz -- --target mbus`.
test("copes with 5,000 mutated frames", () => {
  const frames = exampleFrames.map(({ hex }) => fromHex(hex));
  let state = 1;
  const below = (count: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
  const outcomes = new Map<string, number>();
  for (let i = 0; i < 5000; i++) {
    const wired = mutated(frames, below);
    const isWireless = i % 4 === 0;
    const bytes = isWireless ? toWireless(wired, below) : wired;
    const { outcome, problems } = isWireless ? tryWireless(bytes) : tryDecoding(bytes);
    assert.deepEqual(problems, [], Buffer.from(bytes).toString("hex"));
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  for (const outcome of ["decoded", "frame", "checksum", "truncated", "record", "application", "unsupported"])
    assert.ok((outcomes.get(outcome) ?? 0) > 0, outcome);
});
