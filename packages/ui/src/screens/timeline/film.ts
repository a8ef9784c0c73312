import type { Device } from "../../store/wire.ts";

/** What a device reported at a time (ms). */
export interface Change {
  readonly at: number;
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export type Devices = Readonly<Record<string, Device>>;

/** Part of the past: the home as it was at `from`, and what devices reported until `until` (ms). */
export interface Reel {
  readonly from: number;
  readonly until: number;
  readonly devices: Devices;
  /** The oldest first. */
  readonly changes: readonly Change[];
}

/** Plays a reel forwards and backwards. */
export interface Player {
  readonly reel: Reel;
  /** Moves to a time. @returns the devices that differ from the time before, as they were then */
  seek(at: number): Devices;
  /** Returns all devices at the time of the last seek. */
  homeNow(): Devices;
}

/** A change with the device before and after it, so that the player moves both ways without a look at the others. */
interface Frame {
  readonly at: number;
  readonly before: Device;
  readonly after: Device;
}

function framesOf({ devices, changes }: Reel): readonly Frame[] {
  const latest = new Map(Object.entries(devices));
  const frames: Frame[] = [];
  for (const { at, id, attributes } of changes) {
    const before = latest.get(id);
    // It came into being since; the next reel begins with it.
    if (before === undefined) continue;
    const after: Device = { ...before, state: { ...before.state, ...attributes } };
    latest.set(id, after);
    frames.push({ at, before, after });
  }
  return frames;
}

/** Returns a player that stands at the begin of a reel. A move costs what has changed between the two times. */
export function createPlayer(reel: Reel): Player {
  const frames = framesOf(reel);
  let place = 0;
  return {
    reel,
    homeNow: () => ({
      ...reel.devices,
      ...Object.fromEntries(frames.slice(0, place).map(({ after }) => [after.id, after])),
    }),
    seek(at) {
      const changed: Record<string, Device> = {};
      for (let next = frames[place]; next !== undefined && next.at <= at; next = frames[++place])
        changed[next.after.id] = next.after;
      for (let last = frames[place - 1]; last !== undefined && last.at > at; last = frames[--place - 1])
        changed[last.before.id] = last.before;
      return changed;
    },
  };
}

/** A stretch of time (ms), from its begin up to its end. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/** How many events a slice of time holds. */
export interface Slice {
  readonly at: number;
  readonly events: number;
}

/**
 * Returns the spans of a window, each short enough to be read at once: a slice too full for that is a span by itself.
 * @param most events of a span
 */
export function spansOf(slices: readonly Slice[], until: number, most: number): readonly Span[] {
  const begins: number[] = [];
  let held = Infinity;
  for (const { at, events } of slices) {
    if (held + events > most) {
      begins.push(at);
      held = 0;
    }
    held += events;
  }
  return begins.map((from, index) => ({ from, until: begins[index + 1] ?? until }));
}

/** Returns the span that a time is in; the last one for a time behind all. */
export function spanAt(spans: readonly Span[], at: number): Span | undefined {
  return spans.find(({ until }) => at < until) ?? spans.at(-1);
}

/** Returns spans with those first that are nearest to a time. */
export function nearestFirst(spans: readonly Span[], at: number): readonly Span[] {
  const distance = ({ from, until }: Span): number => Math.max(0, from - at, at - until);
  return spans.toSorted((a, b) => distance(a) - distance(b));
}
