import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as (options?: object) => void;
/** Collects what nothing refers to. */
export const collect = (): void => gc();

/** Collects what nothing refers to, and gives the pages back that V8 would keep for what comes next. */
export const releaseMemory = (): void => gc({ type: "major", execution: "sync", flavor: "last-resort" });

/** What the heap holds (bytes) once all that nothing refers to is gone. */
export function collectGarbage(): number {
  for (let round = 0; round < 3; round++) collect();
  return process.memoryUsage().heapUsed;
}
