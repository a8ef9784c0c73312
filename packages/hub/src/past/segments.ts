import type { EventLog } from "@ledge/log";
import { limits } from "@ledge/model";

/** A part of the log: commits with `after < timestamp <= until` (ms). */
export interface Segment {
  readonly after: number;
  readonly until: number;
}

/**
 * A part of the log in the parts between its bases, the newest first: so it is read backwards without an index, and how
 * it was where each begins is known at once.
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

/** A part of the log in spans, the newest first and each twice as long as the one before: what is recent is soon found. */
export function* spans(after: number, until: number): Generator<Segment, void> {
  for (let end = until, ms: number = limits.pastSpanMs; end > after; ms *= 2) {
    const start = Math.max(after, end - ms);
    yield { after: start, until: end };
    end = start;
  }
}
