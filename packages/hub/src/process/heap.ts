import { setFlagsFromString } from "node:v8";

/** By how much (percent) the old generation may grow before garbage is collected again; V8 itself allows 300. */
const growthPercent = 30;

/**
 * Makes V8 collect garbage earlier and more often. Otherwise it would keep a multiple of the needed memory
 * after a burst, such as the announcement of thousands of devices. Call this before the process starts to work
 * (docs/adr/0014).
 */
export function keepHeapSmall(): void {
  // The young generation keeps its initial size, because it never shrinks after growing.
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  // The old generation is collected and compacted as on a machine with little memory.
  setFlagsFromString("--optimize-for-size");
}
