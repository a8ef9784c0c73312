import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryRegisterStore } from "@ledge/fleet";
import { createLogger } from "@ledge/host/logger";
import { limits } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { WriterLease } from "./writer-lease.ts";

/** A store whose renewals hang while it is silent. */
function silentStore(clock: SimulatedClock) {
  const store = memoryRegisterStore(() => clock.wall());
  const silence: { until?: Promise<void> } = {};
  const registers: ConstructorParameters<typeof WriterLease>[0]["registers"] = {
    leases: (prefix) => store.leases(prefix),
    releaseLease: (name, holder) => store.releaseLease(name, holder),
    takeLease: async (name, holder, forMs) => {
      await silence.until;
      return store.takeLease(name, holder, forMs);
    },
  };
  const lease = new WriterLease({
    registers,
    node: "node",
    instance: "run",
    address: "127.0.0.1:1",
    clock,
    logger: createLogger("silent"),
    onFatal: assert.fail,
  });
  return { store, silence, lease };
}

test("a lease that is given back while it is renewed stays given back", async () => {
  const clock = new SimulatedClock();
  const { store, silence, lease } = silentStore(clock);
  await lease.take();
  const { promise, resolve } = Promise.withResolvers<void>();
  silence.until = promise;
  await clock.pass(limits.writerRenewMs);
  const released = lease.release();
  await clock.pass(limits.writerRetryMs);
  resolve();
  await released;
  await clock.pass(0);
  assert.deepEqual(await store.leases(lease.name), []);
  assert.equal(clock.waiting, 0);
});

test("giving back a lease waits for a database that says nothing no longer than the lease would last", async () => {
  const clock = new SimulatedClock();
  const { silence, lease } = silentStore(clock);
  await lease.take();
  const told: unknown[] = [];
  lease.attach({ suspend: (reason) => void told.push(reason), resume: () => void told.push(undefined) });
  silence.until = new Promise(() => {});
  await clock.pass(limits.writerRenewMs);
  let isReleased = false;
  void lease.release().then(() => (isReleased = true));
  await clock.pass(limits.writerLeaseMs - 1);
  assert.ok(!isReleased);
  await clock.pass(1);
  assert.ok(isReleased);
  await clock.pass(limits.writerLeaseMs);
  assert.deepEqual([told, clock.waiting], [[], 0]);
});

test("a writer whose lease the database does not renew takes no more before it ends, and goes on afterwards", async () => {
  const clock = new SimulatedClock();
  const { silence, lease } = silentStore(clock);
  const told: (string | undefined)[] = [];
  assert.equal(lease.ageMs, 0);
  assert.equal(await lease.take(), 1);
  lease.attach({ suspend: (reason) => void told.push(reason), resume: () => void told.push(undefined) });
  await clock.pass(3 * limits.writerRenewMs);
  assert.ok(lease.ageMs <= limits.writerRenewMs, `${lease.ageMs}`);
  const { promise, resolve } = Promise.withResolvers<void>();
  silence.until = promise;
  await clock.pass(limits.writerLeaseMs + limits.writerRenewMs);
  assert.ok(lease.isOut && lease.ageMs > limits.writerLeaseMs, `${lease.ageMs}`);
  assert.deepEqual(told, ["the database has not renewed the lease of the writer in time"]);
  resolve();
  await clock.pass(limits.writerRenewMs);
  assert.deepEqual([told.length, told.at(-1), lease.isOut], [2, undefined, false]);
  await lease.release();
  assert.equal(lease.ageMs, 0);
});
