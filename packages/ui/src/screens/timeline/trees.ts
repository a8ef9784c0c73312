import type { TimelineEntry } from "../../api/past.ts";

/** What happened, with what followed from it. */
export interface Tree {
  readonly entry: TimelineEntry;
  /** The oldest first. */
  readonly followed: readonly Tree[];
}

/**
 * Returns entries as trees by their causes, the newest root first. An entry whose cause is not among them stands by itself.
 * @param entries the newest first
 */
export function treesOf(entries: readonly TimelineEntry[]): readonly Tree[] {
  const followers = new Map<string, TimelineEntry[]>();
  const refs = new Set(entries.map(({ ref }) => ref));
  const roots: TimelineEntry[] = [];
  for (const entry of entries) {
    const { cause, ref } = entry;
    if (cause === null || cause === ref || !refs.has(cause)) {
      roots.push(entry);
      continue;
    }
    const of = followers.get(cause);
    if (of === undefined) followers.set(cause, [entry]);
    else of.push(entry);
  }
  const treeOf = (entry: TimelineEntry): Tree => ({
    entry,
    followed: (followers.get(entry.ref) ?? []).map(treeOf).toReversed(),
  });
  return roots.map(treeOf);
}
