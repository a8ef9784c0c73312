import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryRegisterStore } from "@ledge/fleet";
import { createLogger } from "@ledge/host/logger";
import { limits } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { WriterLease } from "./writer-lease.ts";

test("a writer whose lease the database does not renew takes no more before it ends, and goes on afterwards", async () => {
  const clock = new SimulatedClock();
  const store = memoryRegisterStore(() => clock.wall());
  let silence: PromiseWithResolvers<void> | undefined;
  const told: (string | undefined)[] = [];
  const lease = new WriterLease({
    registers: {
      leases: (prefix) => store.leases(prefix),
      releaseLease: (name, holder) => store.releaseLease(name, holder),
      takeLease: async (name, holder, forMs) => {
        await silence?.promise;
        return store.takeLease(name, holder, forMs);
      },
    },
    node: "node",
    instance: "run",
    address: "127.0.0.1:1",
    clock,
    logger: createLogger("silent"),
    onFatal: assert.fail,
  });
  assert.equal(lease.ageMs, 0);
  assert.equal(await lease.take(), 1);
  lease.attach({ suspend: (reason) => void told.push(reason), resume: () => void told.push(undefined) });
  await clock.pass(3 * limits.writerRenewMs);
  assert.ok(lease.ageMs <= limits.writerRenewMs, `${lease.ageMs}`);
  silence = Promise.withResolvers();
  await clock.pass(limits.writerLeaseMs + limits.writerRenewMs);
  assert.ok(lease.isOut && lease.ageMs > limits.writerLeaseMs, `${lease.ageMs}`);
  assert.deepEqual(told, ["the database has not renewed the lease of the writer in time"]);
  silence.resolve();
  silence = undefined;
  await clock.pass(limits.writerRenewMs);
  assert.deepEqual([told.length, told.at(-1), lease.isOut], [2, undefined, false]);
  await lease.release();
  assert.equal(lease.ageMs, 0);
});
