import { setFlagsFromString } from "node:v8";

/** By how much (percent) the old generation may grow before garbage is collected again; V8 itself allows 300. */
const growthPercent = 30;

/**
 * Has V8 collect garbage earlier and more often: after a burst, such as the announcement of thousands of devices,
 * it would keep a multiple of what it needs. To be called before the process takes up work (docs/adr/0014).
 */
export function keepHeapSmall(): void {
  // The young generation stays as small as it begins: once grown it does not shrink.
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  // Collects and compacts the old one as on a system that is short of memory.
  setFlagsFromString("--optimize-for-size");
}
