import { describe, it } from "node:test";
import { applying, closing, leavingOut, refusing, replacing } from "./applying.ts";
import { forgetting, leasing, noting, outboxes, outboxSizes, restarting } from "./keeping.ts";
import { finding, listing, paging, renaming } from "./listing.ts";
import type { Run, StoreStorage } from "./rows.ts";

export { busContract, type BusUnderTest } from "./bus.ts";
export { alarmOf, batchOf, deviceOf, rowOf, type StoreStorage, type TestTime } from "./rows.ts";

/** Declares the tests that every register store passes. */
export function registerStoreContract(name: string, create: () => StoreStorage): void {
  const run: Run = (what, test) => {
    it(what, async () => {
      const storage = create();
      try {
        await test(storage);
      } finally {
        await storage.remove();
      }
    });
  };
  describe(`${name} applies`, () => {
    applying(run);
    replacing(run);
  });
  describe(`${name} refuses`, () => {
    refusing(run);
    leavingOut(run);
    closing(run);
  });
  describe(`${name} lists`, () => {
    listing(run);
    finding(run);
    paging(run);
    renaming(run);
  });
  describe(`${name} keeps outboxes:`, () => {
    outboxes(run);
    outboxSizes(run);
  });
  describe(`${name} keeps notes:`, () => noting(run));
  describe(`${name} forgets`, () => forgetting(run));
  describe(`${name} leases`, () => leasing(run));
  describe(`${name} keeps over a restart`, () => restarting(run));
}
