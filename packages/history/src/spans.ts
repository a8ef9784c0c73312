import type { Head } from "./chunk.ts";
import type { Series } from "./overview.ts";
import { isNumeric, type Sample } from "./sample.ts";

/** A summary of the numbers within a span of time. A value holds until the next sample. */
export interface Sum {
  readonly min: number;
  readonly max: number;
  /** Weighted by time. */
  readonly avg: number;
  /** For how long (ms) a value was known. */
  readonly ms: number;
  /** The value at the span's beginning, or the first known one in it, and the value at its end. */
  readonly first: number;
  readonly last: number;
  /** The number of samples in it. */
  readonly count: number;
  /** By how much the value rose, falls left out: what a meter counted, also when it began anew. */
  readonly rise: number;
}

interface Filling {
  min: number;
  max: number;
  first: number;
  last: number;
  area: number;
  ms: number;
  count: number;
  rise: number;
}

/**
 * Summarises the numbers of a series in given spans of time; null for a span without a known value.
 * @param bounds ascending (ms): each span lasts until before the next bound, so the last bound only ends one
 * @param until the time (ms) until which the last value is known to hold
 * @param spend called before each chunk that is read
 */
export function sumsOf(
  { before, chunks, tail }: Series,
  bounds: readonly number[],
  until: number,
  spend: () => void,
): (Sum | null)[] {
  const spans = new Spans(bounds, numberIn(before?.value));
  for (const chunk of chunks) {
    if (chunk.isWhole && spans.takes(chunk.head)) {
      spans.addHead(chunk.head);
      continue;
    }
    spend();
    for (const sample of chunk.samples()) spans.add(sample);
  }
  for (const sample of tail) spans.add(sample);
  return spans.finish(until);
}

function numberIn(value: unknown): number | null {
  return isNumeric(value) ? value : null;
}

/** Samples must arrive oldest first. */
class Spans {
  readonly #bounds: readonly number[];
  readonly #fillings: (Filling | undefined)[];
  readonly #end: number;
  #place = 0;
  #held: number | null;
  #heldFrom: number;
  /** The last number; the meter may have been unknown since. */
  #known: number | null;

  constructor(bounds: readonly number[], held: number | null) {
    this.#bounds = bounds;
    this.#fillings = Array.from({ length: Math.max(0, bounds.length - 1) }, () => undefined);
    this.#end = bounds.at(-1) ?? 0;
    this.#held = held;
    this.#known = held;
    this.#heldFrom = bounds[0] ?? 0;
  }

  /**
   * Whether the summary of a chunk says enough: it lies within one span, has numbers at both ends, and rises from
   * its least to its greatest number. Small falls in between are taken for noise of a meter.
   */
  takes({ kind, first, last, min, max, firstValue, lastValue }: Head): boolean {
    if (kind !== "numbers" || firstValue === null || lastValue === null) return false;
    const rises = firstValue === min && lastValue === max;
    return rises && last < this.#end && this.#placeOf(first) === this.#placeOf(last);
  }

  add({ timestamp, value }: Sample): void {
    if (timestamp >= this.#end) return;
    this.#hold(timestamp);
    this.#held = numberIn(value);
    if (this.#held === null) return;
    const filling = this.#at(this.#placeOf(timestamp), this.#held);
    filling.count++;
    filling.rise += this.#riseTo(this.#held);
  }

  addHead({ first, last, count, min, max, firstValue, lastValue, area, knownMs }: Head): void {
    this.#hold(first);
    if (firstValue === null || lastValue === null) return;
    const filling = this.#at(this.#placeOf(first), firstValue);
    for (const value of [min, max, lastValue]) note(filling, value ?? firstValue);
    filling.count += count;
    filling.area += area;
    filling.ms += knownMs;
    filling.rise += this.#riseTo(firstValue) + lastValue - firstValue;
    this.#held = lastValue;
    this.#known = lastValue;
    this.#heldFrom = last;
  }

  finish(until: number): (Sum | null)[] {
    this.#hold(Math.min(until, this.#end));
    return this.#fillings.map((filling) => {
      if (filling === undefined) return null;
      const { area, ms, min, max, first, last, count, rise } = filling;
      return { min, max, avg: ms > 0 ? area / ms : last, ms, first, last, count, rise };
    });
  }

  #riseTo(value: number): number {
    const rise = Math.max(0, value - (this.#known ?? value));
    this.#known = value;
    return rise;
  }

  /** Samples ascend, so the search goes on from where it was. */
  #placeOf(timestamp: number): number {
    let place = timestamp < (this.#bounds[this.#place] ?? 0) ? 0 : this.#place;
    while (place + 1 < this.#fillings.length && timestamp >= (this.#bounds[place + 1] ?? Infinity)) place++;
    this.#place = place;
    return place;
  }

  #at(place: number, value: number): Filling {
    const filling = (this.#fillings[place] ??= {
      min: value,
      max: value,
      first: value,
      last: value,
      area: 0,
      ms: 0,
      count: 0,
      rise: 0,
    });
    note(filling, value);
    return filling;
  }

  /** Extends the current value up to a timestamp. */
  #hold(until: number): void {
    const value = this.#held;
    let from = this.#heldFrom;
    this.#heldFrom = Math.max(from, until);
    if (value === null) return;
    while (from < until) {
      const place = this.#placeOf(from);
      const end = Math.min(until, this.#bounds[place + 1] ?? until);
      const filling = this.#at(place, value);
      filling.area += value * (end - from);
      filling.ms += end - from;
      from = end;
    }
  }
}

function note(filling: Filling, value: number): void {
  filling.last = value;
  filling.min = Math.min(filling.min, value);
  filling.max = Math.max(filling.max, value);
}
