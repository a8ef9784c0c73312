// How fast the codec of packages/mbus decodes: the package's own example frames, over and over, in one thread.
import { decode, decodeWireless, fromHex, toNormalisedXml, withCrcs } from "@ledge/mbus";
import { exampleFrames } from "@ledge/mbus/testing";
import type { Figure } from "./figure.ts";

const rounds = 5;
const times = 2000;

export async function mbusFigures(): Promise<readonly Figure[]> {
  const frames = exampleFrames.map(({ hex }) => fromHex(hex));
  // The application layers behind the link layer of a wireless meter.
  const address = fromHex("00 44 24 40 78 56 34 12 01 07");
  const wireless = frames.map((frame) => withCrcs(Uint8Array.of(...address, ...frame.subarray(6, -2)), "A"));
  const bytes = frames.reduce((sum, frame) => sum + frame.length, 0);
  const tasks = [
    (): void => frames.forEach((frame) => void decode(frame)),
    (): void => frames.forEach((frame) => void toNormalisedXml(decode(frame))),
    (): void => wireless.forEach((frame) => void decodeWireless(frame)),
  ];
  const [plain = NaN, xml = NaN, radio = NaN] = leastInTurns(tasks);
  const how = `${frames.length} frames of ${bytes} bytes in all, ${times} times, one thread, best of ${rounds} rounds in turns`;
  const told = { limit: null, gated: false, how } as const;
  const rate = (ms: number): number => (frames.length * times * 1000) / ms;
  return [
    { name: "mbus frames decoded", value: rate(plain), unit: "frames/s", ...told },
    { name: "mbus frames decoded to XML", value: rate(xml), unit: "frames/s", ...told },
    { name: "mbus wireless frames decoded", value: rate(radio), unit: "frames/s", ...told },
  ];
}

/** The least time (ms) in which each task runs so often, over rounds in which they take turns. */
function leastInTurns(tasks: readonly (() => void)[]): readonly number[] {
  const least = tasks.map(() => Infinity);
  for (let round = 0; round < rounds; round++) {
    for (const [index, task] of tasks.entries()) {
      const from = performance.now();
      for (let i = 0; i < times; i++) task();
      least[index] = Math.min(least[index] as number, performance.now() - from);
    }
  }
  return least;
}
