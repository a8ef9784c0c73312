import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryBus, memoryRegisterStore, type RegisterStore } from "@ledge/fleet";
import { createLogger } from "@ledge/host/logger";
import { limits } from "@ledge/model";
import { SimulatedClock, until } from "@ledge/testkit";
import { Replication } from "./replication.ts";

test("what the cloud has of a hub that has left is deleted later if it cannot be now", async () => {
  const clock = new SimulatedClock();
  const store = memoryRegisterStore(() => clock.now());
  const row = {
    kind: "alarm",
    register: "hub",
    id: "smoke",
    source: "hub",
    timestamp: 1,
    object: {},
  } as const;
  const batch = { source: "hub", generation: 1, after: null, upto: "1", upserts: [row], removals: [] };
  assert.equal((await store.apply({ ...batch, outbox: [] })).outcome, "applied");
  let failures = 2;
  const faulty = new Proxy(store, {
    get(target, name: keyof RegisterStore) {
      if (name === "forget" && failures > 0) {
        failures--;
        return () => Promise.reject(new Error("the disk is full"));
      }
      return target[name].bind(target);
    },
  });
  const replication = new Replication({
    store: faulty,
    tunnels: { of: () => undefined, onChanged: () => () => {} },
    bus: memoryBus({ after: (ms, callback) => clock.after(ms, callback), onError: () => assert.fail() }),
    gatewaysOf: () => [],
    registersOf: () => [],
    described: (told) => told,
    egress: { messagesFor: () => [], stored: () => {} },
    now: () => clock.now(),
    clock,
    random: () => 0,
    logger: createLogger("silent"),
  });
  await replication.forget("hub");
  await clock.pass(limits.retryMinMs);
  assert.equal(failures, 0);
  assert.deepEqual(await store.sources(), ["hub"]);
  await clock.pass(2 * limits.retryMinMs);
  await until("the end of the deletion", async () => (await store.sources()).length === 0);
  assert.equal(clock.waiting, 0);
  replication.stop();
});
