import { setImmediate } from "node:timers/promises";
import type { Allowance, Clock, Kernel } from "@ledge/kernel";
import {
  aggregates,
  guestRoles,
  HomePreferencesSet,
  limits,
  type LoggedEvent,
  type Origin,
  PreferencesSet,
  type RaiseAlarm,
} from "@ledge/model";
import type { Notes } from "../notes/notes.ts";

const dayMs = 86_400_000;
/** Commits to read in one turn of the event loop. */
const sliceCommits = 500;
const ofUser = "user:";
const ofUserInJson = `"origin":"${ofUser}`;

/** What devices and radios say. Preferences go too, but users send them, and each is as long as they like. */
const telemetry: ReadonlySet<string> = new Set(
  aggregates
    .flatMap(({ events }) => events.flatMap(({ type, telemetry: goes }) => (goes ? [type] : [])))
    .filter((type) => type !== PreferencesSet.type && type !== HomePreferencesSet.type),
);

/** A user's additions to the log since their day began (elapsed ms). */
interface Day {
  readonly began: number;
  bytes: number;
  isTold: boolean;
}

/**
 * Limits what each user may add to the log in a day. A user's day begins with their first event. Permanent
 * events count for all users, and all events count for guests. A start counts the events of the last day from
 * the log.
 */
export class DailyAllowance implements Allowance {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #days = new Map<string, Day>();
  #kernel: Pick<Kernel, "get"> | undefined;
  #tell: (user: string) => void = () => {};
  #isStopped = false;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Raises an alarm about users who have reached their limit. */
  tellBy(kernel: Pick<Kernel, "get">, notes: Notes): void {
    this.#kernel = kernel;
    this.#tell = (user) => {
      const raise: RaiseAlarm = {
        type: "RAISE_ALARM",
        kind: "LOG_SHARE_SPENT",
        sourceId: user,
        name: user,
        facts: { kibibytes: Math.floor(this.#most(user) / 1024) },
      };
      void notes.note(raise);
    };
  }

  wait(origin: Origin): number {
    const user = userOf(origin);
    const day = user === undefined ? undefined : this.#day(user);
    if (user === undefined || day === undefined || day.bytes < this.#most(user)) return 0;
    return day.began + dayMs - this.#clock.monotonic();
  }

  spend(origin: Origin, events: readonly LoggedEvent[]): void {
    const user = userOf(origin);
    if (user === undefined || events.length === 0) return;
    const day = this.#add(user, events, this.#clock.monotonic());
    if (day === undefined || day.isTold || day.bytes < this.#most(user)) return;
    day.isTold = true;
    this.#tell(user);
  }

  /** Counts the events of the last day in a log, in slices, so that a restart does not reset the limits. */
  async recount(kernel: Pick<Kernel, "log" | "now">): Promise<void> {
    const { log } = kernel;
    const [time, elapsed] = [kernel.now(), this.#clock.monotonic()];
    const wants = (bytes: Buffer, start: number, end: number): boolean =>
      bytes.subarray(start, end).includes(ofUserInJson);
    let commits = 0;
    for (const { timestamp, events } of log.read(time - dayMs, log.last, wants)) {
      for (const event of events) {
        const user = userOf(event.origin);
        if (user !== undefined) this.#add(user, [event], elapsed - Math.max(0, time - timestamp));
      }
      if (++commits % sliceCommits > 0) continue;
      await setImmediate();
      if (this.#isStopped) return;
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  #day(user: string): Day | undefined {
    const day = this.#days.get(user);
    if (day === undefined || this.#clock.monotonic() - day.began < dayMs) return day;
    this.#days.delete(user);
    return undefined;
  }

  /** @param at elapsed ms at which they were added */
  #add(user: string, events: readonly LoggedEvent[], at: number): Day | undefined {
    const isGuest = this.#isGuest(user);
    let bytes = 0;
    for (const event of events) {
      if (isGuest || !telemetry.has(event.type)) bytes += JSON.stringify(event).length;
    }
    if (bytes === 0) return undefined;
    let day = this.#day(user);
    if (day === undefined) {
      this.#makeRoom();
      this.#days.set(user, (day = { began: at, bytes: 0, isTold: false }));
    }
    day.bytes += bytes;
    return day;
  }

  #makeRoom(): void {
    if (this.#days.size < limits.users * 2) return;
    for (const user of this.#days.keys()) this.#day(user);
    const [oldest] = this.#days.size < limits.users * 2 ? [] : this.#days.keys();
    if (oldest !== undefined) this.#days.delete(oldest);
  }

  /** A user without an entry in the hub counts as a guest. */
  #isGuest(user: string): boolean {
    const role = this.#kernel?.get("user", user)?.user_info.role ?? guestRoles;
    return (role & guestRoles) !== 0;
  }

  #most(user: string): number {
    return this.#isGuest(user) ? limits.guestLogBytesPerDay : limits.userLogBytesPerDay;
  }
}

function userOf(origin: Origin): string | undefined {
  return origin.startsWith(ofUser) ? origin.slice(ofUser.length) : undefined;
}
