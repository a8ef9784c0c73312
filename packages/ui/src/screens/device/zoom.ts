/** From when to when a drawing shows (ms since the epoch). */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The shortest and the longest time that a drawing shows (ms). */
export const shortest = 60_000;
export const longest = 366 * 86_400_000;

/** Returns a span of a length about a moment that stands at a part (0 to 1) of it, and ends by `latest`. */
function spanAt(moment: number, at: number, length: number, latest: number): Span {
  const bounded = Math.min(Math.max(length, shortest), longest);
  const to = Math.min(moment + (1 - at) * bounded, latest);
  const from = Math.max(0, to - bounded);
  return { from, to };
}

/**
 * Returns a span with more or less time in it.
 * @param factor below 1: less @param at which part of the span stays where it is, from 0 to 1
 */
export function zoomed({ from, to }: Span, factor: number, at: number, latest: number): Span {
  return spanAt(from + at * (to - from), at, (to - from) * factor, latest);
}

/** Returns a span that is later by a part of its length, or earlier for less than 0. */
export function panned({ from, to }: Span, part: number, latest: number): Span {
  const moved = from + part * (to - from);
  return spanAt(Math.max(0, moved), 0, to - from, latest);
}

/** Fingers that are nearer to each other than this part of the drawing count as this far apart. */
const nearest = 0.02;

/**
 * Returns a span in which the moments under two fingers have gone with them.
 * @param before where they were, as parts of the drawing @param after where they are
 */
export function pinched(
  span: Span,
  before: readonly [number, number],
  after: readonly [number, number],
  latest: number,
): Span {
  const apart = ([a, b]: readonly [number, number]): number => Math.max(Math.abs(a - b), nearest);
  const middle = ([a, b]: readonly [number, number]): number => (a + b) / 2;
  const length = span.to - span.from;
  return spanAt(
    span.from + middle(before) * length,
    middle(after),
    (length * apart(before)) / apart(after),
    latest,
  );
}
