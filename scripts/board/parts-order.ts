/** Parts of a run by their names, in the order in which they begin if nothing else decides: the longest ways first. */
export type Needs = Readonly<Record<string, readonly string[]>>;

/** Returns the parts that names stand for: themselves, or all that begin with one and a dash; or a name of none. */
export function namedParts(needs: Needs, names: readonly string[]): readonly string[] | string {
  const found: string[] = [];
  for (const name of names) {
    const meant = Object.keys(needs).filter((part) => part === name || part.startsWith(`${name}-`));
    if (meant.length === 0) return name;
    found.push(...meant);
  }
  return found;
}

/**
 * Returns what has to run: what is wanted, and what that needs of others which has not been done yet.
 * @param isDone whether a part has left what others need of it
 * @returns names in the order of `needs`
 */
export function partsToRun(
  needs: Needs,
  wanted: readonly string[],
  isDone: (name: string) => boolean,
): readonly string[] {
  const found = new Set(wanted);
  // A set yields what is added while it is walked.
  for (const name of found)
    for (const needed of needs[name] ?? []) if (!found.has(needed) && !isDone(needed)) found.add(needed);
  return Object.keys(needs).filter((name) => found.has(name));
}

/**
 * Returns the parts that build on what others leave, at once or by way of others: it is not theirs any more when those run
 * again.
 * @returns names in the order of `needs`
 */
export function partsBehind(needs: Needs, names: readonly string[]): readonly string[] {
  const found = new Set(names);
  // The order of `needs` is not that of what builds on what.
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const [name, needed] of Object.entries(needs))
      if (needed.some((one) => found.has(one))) found.add(name);
  }
  return Object.keys(needs).filter((name) => found.has(name) && !names.includes(name));
}

/**
 * Runs parts, each after those that it needs.
 * @param names what `partsToRun` returned
 * @param lanes how many run at a time
 * @returns why parts have failed, or were not run because another one had failed
 */
export async function runInOrder(
  needs: Needs,
  names: readonly string[],
  lanes: number,
  run: (name: string) => Promise<void>,
): Promise<ReadonlyMap<string, unknown>> {
  const waiting = new Set(names);
  const running = new Map<string, Promise<void>>();
  const failures = new Map<string, unknown>();
  const open = (name: string): readonly string[] =>
    (needs[name] ?? []).filter((needed) => waiting.has(needed) || running.has(needed));
  const begin = (name: string): void => {
    waiting.delete(name);
    const ended = run(name)
      .catch((error: unknown) => void failures.set(name, error))
      .finally(() => running.delete(name));
    running.set(name, ended);
  };
  for (;;) {
    for (const name of waiting) {
      if (open(name).length > 0) continue;
      const failed = (needs[name] ?? []).find((needed) => failures.has(needed));
      if (failed !== undefined) {
        waiting.delete(name);
        failures.set(name, new Error(`${name} was not run: it needs ${failed}`));
      } else if (running.size < lanes) begin(name);
    }
    // Parts that wait for one that was not run now come to their turn.
    if (running.size === 0) {
      if (waiting.size === 0) return failures;
      continue;
    }
    await Promise.race(running.values());
  }
}
