import fs from "node:fs";

/**
 * Lets the library do without fsync where Node refuses it: in a confined process no file that is open can be flushed.
 * What the library flushes are caches (decision 32); whatever must last is in the hub's log.
 */
export function withoutFsync(): void {
  if (process.permission === undefined) return;
  fs.fsyncSync = () => {};
}
