import type { EventLog } from "@ledge/log";
import { limits } from "@ledge/model";

/** A part of the log: commits with `after < timestamp <= until` (ms). */
export interface Segment {
  readonly after: number;
  readonly until: number;
}

/**
 * Yields the parts of the log between its bases, newest first. This reads the log backwards without an index,
 * and each part begins at a known state.
 */
export function* segments(
  log: Pick<EventLog, "bases">,
  after: number,
  until: number,
): Generator<Segment, void> {
  const bases = log.bases().map(({ timestamp }) => timestamp);
  let end = until;
  for (const start of [...bases, after].toSorted((a, b) => b - a)) {
    if (start >= end || start < after) continue;
    yield { after: start, until: end };
    end = start;
  }
}

/**
 * Yields spans of the log, newest first, each twice as long as the one before, so that recent events are found
 * soon.
 */
export function* spans(after: number, until: number): Generator<Segment, void> {
  for (let end = until, ms: number = limits.pastSpanMs; end > after; ms *= 2) {
    const start = Math.max(after, end - ms);
    yield { after: start, until: end };
    end = start;
  }
}
