import type { Bucket } from "./buckets.ts";
import { Buckets } from "./buckets.ts";
import type { Head } from "./chunk.ts";
import type { Chunk } from "./history-index.ts";
import { isNumeric, type Sample } from "./sample.ts";
import { type Change, type Share, States } from "./states.ts";

/** What is known of one attribute of a device, oldest first. */
export interface Series {
  /** The sample that held when the series begins. */
  readonly before: Sample | undefined;
  readonly chunks: Iterable<Chunk>;
  /** Samples after the chunks. */
  readonly tail: readonly Sample[];
}

export interface Span {
  /** ms, both inclusive. */
  readonly from: number;
  readonly to: number;
  /** The time (ms) until which the last value is known to hold. */
  readonly until: number;
  /** The maximum number of points in the answer. */
  readonly points: number;
}

/** Plain samples, summarised numbers, each change of other values, or how long each of these values held. */
export type Overview =
  | { readonly form: "samples"; readonly points: readonly { timestamp: number; value: unknown }[] }
  | { readonly form: "buckets"; readonly points: readonly Bucket[] }
  | { readonly form: "changes"; readonly points: readonly Change[] }
  | { readonly form: "shares"; readonly points: readonly Share[] };

/**
 * Summarises a series in a limited number of points. Returns the samples themselves when they are few enough.
 * @param spend called before each chunk that is read
 */
export function overview({ before, chunks, tail }: Series, span: Span, spend: () => void): Overview {
  const all = [...chunks];
  const least = all.reduce((sum, { head, isWhole }) => sum + (isWhole ? head.count : 0), tail.length);
  const isOfNumbers =
    (before === undefined || isNumeric(before.value)) &&
    all.every(({ head }) => head.kind === "numbers") &&
    tail.every(({ value }) => isNumeric(value));
  const each = function* (): Generator<Sample> {
    for (const chunk of all) {
      spend();
      yield* chunk.samples();
    }
    yield* tail;
  };
  if (!isOfNumbers) {
    const states = new States(span.from, span.to, span.points, before && JSON.stringify(before.value));
    for (const sample of each()) states.add(sample);
    return states.finish(span.until);
  }
  // The chunks at both ends may have samples outside the span, so only reading tells their number.
  if (least <= span.points) {
    const samples = [...each()];
    if (samples.length <= span.points)
      return { form: "samples", points: samples.map(({ timestamp, value }) => ({ timestamp, value })) };
  }
  const buckets = new Buckets(span.from, span.to, span.points, (before?.value ?? null) as number | null);
  for (const chunk of all) {
    if (chunk.isWhole && buckets.takes(chunk.head) && !endsUnknown(chunk.head)) {
      buckets.addHead(chunk.head);
      continue;
    }
    spend();
    for (const sample of chunk.samples()) buckets.add(sample);
  }
  for (const sample of tail) buckets.add(sample);
  return { form: "buckets", points: buckets.finish(span.until) };
}

/** Whether a head lacks the first or the last number of its chunk, because null is at that end. */
function endsUnknown({ firstValue, lastValue }: Head): boolean {
  return firstValue === null || lastValue === null;
}
