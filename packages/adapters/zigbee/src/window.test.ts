import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import fc from "fast-check";
import type { Window } from "./window.ts";
import { firstWindow, grown, halved, StickWindow } from "./window.ts";

const full = new Error(
  "ZCL command failed (SREQ '--> AF - dataRequest' failed with status '(0x11: BUFFER_FULL)')",
);
const tableFull = new Error("Data request failed with error: 'NWK_TABLE_FULL' (0xc7)");
const silent = new Error("Timeout - 1234 - 1 - 1 - 6 - 11 after 4000ms");

/** Returns the window after this many commands that succeeded while it was full. */
function after(window: Window, count: number): Window {
  return Array.from({ length: count }).reduce<Window>((now) => grown(now, now.size), window);
}

test("starts with what is known of the stick, and with four for others", () => {
  assert.deepEqual(
    (["zstack", "ember", "deconz", "zboss", undefined] as const).map((stick) => firstWindow(stick).size),
    [16, 16, 4, 4, 4],
  );
});

test("grows by one for each command that succeeds, up to its limit", () => {
  assert.equal(after(firstWindow("deconz"), 1).size, limits.zigbeeWindowUsual + 1);
  assert.equal(
    after(firstWindow("deconz"), limits.zigbeeWindowMost - limits.zigbeeWindowUsual - 1).size,
    limits.zigbeeWindowMost - 1,
  );
  assert.equal(after(firstWindow("deconz"), 100).size, limits.zigbeeWindowMost);
});

test("does not grow while it is not full", () => {
  const window = firstWindow("deconz");
  assert.equal(grown(window, limits.zigbeeWindowUsual - 1), window);
});

test("is halved once for commands that started together, down to its limit", () => {
  const window = firstWindow("zstack");
  const once = halved(window, 0);
  assert.equal(once.size, 8);
  assert.equal(halved(once, 0), once);
  assert.equal(halved(once, 1).size, 4);
  const least = [2, 3, 4, 5].reduce(halved, halved(once, 1));
  assert.equal(least.size, limits.zigbeeWindowLeast);
});

test("grows slowly after it was halved: by one for each whole window", () => {
  const window = halved(firstWindow("deconz"), 0);
  assert.equal(window.size, 2);
  assert.equal(after(window, 1).size, 2);
  assert.equal(after(window, 2).size, 3);
  assert.equal(after(window, 4).size, 3);
  assert.equal(after(window, 5).size, 4);
});

test("stays within its limits, whatever becomes of commands", () => {
  const act = fc.record({ isFull: fc.boolean(), underWay: fc.nat(64), age: fc.nat(3) });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 200 }), (acts) => {
      let window = firstWindow("zstack");
      for (const { isFull, underWay, age } of acts) {
        const next = isFull ? halved(window, window.halvings - age) : grown(window, underWay);
        assert.ok(next.size >= limits.zigbeeWindowLeast && next.size <= limits.zigbeeWindowMost);
        assert.ok(next.size <= window.size + 1);
        window = next;
      }
    }),
    { numRuns: 200 },
  );
});

/** Sends as many commands as fit at once; the stick has room for this many, and one frees up with each answer. */
async function burst(window: StickWindow, room: number, error = full): Promise<void> {
  let used = 0;
  const send = async (): Promise<void> => {
    if (used >= room) throw error;
    used += 1;
    await Promise.resolve();
    used -= 1;
  };
  await Promise.allSettled(Array.from({ length: window.size }, () => window.learnFrom(send)));
}

test("finds what a stick bears, and stays there", async () => {
  const window = new StickWindow("deconz");
  const sizes: number[] = [];
  for (let round = 0; round < 60; round += 1) {
    await burst(window, 10);
    sizes.push(window.size);
  }
  assert.ok(Math.max(...sizes.slice(20)) <= 11, sizes.join());
  assert.ok(Math.min(...sizes.slice(20)) >= 5, sizes.join());
});

test("shrinks when the stick has no room for another route, but not when a device is silent", async () => {
  const window = new StickWindow("zstack");
  await assert.rejects(window.learnFrom(() => Promise.reject(silent)));
  assert.equal(window.size, 16);
  await assert.rejects(window.learnFrom(() => Promise.reject(tableFull)));
  assert.equal(window.size, 8);
  window.reset();
  assert.equal(window.size, 16);
});

test("keeps its size when a command fails that was sent to the stick before", async () => {
  const window = new StickWindow("zstack");
  const sent = Promise.withResolvers<void>();
  const command = window.learnFrom(() => sent.promise);
  window.reset();
  sent.reject(full);
  await assert.rejects(command, full);
  assert.equal(window.size, 16);
});
