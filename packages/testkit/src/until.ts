import { setTimeout } from "node:timers/promises";

type Answer<T> = T | undefined | false;
type Holds<T> = () => Answer<T> | Promise<Answer<T>>;

const tries = 60_000;
const restMs = 2;

/**
 * Waits until a condition holds, however slow the machine is.
 * @returns the result of the condition
 */
export async function until<T>(...given: [what: string, holds: Holds<T>] | [holds: Holds<T>]): Promise<T> {
  const holds = given[1] ?? (given[0] as Holds<T>);
  for (let left = tries; left > 0; left--) {
    const value = await holds();
    if (value !== undefined && value !== false) return value;
    await setTimeout(restMs);
  }
  throw new Error(`waited in vain: ${String(given[0])}`);
}
