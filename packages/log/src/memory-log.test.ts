import assert from "node:assert/strict";
import { test } from "node:test";
import type { Commit } from "@ledge/model";
import { logContract } from "./contract.ts";
import { type MemoryLog, memoryLog } from "./memory-log.ts";

logContract("memoryLog", () => {
  let log: MemoryLog | undefined;
  return {
    open: async (options = {}) => {
      if (log !== undefined) sizeIsKept(log);
      log = log === undefined ? memoryLog(options) : log.clone(options);
      return log;
    },
    damageSnapshot: async (part) => log?.damageSnapshot(part, 20),
    remove: async () => {
      if (log !== undefined) sizeIsKept(log);
      await log?.close();
    },
  };
});

/** Asserts that a log knows its size as one does that has just read all of it. */
function sizeIsKept(log: MemoryLog): void {
  assert.equal(log.stats().usedBytes, log.clone().stats().usedBytes);
}

const commit = (timestamp: number): Commit => ({ timestamp, events: [] });
const timestamps = (log: MemoryLog): number[] => [...log.read()].map(({ timestamp }) => timestamp);

test("clones what is durable, independent of the original", async () => {
  const flushes: (() => void)[] = [];
  const log = memoryLog({ flush: () => new Promise((resolve) => flushes.push(resolve)) });
  const first = log.append(commit(1));
  while (flushes.length === 0) await Promise.resolve();
  flushes.pop()?.();
  await first;
  const unflushed = log.append(commit(2));
  while (flushes.length === 0) await Promise.resolve();

  const clone = log.clone({});
  assert.deepEqual([clone.last, timestamps(clone)], [1, [1]]);
  await clone.append(commit(3));
  flushes.pop()?.();
  await unflushed;
  assert.deepEqual(
    [timestamps(log), timestamps(clone)],
    [
      [1, 2],
      [1, 3],
    ],
  );
});

for (const code of ["full", "failed"] as const) {
  test(`a write made to fail as ${code} is final, and nothing of it is stored`, async () => {
    const log = memoryLog();
    await log.append(commit(1));
    log.failNext(code);
    const appends = [log.append(commit(2)), log.append(commit(3))];
    for (const append of appends) await assert.rejects(append, { name: "LogError", code });
    await assert.rejects(log.append(commit(4)), { code });
    await assert.rejects(log.saveSnapshot({ timestamp: 1, format: "x", rows: [1] }), { code });
    assert.deepEqual([log.last, timestamps(log)], [1, [1]]);
    await log.close();
    const reopened = log.clone();
    await reopened.append(commit(2));
    assert.deepEqual([timestamps(reopened), reopened.verify().damage], [[1, 2], []]);
  });
}

test("stops appending when a snapshot cannot be written, and keeps the one before", async () => {
  const log = memoryLog();
  await log.append(commit(1));
  await log.saveSnapshot({ timestamp: 1, format: "x", rows: [1] });
  log.failNext("full");
  await assert.rejects(log.saveSnapshot({ timestamp: 1, format: "x", rows: [2] }), {
    name: "LogError",
    code: "full",
  });
  await assert.rejects(log.append(commit(2)), { name: "LogError", code: "full" });
  assert.deepEqual([...(log.clone().loadSnapshot("x")?.rows ?? [])], [1]);
});

test("refuses to damage a byte beyond the log", async () => {
  const log = memoryLog();
  assert.throws(() => log.damage(0), RangeError);
  assert.throws(() => log.damageSnapshot("a/0", 0), RangeError);
});
