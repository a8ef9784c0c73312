import type { Clock } from "@ledge/kernel";

/**
 * Does something again and again, with a pause before each time.
 * @param ms from the start, and then from the end of each time
 * @param act never rejects
 * @returns a function that stops it; a time under way goes on to its end
 */
export function every(ms: number, clock: Pick<Clock, "after">, act: () => Promise<void>): () => void {
  let cancel = clock.after(ms, run);
  let isStopped = false;
  function run(): void {
    void act().finally(() => {
      if (!isStopped) cancel = clock.after(ms, run);
    });
  }
  return () => {
    isStopped = true;
    cancel();
  };
}
