// What is counted: windows of equal work between marks, once everything is compiled.

/**
 * Turns of a kernel before the first mark: the compiler is done by then. All turns together stay below what
 * makes V8 collect garbage in a large home, because how often it does is not the kernel's doing.
 */
export const warmTurns = 3000;
export const windowTurns = 300;
export const windowRequests = 200;
/**
 * Windows of requests before those that count, marked as they are: a mark is a request of its own, and code that
 * meets its first one is compiled anew. The compiler still finds work after 11,000 requests.
 */
export const warmWindows = 70;
/** An odd number, so that there is a window in the middle. */
export const windows = 11;

/**
 * Instructions per turn: of all windows the middle one, so that a late compilation or a large collection of
 * garbage in one of them does not count. `least` takes the least, where most windows hold work that comes now and
 * then, such as a collection of garbage or the growth of a table: which of it the middle window has is luck.
 * @param marks the count at the end of each window, and before the first
 */
export function perTurn(
  marks: readonly number[],
  turns: number,
  which: "middle" | "least" = "middle",
): number {
  const last = marks.slice(-(windows + 1));
  if (last.length !== windows + 1) throw new Error(`${marks.length} marks, ${windows + 1} are needed`);
  const counts = last.slice(1).map((mark, index) => (mark - (last[index] as number)) / turns);
  return counts.toSorted((a, b) => a - b)[which === "least" ? 0 : (windows - 1) / 2] as number;
}

/** The marks in what the counting plugin has printed. */
export function marksIn(printed: string): readonly number[] {
  return [...printed.matchAll(/^instructions (\d+)$/gm)].map(([, count]) => Number(count));
}
