import assert from "node:assert/strict";
import test from "node:test";
import { limits } from "@ledge/model";
import type { Report } from "./adapter.ts";
import { ReportQueue } from "./queue.ts";

const report = (native: string, attributes: Record<string, unknown>, at?: number): Report =>
  at === undefined ? { native, attributes } : { native, attributes, at };

const tables: readonly [name: string, pushed: readonly Report[], drained: readonly Report[]][] = [
  [
    "merges a device's levels into one report with the newest values",
    [report("a", { temperature: 1, humidity: 40 }, 5), report("a", { temperature: 2 }, 6)],
    [report("a", { temperature: 2, humidity: 40 }, 6)],
  ],
  [
    "keeps the place of the older report when it merges",
    [report("a", { lux: 1 }), report("b", { lux: 2 }), report("a", { lux: 3 })],
    [report("a", { lux: 3 }), report("b", { lux: 2 })],
  ],
  [
    "does not give an older time to a newer value without one",
    [report("a", { lux: 1 }, 5), report("a", { lux: 2 })],
    [report("a", { lux: 2 })],
  ],
  [
    "never merges pulses, not even equal ones",
    [report("a", { button: 1 }), report("a", { button: 1 }), report("a", { button: 2 })],
    [report("a", { button: 1 }), report("a", { button: 1 }), report("a", { button: 2 })],
  ],
  [
    "does not merge levels across a pulse",
    [
      report("a", { lux: 1 }),
      report("a", { motion: true }),
      report("a", { lux: 2 }),
      report("a", { lux: 3 }),
    ],
    [report("a", { lux: 1 }), report("a", { motion: true }), report("a", { lux: 3 })],
  ],
  [
    "merges levels across a pulse of another device",
    [report("a", { lux: 1 }), report("b", { motion: true }), report("a", { lux: 2 })],
    [report("a", { lux: 2 }), report("b", { motion: true })],
  ],
  [
    "keeps levels together with their pulse",
    [report("a", { isOn: true, brightness: 0.5 }), report("a", { brightness: 0.6 })],
    [report("a", { isOn: true, brightness: 0.5 }), report("a", { brightness: 0.6 })],
  ],
  [
    "treats an unknown attribute as a level",
    [report("a", { mystery: 1 }), report("a", { mystery: 2 })],
    [report("a", { mystery: 2 })],
  ],
];

for (const [name, pushed, drained] of tables) {
  test(name, () => {
    const queue = new ReportQueue();
    for (const one of pushed) queue.push(one);
    assert.deepEqual(queue.drain(100), drained);
    assert.equal(queue.size, 0);
  });
}

test("puts later levels into a new report after a drain", () => {
  const queue = new ReportQueue();
  queue.push(report("a", { lux: 1 }));
  assert.deepEqual(queue.drain(1), [report("a", { lux: 1 })]);
  queue.push(report("a", { humidity: 2 }));
  assert.deepEqual(queue.drain(1), [report("a", { humidity: 2 })]);
});

test("drains at most the requested number, in order", () => {
  const queue = new ReportQueue();
  for (let button = 0; button < 5; button += 1) queue.push(report("a", { button }));
  assert.deepEqual(
    queue.drain(2).map((one) => one.attributes["button"]),
    [0, 1],
  );
  assert.equal(queue.size, 3);
  assert.equal(queue.drain(0).length, 0);
});

test("drops and counts the newest pulses beyond the bound", () => {
  const queue = new ReportQueue({ pulses: 2, levels: 10 });
  for (const button of [1, 2, 3, 4]) queue.push(report("a", { button }));
  assert.equal(queue.dropped, 2);
  assert.deepEqual(
    queue.drain(10).map((one) => one.attributes["button"]),
    [1, 2],
  );
  queue.push(report("a", { button: 5 }));
  assert.equal(queue.drain(10).length, 1, "there is room again after a drain");
  assert.equal(queue.dropped, 2);
});

test("keeps the levels of a report whose pulse is dropped", () => {
  const queue = new ReportQueue({ pulses: 1, levels: 10 });
  queue.push(report("a", { isOn: true }));
  queue.push(report("a", { isOn: false, brightness: 0.2 }));
  assert.deepEqual(queue.drain(10), [report("a", { isOn: true }), report("a", { brightness: 0.2 })]);
});

test("holds levels of as many devices as the limit allows", () => {
  const queue = new ReportQueue();
  const push = (n: number): void => queue.push({ native: `n${n}`, attributes: { brightness: 0.5 } });
  for (let n = 0; n < limits.levelQueue; n++) push(n);
  assert.deepEqual([queue.size, queue.droppedLevels], [limits.levelQueue, 0]);
  push(0);
  assert.equal(queue.droppedLevels, 0, "a waiting device takes no more room");
  push(limits.levelQueue);
  assert.deepEqual([queue.size, queue.droppedLevels], [limits.levelQueue, 1]);
});

test("bounds levels by slots, not by reports", () => {
  const queue = new ReportQueue({ pulses: 10, levels: 2 });
  for (const native of ["a", "b", "c", "a"]) queue.push(report(native, { lux: 1 }));
  assert.equal(queue.size, 2);
  assert.equal(queue.droppedLevels, 1);
  queue.push(report("d", { motion: true }));
  assert.equal(queue.size, 3, "pulses have a bound of their own");
});

test("drops a forgotten device's reports and frees their room", () => {
  const queue = new ReportQueue({ pulses: 1, levels: 10 });
  queue.push(report("a", { lux: 1 }));
  queue.push(report("a", { button: 1 }));
  queue.push(report("b", { lux: 2 }));
  queue.forget("a");
  assert.deepEqual(queue.drain(10), [report("b", { lux: 2 })]);
  queue.push(report("b", { button: 1 }));
  assert.equal(queue.dropped, 0);
});

test("keeps the order of a long queue drained in small steps", () => {
  const queue = new ReportQueue();
  const seen: unknown[] = [];
  for (let button = 0; button < 4000; button += 1) {
    queue.push(report("a", { button }));
    if (button % 2 === 0) seen.push(...queue.drain(1).map((one) => one.attributes["button"]));
  }
  while (queue.size > 0) seen.push(...queue.drain(7).map((one) => one.attributes["button"]));
  assert.deepEqual(
    seen,
    Array.from({ length: 4000 }, (_, index) => index),
  );
});
