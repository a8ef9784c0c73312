import { eventRef, indexIn, limits, type WhyOutcome } from "@ledge/model";
import type { Placed, Recorded } from "./recorded.ts";

/** What became of a command, and the event that says so. */
export interface Outcome {
  readonly outcome: WhyOutcome["outcome"];
  readonly placed?: Placed;
}

const ends: Readonly<Record<string, WhyOutcome["outcome"]>> = {
  CommandSucceeded: "done",
  CommandFailed: "failed",
  CommandExpired: "expired",
};

/**
 * What became of a command: confirmed by what its device then said, done where it only took it, failed, expired after
 * a time without the hub, or nothing yet. Unknown: its end is not in the log any more.
 */
export function outcomeOf({ ref, at, event: issued }: Placed, log: Recorded): Outcome {
  let end: Outcome = { outcome: "pending" };
  let seen = 0;
  for (const commit of log.commits(at - 1, log.now)) {
    for (const [place, event] of commit.events.entries()) {
      const placed = { ref: eventRef(commit.timestamp, indexIn(commit, place)), at: commit.timestamp, event };
      if (event.type === "DeviceReported" && event.cause === ref) return { outcome: "confirmed", placed };
      const outcome = event.id === issued.id ? ends[event.type] : undefined;
      if (outcome !== undefined) end = { outcome, placed };
    }
    seen += commit.events.length;
    // A device that was told says so soon after.
    const isOver = end.placed !== undefined && commit.timestamp > end.placed.at + limits.echoMs;
    if (isOver || seen > limits.whyTimerEvents) break;
  }
  return end.outcome === "pending" && seen > limits.whyTimerEvents ? { outcome: "unknown" } : end;
}
