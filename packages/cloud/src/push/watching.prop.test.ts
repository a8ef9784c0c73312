import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import fc from "fast-check";
import type { PushMessage } from "./pushes.ts";
import type { Reader } from "./reader.ts";
import { WatchedRegister } from "./test-source.ts";

const device = fc.constantFrom("a", "b", "c", "d");
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ set: device, value: fc.option(fc.nat(99), { nil: undefined }) }) },
  { weight: 3, arbitrary: fc.record({ turns: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 2, arbitrary: fc.constant("read" as const) },
  { weight: 1, arbitrary: fc.constant("subscribe" as const) },
  { weight: 1, arbitrary: fc.record({ pauseMs: fc.constantFrom(10, 2000, 5000) }) },
);

/** What a client knows that keeps the last push of each device. */
class Client {
  readonly known = new Map<string, unknown>();
  readonly #signal = new AbortController().signal;
  #isReading = false;

  /** Reads once, beside whatever goes on. */
  async read(reader: Reader): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    for (const { push } of await reader.next(this.#signal)) this.#take(push);
    this.#isReading = false;
  }

  #take(push: PushMessage["push"]): void {
    if (push.type === "DeviceStateDeviceRegisterPush") this.known.set(push.deviceId, push.state?.["value"]);
  }
}

test("the last pushes are the state, whatever changes while snapshots and pushes go out", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const home = new WatchedRegister();
      const session = { kind: "connection", id: "c" } as const;
      const reader = home.watching.openStream("ann", session);
      assert.ok(typeof reader === "object");
      const client = new Client();
      const subscribe = (): unknown =>
        home.watching.subscribe("ann", session, { kind: "register", id: "home" });
      subscribe();
      for (const what of steps) {
        if (what === "read") void client.read(reader);
        else if (what === "subscribe") subscribe();
        else if ("set" in what) await home.register.set(what.set, what.value);
        else if ("turns" in what) for (let turn = 0; turn < what.turns; turn++) await setImmediate();
        else home.clock.advance(what.pauseMs);
      }
      for (let turn = 0; turn < 60; turn++) {
        void client.read(reader);
        await setImmediate();
      }
      const known = [...client.known].filter(([, value]) => value !== undefined);
      assert.deepEqual(new Map(known), home.register.devices);
      assert.deepEqual(home.errors, []);
    }),
    { numRuns: 300 },
  );
});
