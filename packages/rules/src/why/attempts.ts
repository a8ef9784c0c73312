import type { CommandIssued, EventRef } from "@ledge/model";
import { eventRef, indexIn, limits, parseEventRef, type WhyOutcome } from "@ledge/model";
import type { Placed, Recorded } from "./recorded.ts";
import { isLater } from "./recorded.ts";

/** A command that has not taken effect on its device. */
export interface Attempt {
  readonly issued: Placed;
  readonly outcome: WhyOutcome["outcome"];
  /** The event that ended it. */
  readonly end?: Placed;
}

const ends: Readonly<Record<string, WhyOutcome["outcome"]>> = {
  CommandFailed: "failed",
  CommandExpired: "expired",
};

/**
 * Returns the commands about an attribute of a device that failed, expired or are still under way, newest
 * first. Looks at the newest `limits.whyTimerEvents` events.
 * @param since the event to start from; undefined: the whole log
 */
export function attemptsAt(
  device: string,
  attribute: string,
  since: EventRef | undefined,
  log: Recorded,
): Attempt[] {
  const from = (since && parseEventRef(since)?.timestamp) ?? 1;
  const ended = new Map<string, Placed>();
  const found: Attempt[] = [];
  let seen = 0;
  let until = log.now;
  for (let spanMs = 60_000; until >= from && seen < limits.whyTimerEvents; spanMs *= 4) {
    const after = Math.max(from - 1, until - spanMs);
    const issued: Placed[] = [];
    for (const commit of log.commits(after, until)) {
      for (const [place, event] of commit.events.entries()) {
        seen++;
        const told = event as typeof event & Partial<CommandIssued>;
        if (told.device !== device) continue;
        const ref = eventRef(commit.timestamp, indexIn(commit, place));
        const placed = { ref, at: commit.timestamp, event };
        if (event.type in ends) ended.set(event.id, placed);
        const isMeant = event.type === "CommandIssued" && attribute in (told.attributes ?? {});
        if (isMeant && (since === undefined || isLater(ref, since))) issued.push(placed);
      }
    }
    for (const one of issued.toReversed()) {
      const end = ended.get(one.event.id);
      const isPending = log.home.get("command", one.event.id) !== undefined;
      if (end !== undefined) found.push({ issued: one, outcome: ends[end.event.type] ?? "failed", end });
      else if (isPending) found.push({ issued: one, outcome: "pending" });
      if (found.length === limits.whyAttempts) return found;
    }
    until = after;
  }
  return found;
}
