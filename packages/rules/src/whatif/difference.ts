import { limits } from "@ledge/model";

/** A command to a device. */
export interface Told {
  readonly at: number;
  readonly device: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface Difference<One, Other> {
  readonly onlyNew: readonly One[];
  readonly onlyOld: readonly Other[];
}

/**
 * Returns the commands that only one of the two lists has. Two commands match when they set the same on the
 * same device within `limits.whatIfSameMs`, as recorded times may be slightly late. Both lists are in order
 * of time.
 */
export function difference<One extends Told, Other extends Told>(
  now: readonly One[],
  before: readonly Other[],
): Difference<One, Other> {
  const left = new Map<string, Other[]>();
  for (const told of before) {
    const key = keyOf(told);
    const known = left.get(key);
    if (known === undefined) left.set(key, [told]);
    else known.push(told);
  }
  const onlyNew: One[] = [];
  const same = new Set<Other>();
  const next = new Map<string, number>();
  for (const told of now) {
    const key = keyOf(told);
    const candidates = left.get(key) ?? [];
    let at = next.get(key) ?? 0;
    while (at < candidates.length && (candidates[at] as Other).at < told.at - limits.whatIfSameMs) at++;
    const found = candidates[at];
    if (found !== undefined && found.at <= told.at + limits.whatIfSameMs) {
      same.add(found);
      at++;
    } else onlyNew.push(told);
    next.set(key, at);
  }
  return { onlyNew, onlyOld: before.filter((told) => !same.has(told)) };
}

function keyOf({ device, attributes }: Told): string {
  return JSON.stringify([device, Object.entries(attributes).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}
