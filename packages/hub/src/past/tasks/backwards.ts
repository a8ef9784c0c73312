import type { Commit, LoggedEvent } from "@ledge/model";
import { eventRef, indexIn, parseEventRef } from "@ledge/model";
import { BudgetSpent, type Reader } from "../reader.ts";
import { type Segment, spans } from "../segments.ts";

/** An event and its place in the log. */
export interface Found {
  readonly at: number;
  readonly index: number;
  readonly event: LoggedEvent & Readonly<Record<string, unknown>>;
}

/** Which part of the log is asked for, in ms since the epoch. */
export interface Paging {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Reference of an event: what came before it. */
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface Page {
  /** The newest first. */
  readonly found: readonly Found[];
  /** What `before` is for the next page; null when there is nothing older. */
  readonly next: string | null;
}

/**
 * Reads events backwards, as many as a page holds or as time allows. A page that time has cut short says where
 * to go on.
 * @throws BudgetSpent when there was not even time for a part
 */
export function readBackwards(
  reader: Reader,
  { from = 0, to = reader.now, before: ref, limit }: Paging,
  isWanted: (found: Found) => boolean,
): Page {
  const before = ref === undefined ? undefined : parseEventRef(ref);
  const until = Math.min(to, before?.timestamp ?? to, reader.now);
  const found: Found[] = [];
  let reached = until;
  for (const segment of spans(Math.max(0, from - 1), until)) {
    const part = partOf(reader, segment, (one) => {
      const isLater = before !== undefined && one.at === before.timestamp && one.index >= before.index;
      return !isLater && isWanted(one);
    });
    if (part === undefined && reached === until) throw new BudgetSpent("this takes too long");
    if (part === undefined) return { found: found.slice(0, limit), next: eventRef(reached + 1, 0) };
    found.push(...part.toReversed());
    reached = segment.after;
    if (found.length > limit) break;
  }
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const next = last !== undefined && found.length > limit ? eventRef(last.at, last.index) : null;
  return { found: shown, next };
}

/** Returns the wanted events of a part of the log, oldest first; undefined when there is no time to read it. */
function partOf(
  reader: Reader,
  { after, until }: Segment,
  isWanted: (found: Found) => boolean,
): Found[] | undefined {
  const found: Found[] = [];
  try {
    for (const commit of reader.log.read(after, until)) {
      reader.spend();
      for (const one of eventsOf(commit)) if (isWanted(one)) found.push(one);
    }
    return found;
  } catch (error) {
    if (error instanceof BudgetSpent) return undefined;
    throw error;
  }
}

/** Yields the events of a commit with their places. */
export function* eventsOf(commit: Commit): Generator<Found> {
  const { timestamp: at, events } = commit;
  for (const [place, event] of (events as readonly Found["event"][]).entries())
    yield { at, index: indexIn(commit, place), event };
}
