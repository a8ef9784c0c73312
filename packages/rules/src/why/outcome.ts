import { eventRef, indexIn, limits, type WhyOutcome } from "@ledge/model";
import type { Placed, Recorded } from "./recorded.ts";

/** The end of a command, and the event that shows it. */
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
 * Returns how a command ended: confirmed by a report of the device, done when the device only accepted it,
 * failed, expired after a time without the hub, or pending. Unknown when the log no longer has its end.
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
    // A device confirms soon after a command is done.
    const isOver = end.placed !== undefined && commit.timestamp > end.placed.at + limits.echoMs;
    if (isOver || seen > limits.whyTimerEvents) break;
  }
  return end.outcome === "pending" && seen > limits.whyTimerEvents ? { outcome: "unknown" } : end;
}
