import type { Head } from "./chunk.ts";
import type { Sample } from "./sample.ts";

/** A summary of the values within a span of time. A value holds until the next sample. */
export interface Bucket {
  /** ms; the bucket ends where the next one begins. */
  readonly from: number;
  readonly min: number;
  readonly max: number;
  /** Weighted by time. */
  readonly avg: number;
  /** The value at the bucket's beginning, or the first known one in it, and the value at its end. */
  readonly first: number;
  readonly last: number;
  /** The number of samples in it. */
  readonly count: number;
}

interface Filling {
  min: number;
  max: number;
  first: number | null;
  last: number | null;
  area: number;
  knownMs: number;
  count: number;
}

/** Summarises numbers in equal spans of time. Samples must arrive oldest first. */
export class Buckets {
  readonly #from: number;
  readonly #to: number;
  readonly #width: number;
  readonly #buckets: (Filling | undefined)[];
  #held: number | null;
  #heldFrom: number;

  /**
   * @param from ms
   * @param to the end (ms), within the last bucket
   * @param held the value at `from`; null when unknown
   */
  constructor(from: number, to: number, points: number, held: number | null) {
    this.#from = from;
    this.#to = to;
    this.#width = Math.max(1, Math.ceil((to - from + 1) / points));
    this.#buckets = Array.from({ length: Math.ceil((to - from + 1) / this.#width) }, () => undefined);
    this.#held = held;
    this.#heldFrom = from;
  }

  /** The length of one bucket (ms). */
  get width(): number {
    return this.#width;
  }

  /** Whether the whole chunk of a head lies within one bucket. */
  takes({ first, last }: Head): boolean {
    return this.#place(first) === this.#place(last);
  }

  /** Adds a sample with `from` <= timestamp <= `to`. */
  add({ timestamp, value }: Sample): void {
    this.#hold(timestamp);
    this.#held = value as number | null;
    const bucket = this.#at(this.#place(timestamp));
    bucket.count++;
    note(bucket, this.#held);
  }

  /** Adds the samples of a whole chunk that `takes` accepts. */
  addHead({ first, last, count, min, max, firstValue, lastValue, area, knownMs }: Head): void {
    this.#hold(first);
    const bucket = this.#at(this.#place(first));
    bucket.count += count;
    for (const value of [firstValue, min, max, lastValue]) note(bucket, value);
    bucket.last = lastValue ?? bucket.last;
    bucket.area += area;
    bucket.knownMs += knownMs;
    this.#held = lastValue;
    this.#heldFrom = last;
  }

  /**
   * Returns the buckets that hold a known value.
   * @param until up to when (ms) the last value is known to hold, at most `to`
   */
  finish(until: number): Bucket[] {
    this.#hold(Math.min(until, this.#to));
    return this.#buckets.flatMap((bucket, place) => {
      if (bucket === undefined || bucket.first === null || bucket.last === null) return [];
      const { min, max, first, last, area, knownMs, count } = bucket;
      const avg = knownMs > 0 ? area / knownMs : last;
      return [{ from: this.#from + place * this.#width, min, max, avg, first, last, count }];
    });
  }

  #place(timestamp: number): number {
    return Math.floor((timestamp - this.#from) / this.#width);
  }

  #at(place: number): Filling {
    return (this.#buckets[place] ??= {
      min: Infinity,
      max: -Infinity,
      first: null,
      last: null,
      area: 0,
      knownMs: 0,
      count: 0,
    });
  }

  /** Extends the current value up to a timestamp. */
  #hold(until: number): void {
    const value = this.#held;
    let from = this.#heldFrom;
    this.#heldFrom = until;
    if (value === null) return;
    while (from < until) {
      const place = this.#place(from);
      const end = Math.min(until, this.#from + (place + 1) * this.#width);
      const bucket = this.#at(place);
      note(bucket, value);
      bucket.area += value * (end - from);
      bucket.knownMs += end - from;
      from = end;
    }
  }
}

function note(bucket: Filling, value: number | null): void {
  if (value === null) return;
  bucket.first ??= value;
  bucket.last = value;
  bucket.min = Math.min(bucket.min, value);
  bucket.max = Math.max(bucket.max, value);
}
