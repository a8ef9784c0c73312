import type { RuleTime } from "@ledge/model";
import { CronTimes } from "./cron-times.ts";
import type { CompiledRange, Edge, RangeState } from "./edge.ts";
import type { Place } from "./place.ts";
import { zoneOf } from "./zone.ts";

/**
 * A RULETIME: it holds while its newest start is newer than its newest stop. A stop while it does not hold is
 * not an edge.
 */
export class RuleTimeCrons implements CompiledRange {
  readonly #start: CronTimes;
  readonly #stop: CronTimes;
  readonly #enabled: boolean;

  constructor({ enabled, cronDef }: RuleTime) {
    this.#enabled = enabled;
    this.#start = new CronTimes(cronDef.start);
    this.#stop = new CronTimes(cronDef.stop);
  }

  stateAt(at: number, { zone: name }: Place): RangeState {
    if (!this.#enabled) return { since: null, next: null };
    const zone = zoneOf(name);
    const started = this.#start.upTo(at, zone);
    const stopped = this.#stop.upTo(at, zone);
    const holds = started !== null && (stopped === null || started > stopped);
    const start = this.#start.after(at, zone);
    if (!holds) return { since: null, next: start };
    const stop = this.#stop.after(at, zone);
    return { since: started, next: start === null || (stop !== null && stop < start) ? stop : start };
  }

  edgeBefore(at: number, { zone: name }: Place): Edge | null {
    if (!this.#enabled) return null;
    const zone = zoneOf(name);
    const started = this.#start.upTo(at, zone);
    if (started === null) return null;
    const ended = this.#stop.after(started - 1, zone);
    return ended !== null && ended <= at ? { at: ended, edge: "stop" } : { at: started, edge: "start" };
  }
}
