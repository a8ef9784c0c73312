import fs from "node:fs";

/**
 * Disables fsync where Node forbids it: a confined process cannot flush open files. The library only flushes
 * caches (decision 32); all lasting data is in the hub's log.
 */
export function withoutFsync(): void {
  if (process.permission === undefined) return;
  fs.fsyncSync = () => {};
}
