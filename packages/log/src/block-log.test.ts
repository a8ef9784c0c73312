import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { LoggedEvent } from "@ledge/model";
import { type Block, blockOf, type BlockStore } from "./block.ts";
import { BlockLog } from "./block-log.ts";
import { crc32c } from "./crc32c.ts";
import { LogError, noJournal } from "./event-log.ts";
import { encodeFrame, noHash } from "./frame.ts";

const events: LoggedEvent[] = [{ type: "Noted", id: "x", version: 1, origin: "system", depth: 0 }];
const blockAt = (timestamp: number, sequence: number): Block =>
  blockOf(timestamp, encodeFrame({ timestamp, events }, sequence, noHash));
const whole = [blockAt(10, 1), blockAt(20, 2), blockAt(30, 3)] as const;

/** A store of these blocks that records its calls and completes writes when the test calls `flush`. */
function storeOf(blocks: readonly Block[]) {
  const calls: string[] = [];
  const flushed = Promise.withResolvers<void>();
  const store: BlockStore = {
    readOnly: false,
    *blocks(timestamp) {
      const from = blocks.findLastIndex((block) => block.timestamp <= timestamp);
      yield* blocks.slice(Math.max(from, 0));
    },
    lastBlock: (before = Infinity) => blocks.findLast(({ timestamp }) => timestamp < before),
    write: () => flushed.promise,
    cut: () => assert.fail("nothing has to be cut"),
    recovery: undefined,
    settleRecovery: () => assert.fail("nothing is to be settled"),
    lastMoved: () => blocks.at(-1),
    compaction: () => undefined,
    compact: () => assert.fail("nothing is compacted"),
    readSnapshotPart: () => undefined,
    snapshotKeys: () => [],
    writeSnapshotParts: async () => {
      await flushed.promise;
      calls.push("snapshot");
    },
    writeFailure: async () => new LogError("failed", "no"),
    stats: () => ({ ...noJournal, fileBytes: 0, usedBytes: 0, spareBytes: 0 }),
    close: async () => void calls.push("close"),
  };
  return { store, calls, flush: flushed.resolve };
}

const readAll = (blocks: readonly Block[], after?: number): number[] =>
  [...new BlockLog(storeOf(blocks).store).read(after)].map(({ timestamp }) => timestamp);

test("reports damage when a block is missing at the start or in the middle", () => {
  assert.deepEqual(readAll(whole), [10, 20, 30]);
  assert.throws(() => readAll([whole[1], whole[2]]), /damaged.*sequence number 2 follows 0/);
  assert.throws(() => readAll([whole[0], whole[2]]), /damaged.*sequence number 3 follows 1/);
  assert.deepEqual(
    readAll([whole[1], whole[2]], 20),
    [30],
    "a read from 20 on does not need the first block",
  );
});

test("reports damage when a payload has another count than its header, even with a right checksum", () => {
  const bytes = Buffer.from(whole[1].bytes);
  bytes.writeUInt32LE(2, 12);
  bytes.writeUInt32LE(crc32c(bytes.subarray(8)), 4);
  const blocks = [whole[0], blockOf(20, bytes), whole[2]];
  assert.throws(() => readAll(blocks), { name: "LogError", code: "damaged" });
});

test("closes after pending appends and snapshots", async () => {
  const { store, calls, flush } = storeOf(whole);
  const log = new BlockLog(store);
  const saved = log.saveSnapshot({ timestamp: 30, format: "x", rows: [1] });
  const appended = log.append({ timestamp: 40, events });
  const closed = log.close();
  for (let i = 0; i < 5; i++) await setImmediate();
  assert.deepEqual(calls, []);
  flush();
  await Promise.all([saved, appended, closed]);
  assert.deepEqual(calls, ["snapshot", "snapshot", "close"]);
});
