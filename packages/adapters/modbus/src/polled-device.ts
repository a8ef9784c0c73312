import type { DeviceMap } from "./device-map.ts";
import type { Point, Value } from "./point.ts";
import type { Block } from "./read-plan.ts";
import { planReads } from "./read-plan.ts";

/** Without changes a device is reported as alive this often. */
const aliveMs = 60_000;
/** How long a point that the device refuses is left out; the time doubles with each refusal. */
const muteMs = { least: 60_000, most: 600_000 };

export type Attributes = Record<string, unknown>;

/**
 * What to report of the values read: only changes, all values, or all values and that the device is
 * reachable.
 */
export type Wanted = "news" | "values" | "all";

/** What failed: the whole line, the box at the device's address, or only the device. */
export type Cause = "line" | "box" | "device";

interface PolledPoint extends Point {
  alone: boolean;
  /** When it was last asked for; undefined: it is due, whenever that was. */
  askedAt: number | undefined;
  /** When it was last refused (ms), and how long it is left out since; 0: not at all. */
  refusedAt: number;
  muteMs: number;
  /** Whether its problem was already logged. */
  complained: boolean;
}

/**
 * Tracks the state of one device and decides what to report. Times are wall clock, ms: a clock set back
 * counts as time passed.
 */
export class PolledDevice {
  readonly map: DeviceMap;
  readonly #points: readonly PolledPoint[];
  readonly #reported = new Map<string, Value>();
  /** The values that pending readings have collected so far. */
  readonly #readings = new Set<Map<string, Value>>();
  readonly #unreachableAfter: number;
  /** Undefined until the first answer or the first final failure. */
  #reachable: boolean | undefined;
  #reportedAt = 0;
  #failures = 0;
  #silences = 0;
  #cause: Cause = "line";

  constructor(map: DeviceMap, unreachableAfter: number) {
    this.map = map;
    this.#unreachableAfter = unreachableAfter;
    this.#points = map.points.map((point) => ({
      ...point,
      alone: false,
      askedAt: undefined,
      refusedAt: 0,
      muteMs: 0,
      complained: false,
    }));
  }

  get reachable(): boolean | undefined {
    return this.#reachable;
  }

  /** The number of unanswered polls in a row since the line is up. */
  get silences(): number {
    return this.#silences;
  }

  /** The line is up: restarts the backoff. */
  lineUp(): void {
    this.#silences = 0;
    this.expire();
  }

  /** Makes all points due, however recently they were read. */
  expire(): void {
    for (const point of this.#points) point.askedAt = undefined;
  }

  /**
   * Records that the box of the device has answered.
   * @returns whether the device was given up because of the box.
   */
  boxAnswered(): boolean {
    if (this.#silences === 0 || this.#cause !== "box") return false;
    this.#silences = 0;
    this.#failures = 0;
    return true;
  }

  /** Returns the reads that are due: of all points whose interval is over, except recently refused ones. */
  reads(now: number, all = false): readonly Block[] {
    // Timers are late rather than early, and a poll waits for the line: what is nearly due counts as due.
    const slackMs = this.map.pollMs / 2;
    const due = this.#points.filter(({ muteMs: mute, refusedAt, askedAt, pollMs }) => {
      if (all) return true;
      if (mute > 0 && !passed(refusedAt, mute, now)) return false;
      return askedAt === undefined || passed(askedAt, pollMs - slackMs, now);
    });
    for (const point of due) point.askedAt = now;
    return planReads(due, (point) => point.alone);
  }

  /** Starts a reading, which collects its values in the map. It takes several requests, and a command may come between. */
  beginReading(): Map<string, Value> {
    const values = new Map<string, Value>();
    this.#readings.add(values);
    return values;
  }

  endReading(values: Map<string, Value>): void {
    this.#readings.delete(values);
  }

  /** Records that a point was written: drops stale values of its registers from pending readings. */
  written({ table, register, count, attribute }: Point): void {
    for (const values of this.#readings) values.delete(attribute);
    for (const point of this.#points) {
      const isApart = point.register >= register + count || point.register + point.count <= register;
      if (point.table !== table || isApart) continue;
      for (const values of this.#readings) values.delete(point.attribute);
    }
  }

  point(attribute: string): Point | undefined {
    return this.#points.find((point) => point.attribute === attribute);
  }

  /**
   * Records values that were read, or an answer without values.
   * @returns the attributes to report, if any.
   */
  answered(values: ReadonlyMap<string, Value>, now: number, wanted: Wanted): Attributes | undefined {
    const news: Attributes = {};
    this.#failures = 0;
    this.#silences = 0;
    if (this.#reachable !== true || wanted === "all") news["reachable"] = true;
    this.#reachable = true;
    const stale = passed(this.#reportedAt, aliveMs, now);
    for (const [name, value] of values) {
      if (wanted === "news" && !this.#isNews(name, value, stale)) continue;
      news[name] = value;
      this.#reported.set(name, value);
    }
    if (Object.keys(news).length === 0 && stale) news["lastSeen"] = now;
    if (Object.keys(news).length === 0) return undefined;
    this.#reportedAt = now;
    return news;
  }

  /**
   * Records that the device could not be asked or did not answer.
   * @returns the attributes to report, if any.
   */
  failed(cause: Cause, now: number): Attributes | undefined {
    this.#failures += 1;
    this.#cause = cause;
    this.expire();
    if (cause !== "line") this.#silences += 1;
    const neverHeard = cause === "line" && this.#reachable === undefined;
    const final = neverHeard || this.#failures >= this.#unreachableAfter;
    if (!final || this.#reachable === false) return undefined;
    this.#reachable = false;
    this.#reportedAt = now;
    // After its return every value is worth a report, whatever it was before.
    this.#reported.clear();
    return { reachable: false };
  }

  /**
   * Records that the device refused a read because it has no such registers. From now on points that were
   * read together are read one by one; a point that was read alone is left out for a while.
   * @returns the point to log, the first time.
   */
  refused(block: Block, now: number): Point | undefined {
    const own = this.#points.filter(({ attribute }) =>
      block.points.some((point) => point.attribute === attribute),
    );
    const [point] = own;
    if (point === undefined) return undefined;
    if (own.length > 1) {
      for (const together of own) together.alone = true;
      return undefined;
    }
    point.refusedAt = now;
    point.muteMs = point.muteMs === 0 ? muteMs.least : Math.min(muteMs.most, point.muteMs * 2);
    return this.#complaint(point);
  }

  /** Records that a point can be read again. */
  readable(attribute: string): void {
    const point = this.#points.find((candidate) => candidate.attribute === attribute);
    if (point !== undefined) point.muteMs = 0;
  }

  /** @returns the point, when its value is impossible for the first time. */
  implausible(attribute: string): Point | undefined {
    const point = this.#points.find((candidate) => candidate.attribute === attribute);
    return point === undefined ? undefined : this.#complaint(point);
  }

  #complaint(point: PolledPoint): Point | undefined {
    if (point.complained) return undefined;
    point.complained = true;
    return point;
  }

  #isNews(name: string, value: Value, stale: boolean): boolean {
    const before = this.#reported.get(name);
    if (typeof value !== "number" || typeof before !== "number") return value !== before;
    const change = Math.abs(value - before);
    return change > 0 && (stale || change >= (this.point(name)?.minChange ?? 0));
  }
}

function passed(since: number, ms: number, now: number): boolean {
  return now < since || now - since >= ms;
}
