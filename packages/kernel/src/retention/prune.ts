import type { Compacted, EventLog, Wants } from "@ledge/log";
import { limits } from "@ledge/model";
import { baseFormat, Past, type PastParts } from "./past.ts";
import { Survivors } from "./survivors.ts";

/** Gives way after every so many events. */
export class Slices {
  readonly #pause: () => Promise<void>;
  #events = 0;

  constructor(pause: () => Promise<void>) {
    this.#pause = pause;
  }

  /** So many events were worked on. */
  async done(events: number): Promise<void> {
    this.#events += Math.max(events, 1);
    if (this.#events < limits.retentionSliceEvents) return;
    this.#events = 0;
    await this.#pause();
  }
}

/** Bytes between two places at which what is rewritten may begin. */
const floorStepBytes = 262_144;

/** Where the last so many bytes of what is read begin. */
class Floor {
  readonly #bytes: number;
  #read = 0;
  #places: { readonly timestamp: number; readonly read: number }[] = [];

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  readonly wants: Wants = (_, start, end) => {
    this.#read += end - start;
    return true;
  };

  /** All up to a commit was read. */
  passed(timestamp: number): void {
    const step = Math.min(floorStepBytes, this.#bytes / 2);
    if (this.#read - (this.#places.at(-1)?.read ?? 0) < step) return;
    this.#places.push({ timestamp, read: this.#read });
    while ((this.#places[1]?.read ?? Infinity) <= this.#read - this.#bytes) this.#places.shift();
  }

  /** Timestamp (ms) of the last commit before them; 0 when there is none. */
  get timestamp(): number {
    const [first] = this.#places;
    return first !== undefined && first.read <= this.#read - this.#bytes ? first.timestamp : 0;
  }
}

/**
 * Compacts a log up to a boundary that it gave. Reads the whole log, in slices: what is behind the horizon names
 * causes before it. All that is kept up to the horizon is read again each time, so that nothing follows from a base.
 * @param rewriteBytes so much before the horizon is rewritten at most, in memory; what is older stays as it is
 */
export async function prune(
  log: EventLog,
  horizon: number,
  parts: PastParts,
  pause: () => Promise<void>,
  rewriteBytes: number = limits.rewriteBytes,
): Promise<Compacted> {
  const past = new Past(parts);
  const survivors = new Survivors(horizon, parts.aggregates);
  const slices = new Slices(pause);
  const floor = new Floor(rewriteBytes);
  for (const commit of log.read(0, horizon, floor.wants)) {
    past.apply(commit, (applied) => survivors.addBelow(applied));
    floor.passed(commit.timestamp);
    await slices.done(commit.events.length);
  }
  // What came while the rest was read is looked at too.
  let after = horizon;
  while (after < log.last) {
    for (const { timestamp, events } of log.read(after)) {
      for (const event of events) survivors.addBehind(event);
      after = timestamp;
      await slices.done(events.length);
    }
  }
  const keep = survivors.finish(past.lastEvents, floor.timestamp);
  // And what comes while the rest is gathered.
  const isCurrent = (): boolean => {
    let isSame = true;
    for (const { timestamp, events } of log.read(after)) {
      for (const event of events) if (survivors.addLate(event)) isSame = false;
      after = timestamp;
    }
    return isSame;
  };
  return log.compact({ horizon, keep, isCurrent, base: past.base(horizon), pause });
}

/**
 * Lays bases so that no more than so many events lie between two.
 * @returns how many events lie behind the newest
 */
export async function layBases(
  log: EventLog,
  parts: PastParts,
  pause: () => Promise<void>,
  events: number = limits.baseEvents,
): Promise<number> {
  const newest = log.loadBase(baseFormat(parts.format));
  const past = new Past(parts, newest);
  const slices = new Slices(pause);
  let count = 0;
  for (const commit of log.read(newest?.timestamp ?? 0)) {
    const { length } = commit.events;
    // Below the horizon no base is of use.
    if (count > 0 && count + length > events && past.projection.timestamp >= log.horizon) {
      await log.saveBase(past.base());
      count = 0;
    }
    past.apply(commit);
    count += length;
    await slices.done(length);
  }
  return count;
}
