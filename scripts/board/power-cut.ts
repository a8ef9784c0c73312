// What a disk holds after the power was cut: everything before the last flush, and any part of what came after it.
import type { Random } from "../crash/random.ts";
import type { Entry, Write } from "./write-log.ts";

const sector = 512;

/** Where to cut: only the first `entries` have reached the disk. `unflushed` writes of them follow the last flush. */
export interface Cut {
  readonly entries: number;
  readonly unflushed: number;
}

/** A write, or the beginning of one. */
export interface Kept {
  readonly write: Write;
  /** Bytes of it that are on the disk. */
  readonly length: number;
}

/**
 * Chooses cuts where most is at stake: at the end of the widest windows between two flushes, and in the midst of
 * them, several times in each if there are few. A cut after a window of one write proves little.
 * @param from no cut is before this many entries
 * @returns cuts in the order of the log
 */
export function widestCuts(entries: readonly Entry[], from: number, count: number, random: Random): Cut[] {
  const windows: { readonly start: number; readonly writes: readonly number[] }[] = [];
  let writes: number[] = [];
  let start = 0;
  for (const [index, entry] of entries.entries()) {
    if (entry.kind === "write") writes.push(index);
    if (entry.kind !== "flush") continue;
    windows.push({ start, writes });
    [start, writes] = [index + 1, []];
  }
  const wide = windows
    .filter(({ start: first, writes: of }) => first >= from && of.length > 1)
    .toSorted((a, b) => b.writes.length - a.writes.length);
  if (wide.length === 0) return [];
  // A third as many windows as cuts: the end of each, and places in it.
  const chosen = wide.slice(0, Math.max(1, Math.ceil(count / 3)));
  return Array.from({ length: count }, (_, index) => {
    const { writes: of } = chosen[index % chosen.length] as (typeof chosen)[number];
    const last = index < chosen.length ? of.length - 1 : 1 + random.below(of.length - 1);
    return { entries: (of[last] as number) + 1, unflushed: last + 1 };
  }).toSorted((a, b) => a.entries - b.entries);
}

/**
 * Returns which unflushed writes a cut leaves: any of them, whatever their order, and some torn between sectors. Now
 * and then all or none, as a disk without a cache of its own leaves them.
 */
export function kept(unflushed: readonly Write[], random: Random): Kept[] {
  const odds = random.pick([0, 0.2, 0.5, 0.5, 0.8, 1]);
  return unflushed.flatMap((write) => {
    const { length, isDurable } = write;
    if (isDurable || odds === 1) return [{ write, length }];
    if (!random.chance(odds)) return [];
    const torn = random.chance(0.1) ? sector * random.below(length / sector + 1) : length;
    return [{ write, length: torn }];
  });
}

/**
 * Returns what is left by a disk that says flushed and is not: half of the newest writes are missing, although a
 * flush followed them.
 */
export function lied(newest: readonly Write[], random: Random): Kept[] {
  return newest.filter(() => random.chance(0.5)).map((write) => ({ write, length: write.length }));
}
