import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
/** Collects what nothing refers to. */
export const collect: () => void = runInNewContext("gc");

/** What the heap holds (bytes) once all that nothing refers to is gone. */
export function collectGarbage(): number {
  for (let round = 0; round < 3; round++) collect();
  return process.memoryUsage().heapUsed;
}
