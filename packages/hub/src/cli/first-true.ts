/**
 * Since when something is so that is so at the end of a span, by halves. Where it changed more than once, one of the
 * changes is found, and perhaps not the last.
 * @param from first moment (ms) that is looked at
 * @param to last one
 * @returns a moment at which it is so, and right before which it is not; `from` when it is so there; undefined when it
 *   is not so at `to`
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
