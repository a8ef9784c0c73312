import { type Commit, limits } from "@ledge/model";
import type { EventLog } from "./event-log.ts";

interface Follower {
  /** Commits that became durable since it last looked, oldest first. */
  waiting: Commit[];
  /** How many events they have. */
  events: number;
  /** Whether the log holds commits for it that are not in `waiting`. */
  isBehind: boolean;
  readonly wake: () => void;
}

/** The readers that follow a log. A reader that keeps up gets each commit as it was appended, without a read. */
export class Followers {
  readonly #open = new Set<Follower>();
  #isClosed = false;

  /** Hands a durable commit to all followers. Commits come in their order. */
  tell(commit: Commit): void {
    for (const follower of this.#open) {
      if (follower.isBehind) continue;
      follower.events += commit.events.length;
      // A single commit above the limit is in memory anyway.
      if (follower.waiting.length === 0 || follower.events <= limits.followedEvents) {
        follower.waiting.push(commit);
      } else {
        [follower.waiting, follower.events, follower.isBehind] = [[], 0, true];
      }
      follower.wake();
    }
  }

  /** Ends all followers. */
  close(): void {
    this.#isClosed = true;
    for (const { wake } of this.#open) wake();
  }

  /** See `EventLog.follow`. */
  async *follow(log: Pick<EventLog, "read">, after: number, signal: AbortSignal): AsyncGenerator<Commit> {
    let wake: () => void = () => {};
    const follower: Follower = { waiting: [], events: 0, isBehind: true, wake: () => wake() };
    const isOver = (): boolean => signal.aborted || this.#isClosed;
    signal.addEventListener("abort", follower.wake);
    this.#open.add(follower);
    let at = after;
    try {
      while (!isOver()) {
        if (follower.isBehind) {
          follower.isBehind = false;
          for (const commit of log.read(at)) {
            at = commit.timestamp;
            yield commit;
            if (isOver()) return;
          }
          continue;
        }
        const commit = follower.waiting.shift();
        if (commit === undefined) {
          await new Promise<void>((resolve) => (wake = resolve));
          continue;
        }
        follower.events -= commit.events.length;
        if (commit.timestamp <= at) continue;
        at = commit.timestamp;
        yield commit;
      }
    } finally {
      this.#open.delete(follower);
      signal.removeEventListener("abort", follower.wake);
    }
  }
}
