/** Returns the seconds since a moment of `performance.now()`, in tenths. */
export function secondsSince(from: number): number {
  return Math.round((performance.now() - from) / 100) / 10;
}
