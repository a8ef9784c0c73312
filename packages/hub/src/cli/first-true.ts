/**
 * Finds by binary search the moment from which a condition holds until the end of a span. When the condition
 * changed several times, the result is one of the changes, perhaps not the last.
 * @param from the first moment (ms) of the span
 * @param to the last one
 * @returns a moment at which the condition holds and just before which it does not; `from` when it holds there;
 * undefined when it does not hold at `to`
 */
export async function firstTrue(
  from: number,
  to: number,
  isSo: (at: number) => Promise<boolean>,
): Promise<number | undefined> {
  if (!(await isSo(to))) return undefined;
  if (await isSo(from)) return from;
  let [before, after] = [from, to];
  while (after - before > 1) {
    const middle = before + Math.floor((after - before) / 2);
    if (await isSo(middle)) after = middle;
    else before = middle;
  }
  return after;
}
