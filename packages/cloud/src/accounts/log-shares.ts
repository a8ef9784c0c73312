import { setImmediate } from "node:timers/promises";
import type { Allowance, Clock, Kernel } from "@ledge/kernel";
import { limits, type LoggedEvent, type Origin } from "@ledge/model";
import { cloudEvents } from "../model/index.ts";
import type { CloudStates } from "../model/states.ts";

const dayMs = 86_400_000;
/** How many commits of the log are read before yielding. */
const sliceCommits = 500;
const ofUser = "user:";
const ofUserInJson = `"origin":"${ofUser}`;

/** What an account has added since its own day began (elapsed ms). */
interface Day {
  readonly began: number;
  bytes: number;
}

/**
 * Limits the permanent events that each account may add to the log per day. A start counts the events of the
 * last day from the log. Request handlers ask for the limit, not the kernel: logging in, leaving a hub and
 * revoking stay possible.
 */
export class LogShares implements Allowance {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #days = new Map<string, Day>();
  #isStopped = false;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  wait(): number {
    return 0;
  }

  spend(origin: Origin, events: readonly LoggedEvent[]): void {
    this.#add(origin, events, this.#clock.monotonic());
  }

  /** Returns after how many seconds an account may add more; 0 when it may now. */
  secondsUntil(account: string): number {
    const now = this.#clock.monotonic();
    const day = this.#days.get(account);
    if (day === undefined || day.bytes < limits.accountLogBytesPerDay) return 0;
    return Math.max(0, Math.ceil((day.began + dayMs - now) / 1000));
  }

  /**
   * Counts the events of the last day in a log, with pauses.
   * @throws LogError
   */
  async recount({
    log,
    now,
  }: {
    readonly log: Kernel<CloudStates>["log"];
    readonly now: number;
  }): Promise<void> {
    const elapsed = this.#clock.monotonic();
    const wants = (bytes: Buffer, start: number, end: number): boolean =>
      bytes.subarray(start, end).includes(ofUserInJson);
    let commits = 0;
    for (const { timestamp, events } of log.read(now - dayMs, log.last, wants)) {
      for (const event of events) this.#add(event.origin, [event], elapsed - Math.max(0, now - timestamp));
      if (++commits % sliceCommits > 0) continue;
      await setImmediate();
      if (this.#isStopped) return;
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  #add(origin: Origin, events: readonly LoggedEvent[], at: number): void {
    if (!origin.startsWith(ofUser)) return;
    const account = origin.slice(ofUser.length);
    let bytes = 0;
    for (const event of events) {
      if (cloudEvents.get(event.type)?.telemetry === undefined) bytes += JSON.stringify(event).length;
    }
    if (bytes === 0) return;
    const day = this.#days.get(account);
    if (day !== undefined && at - day.began < dayMs) day.bytes += bytes;
    else {
      this.#makeRoom(at);
      this.#days.set(account, { began: at, bytes });
    }
  }

  #makeRoom(now: number): void {
    if (this.#days.size < limits.logShares) return;
    for (const [account, { began }] of this.#days) if (now - began >= dayMs) this.#days.delete(account);
    const [oldest] = this.#days.size < limits.logShares ? [] : this.#days.keys();
    if (oldest !== undefined) this.#days.delete(oldest);
  }
}
