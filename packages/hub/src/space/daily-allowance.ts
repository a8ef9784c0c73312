import { setImmediate } from "node:timers/promises";
import type { Allowance, Clock, Kernel } from "@ledge/kernel";
import { aggregates, guestRoles, limits, type LoggedEvent, type Origin, type RaiseAlarm } from "@ledge/model";
import type { Notes } from "../notes/notes.ts";

const dayMs = 86_400_000;
/** Commits of the log that are looked at in one turn. */
const sliceCommits = 500;
const ofUser = "user:";
const ofUserInJson = `"origin":"${ofUser}`;

const telemetry: ReadonlySet<string> = new Set(
  aggregates.flatMap(({ events }) => events.flatMap(({ type, telemetry: goes }) => (goes ? [type] : []))),
);

/** What a user has added to the log since a day of theirs began (elapsed ms). */
interface Day {
  readonly began: number;
  bytes: number;
  isTold: boolean;
}

/**
 * What each user may add to the log in a day, which begins with the first event: of events that are kept for ever, and
 * of a guest of all events. A start counts what the log has of the last day.
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

  /** Users are told by an alarm of who has added as much as they may. */
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

  /** Counts what a log has of the last day, in slices: how much somebody has added outlives the process. */
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

  /** @param at elapsed ms, of when they were added */
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

  /** Who is not in the hub's own table counts as a guest. */
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
