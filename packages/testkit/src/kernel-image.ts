import type { TestKernel } from "./test-kernel.ts";

/** Everything that a kernel derives from its log, as plain data for comparison. */
export interface KernelImage {
  readonly timestamp: number;
  /** The horizon of forgotten deletions, and how many rows of the recency list follow. */
  readonly head: unknown;
  /** The recency list from the oldest change to the newest, including tombstones. */
  readonly list: readonly unknown[];
  /** States of kinds without a category, by kind and id. */
  readonly others: readonly unknown[];
}

/** Returns the image of a kernel, from the snapshot that it would write. Writes nothing. */
export function imageOf({ kernel }: TestKernel): KernelImage {
  const { timestamp, rows } = kernel.snapshot();
  const [head, ...others] = JSON.parse(JSON.stringify([...rows])) as [{ entries: number }, ...unknown[]];
  const list = others.splice(0, head.entries);
  return { timestamp, head, list, others: others.toSorted(byText) };
}

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
