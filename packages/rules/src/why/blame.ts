import { limits } from "@ledge/model";
import type { Read } from "./reads.ts";
import { keyOf } from "./reads.ts";

/** Larger than any measured value, and small enough for a calendar time. */
const far = 1_000_000_000;
const monthMs = 2_592_000_000;

/** Evaluates a guard again with other values for some readings. */
export type AskAgain = (instead: ReadonlyMap<string, unknown>) => boolean;

/**
 * Returns which readings keep a guard from holding: each one that alone could make it hold, or else the first
 * pair that could. The time counts only when nothing else does.
 */
export function blamed(reads: readonly Read[], ask: AskAgain): ReadonlySet<Read> {
  let asked = 0;
  const holds = (changes: readonly (readonly [Read, unknown])[]): boolean => {
    if (++asked > limits.whyGuardQuestions) return false;
    return ask(new Map(changes.map(([read, value]) => [keyOf(read), value])));
  };
  for (const among of [reads.filter(({ of }) => of !== "now"), reads]) {
    const alone = among.filter((read) => others(read).some((value) => holds([[read, value]])));
    if (alone.length > 0) return new Set(alone);
  }
  for (const [index, one] of reads.entries()) {
    for (const other of reads.slice(index + 1)) {
      const pairs = others(one).flatMap((a) => others(other).map((b) => [a, b] as const));
      if (
        pairs.some(([a, b]) =>
          holds([
            [one, a],
            [other, b],
          ]),
        )
      )
        return new Set([one, other]);
    }
  }
  return new Set();
}

/** Returns other values that a reading might have had. */
function others({ of, name, value }: Read): readonly unknown[] {
  if (of === "setting" || of === "price") return [];
  if (of === "now") return [Number(value) + monthMs];
  // A device that is reachable never explains anything.
  if (name === "reachable" && value !== false) return [];
  if (typeof value === "boolean") return [!value];
  if (typeof value === "number") return [-far, 0, far];
  if (value === undefined || value === null) return [true, false, -far, 0, far];
  return [];
}
