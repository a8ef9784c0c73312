import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Commit } from "@ledge/model";
import { AppendQueue } from "./append-queue.ts";
import type { Block } from "./block.ts";
import { LogError } from "./event-log.ts";
import { noHash } from "./frame.ts";

const commit = (timestamp: number, note = ""): Commit => ({
  timestamp,
  events: [{ type: "Noted", id: note, version: 1, origin: "system", depth: 0 }],
});

/** A queue over a store whose writes end when the test says so. */
function queueOverHeldStore() {
  const blocks: Block[] = [];
  const held: PromiseWithResolvers<void>[] = [];
  const store = {
    write: (block: Block): Promise<void> => {
      blocks.push(block);
      const write = Promise.withResolvers<void>();
      held.push(write);
      return write.promise;
    },
    writeFailure: async (cause: unknown) => new LogError("failed", "it failed", { cause }),
  };
  const queue = new AppendQueue(store, { timestamp: 0, sequence: 0, hash: noHash });
  const next = (): PromiseWithResolvers<void> => held.shift() ?? assert.fail("no write is in flight");
  return { queue, blocks, next };
}

test("joins commits that arrive during a write into the next block", async () => {
  const { queue, blocks, next } = queueOverHeldStore();
  const done: number[] = [];
  const append = (timestamp: number): Promise<void> =>
    queue.append(commit(timestamp)).then(() => void done.push(timestamp));

  const first = append(1);
  await setImmediate();
  const later = [append(2), append(3), append(4)];
  await setImmediate();
  assert.deepEqual([blocks.length, done, queue.last], [1, [], 0]);

  next().resolve();
  await first;
  await setImmediate();
  assert.deepEqual([blocks.map(({ timestamp }) => timestamp), done, queue.last], [[1, 2], [1], 1]);

  next().resolve();
  await Promise.all(later);
  assert.deepEqual([blocks.length, done, queue.last], [2, [1, 2, 3, 4], 4]);
  const frameBytes = blocks.reduce((sum, { bytes }) => sum + bytes.length, 0);
  assert.deepEqual(queue.written, { commits: 4, events: 4, frameBytes });
  await queue.settled();
});

test("ends a block at 64 KiB, after at least one commit", async () => {
  const { queue, blocks, next } = queueOverHeldStore();
  const half = "x".repeat(32_000);
  const appends = [commit(1, half), commit(2, half), commit(3, half), commit(4, half + half + half)].map(
    (one) => queue.append(one),
  );
  for (let i = 0; i < 3; i++) {
    await setImmediate();
    next().resolve();
  }
  await Promise.all(appends);
  assert.deepEqual(
    blocks.map(({ timestamp }) => timestamp),
    [1, 3, 4],
  );
});

test("fails all queued and later appends after a failed write, without another write", async () => {
  const { queue, blocks, next } = queueOverHeldStore();
  const first = queue.append(commit(1));
  await setImmediate();
  const queued = queue.append(commit(2));
  const cause = new Error("the disk said no");
  next().reject(cause);
  for (const append of [first, queued]) {
    await assert.rejects(append, (error: LogError) => error.code === "failed" && error.cause === cause);
  }
  await assert.rejects(queue.append(commit(3)), { code: "failed" });
  await queue.settled();
  assert.deepEqual([blocks.length, queue.last, queue.written.commits], [1, 0, 0]);
});

test("stops appending after a failure elsewhere on the disk", async () => {
  const { queue, blocks } = queueOverHeldStore();
  await queue.fail(new Error("a snapshot could not be written"));
  await assert.rejects(queue.append(commit(1)), { code: "failed" });
  assert.equal(blocks.length, 0);
});

test("refuses a commit without a change to the order or the queue", async () => {
  const { queue, blocks, next } = queueOverHeldStore();
  const first = queue.append(commit(5));
  for (const timestamp of [5, 4, 0, -1, 5.5, Number.NaN, 2 ** 53]) {
    await assert.rejects(queue.append(commit(timestamp)), { code: "order" });
  }
  await assert.rejects(
    queue.append({ timestamp: 6, events: [{ ...commit(6).events[0], n: 1n } as never] }),
    TypeError,
  );
  const second = queue.append(commit(6));
  next().resolve();
  await first;
  await setImmediate();
  next().resolve();
  await second;
  assert.equal(blocks.length, 2);
});
