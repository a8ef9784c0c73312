import type { EventLog } from "@ledge/log";

/** A part of the log: commits with `after < timestamp <= until` (ms). */
export interface Segment {
  readonly after: number;
  readonly until: number;
}

/** A part of the log in the parts between its bases, the newest first: so it is read backwards without an index. */
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
