import type { Compacted, EventLog, Wants } from "@ledge/log";
import { limits } from "@ledge/model";
import { baseFormat, Past, type PastParts } from "./past.ts";
import { Survivors } from "./survivors.ts";

/** Pauses after a number of events. */
export class Slices {
  readonly #pause: () => Promise<void>;
  #events = 0;

  constructor(pause: () => Promise<void>) {
    this.#pause = pause;
  }

  /** Counts processed events, and pauses when a slice is complete. */
  async done(events: number): Promise<void> {
    this.#events += Math.max(events, 1);
    if (this.#events < limits.retentionSliceEvents) return;
    this.#events = 0;
    await this.#pause();
  }
}

/** Distance in bytes between the places at which the rewritten part may begin. */
const floorStepBytes = 262_144;

/** Finds where the last `bytes` of the read part begin. */
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

  /** Notes that everything up to a commit was read. */
  passed(timestamp: number): void {
    const step = Math.min(floorStepBytes, this.#bytes / 2);
    if (this.#read - (this.#places.at(-1)?.read ?? 0) < step) return;
    this.#places.push({ timestamp, read: this.#read });
    while ((this.#places[1]?.read ?? Infinity) <= this.#read - this.#bytes) this.#places.shift();
  }

  /** Timestamp (ms) of the last commit before these bytes; 0 when there is none. */
  get timestamp(): number {
    const [first] = this.#places;
    return first !== undefined && first.read <= this.#read - this.#bytes ? first.timestamp : 0;
  }
}

/**
 * Compacts a log up to a boundary. Reads the whole log in slices, because events after the horizon name causes
 * before it. Reads again what earlier compactions kept, so that the result does not depend on a base.
 * @param rewriteBytes how much before the horizon is rewritten, in memory, at most; older events all stay
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
  // Read the commits that arrived meanwhile too.
  let after = horizon;
  while (after < log.last) {
    for (const { timestamp, events } of log.read(after)) {
      for (const event of events) survivors.addBehind(event);
      after = timestamp;
      await slices.done(events.length);
    }
  }
  const keep = survivors.finish(past.lastEvents, floor.timestamp);
  // Commits that arrive during the compaction may name further causes.
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
 * Writes bases so that at most `events` events lie between two.
 * @returns how many events follow the newest base
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
    // A base below the horizon is useless.
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
