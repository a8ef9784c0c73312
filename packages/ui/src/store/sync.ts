import { type ReadonlySignal, signal } from "@preact/signals";
import { createBudget, nextPoll, nextRetry, pace } from "./pace.ts";
import type { Breathe } from "./read-poll.ts";
import type { Store } from "./store.ts";
import type { PollAnswer } from "./wire.ts";

/**
 * `starting`: not told anything yet; `refused`: the key does not open the hub any more; `past`: the page shows the home
 * as it was, and follows nothing.
 */
export type Connection = "starting" | "live" | "offline" | "refused" | "past";

/** What following a hub needs of its surroundings. */
export interface SyncPorts {
  /** @returns the answer, or why there is none: the key is refused, the hub is away, or it is asked too often: ms to wait */
  poll(cursor: number, signal: AbortSignal): Promise<PollAnswer | "refused" | "away" | number>;
  /** Resolves after a time (ms), or at once when the signal aborts. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
  /** Gives the page its turn, while much is taken over. */
  readonly breathe: Breathe;
  /** Whether a device has yet to report what it was told. */
  awaits(): boolean;
  /** Monotonic, ms. */
  now(): number;
  /** 0 to 1. */
  random(): number;
}

/** Follows a hub by polls, from the cursor of the store on. */
export interface Sync {
  readonly connection: ReadonlySignal<Connection>;
  /** Begins, or goes on after `stop` or a refused key. */
  start(): void;
  stop(): void;
  /** Stops because the page shows the past, until the next `start`. */
  leaveNow(): void;
  /** Asks at once: a command was sent, or the network is back. */
  hurry(): void;
}

export function createSync(store: Store, ports: SyncPorts): Sync {
  const connection = signal<Connection>("starting");
  let run: AbortController | undefined;
  let rest = new AbortController();
  const place = createBudget(pace.burst, pace.every);
  let failures = 0;
  let hurriedAt = -Infinity;
  let hurried = 0;

  /** How long the next poll waits for its place (ms). @param began when the last one did */
  const placed = (now: number, began: number): number => {
    const ms = place(now);
    if (ms === 0 || hurried === 0 || now - hurriedAt > pace.hurriedFor) return ms;
    // An answer to an earlier poll may lack what came of the command.
    if (began >= hurriedAt && !ports.awaits()) return ms;
    hurried--;
    return 0;
  };

  const ask = async (stopped: AbortSignal): Promise<number> => {
    const began = ports.now();
    const answer = await ports.poll(store.asOf.peek(), stopped);
    if (stopped.aborted) return 0;
    if (typeof answer === "number") return answer;
    if (typeof answer === "string") {
      failures++;
      connection.value = answer === "refused" ? "refused" : "offline";
      if (answer === "refused") return 0;
      return nextRetry(failures, ports.random());
    }
    await store.takeOver(answer, ports.breathe, stopped);
    if (stopped.aborted) return 0;
    failures = 0;
    connection.value = "live";
    const now = ports.now();
    return Math.max(placed(now, began), nextPoll(now - began, answer.polls.length === 0, now - hurriedAt));
  };

  const follow = async (stopped: AbortSignal): Promise<void> => {
    while (!stopped.aborted && connection.peek() !== "refused") {
      const ms = await ask(stopped);
      if (ms === 0) continue;
      rest = new AbortController();
      await ports.pause(ms, rest.signal);
    }
    // A refused key ends it without a `stop`.
    if (run?.signal === stopped) run = undefined;
  };

  const stop = (): void => {
    run?.abort();
    rest.abort();
    run = undefined;
  };

  return {
    connection,
    start() {
      if (run !== undefined) return;
      run = new AbortController();
      if (connection.peek() === "refused" || connection.peek() === "past") connection.value = "starting";
      void follow(run.signal);
    },
    stop,
    leaveNow() {
      stop();
      connection.value = "past";
    },
    hurry() {
      hurriedAt = ports.now();
      hurried = pace.hurried;
      failures = 0;
      rest.abort();
    },
  };
}
