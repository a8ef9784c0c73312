import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Does some work while a process stands still: none of its threads runs, and what they were writing is written.
 * @param pid of a process of ours
 */
export async function standingStill<T>(pid: number, work: () => Promise<T>): Promise<T> {
  process.kill(pid, "SIGSTOP");
  try {
    while (!hasStopped(pid)) await sleep(10);
    return await work();
  } finally {
    goOn(pid);
  }
}

/** A process that has ended meanwhile is told nothing: why the work failed is what counts. */
function goOn(pid: number): void {
  try {
    process.kill(pid, "SIGCONT");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** A signal reaches the threads of a process one after the other; a system call that has begun ends before. */
function hasStopped(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((task) =>
    /\) T /.test(readFileSync(`/proc/${pid}/task/${task}/stat`, "utf8")),
  );
}
