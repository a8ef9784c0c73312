import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { test } from "node:test";
import { setImmediate, setTimeout } from "node:timers/promises";
import { NoRoomError } from "../event-log.ts";
import { openLmdbLog } from "../lmdb-log.ts";
import { journalBytes, regionBytes } from "./layout.ts";
import { commitOf, crashed, type Disk, folderOf, Gate, journalIn, openOn, span } from "./testdata.ts";
import { timestampsOf as timestamps } from "./testdata.ts";

/** Sixteen frames of this size fill a region. */
const large = "x".repeat(62_000);
const framesPerLap = 64;

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await setTimeout(2);
}

test("reuses regions, and empties them at a clean close", async (context) => {
  const folder = folderOf(context);
  const log = await openLmdbLog({ folder });
  const count = 5 * framesPerLap + 7;
  for (const timestamp of span(1, count)) await log.append(commitOf(timestamp, large));
  const { flushes, moves, fileBytes, journalMode } = log.stats();
  assert.deepEqual([flushes, timestamps(log)], [count, span(1, count)]);
  assert.ok(moves > 10 && fileBytes > journalBytes);
  assert.ok(journalMode === "direct" || journalMode === "buffered");
  assert.equal(statSync(journalIn(folder)).size, journalBytes);
  await log.close();

  const reader = await openLmdbLog({ folder, readOnly: true });
  assert.deepEqual([reader.stats().journalFrames, timestamps(reader)], [0, span(1, count)]);
  assert.deepEqual([reader.recovered, reader.verify().damage], [undefined, []]);
  await reader.close();
});

test("delays appends while every region is full, until the mover catches up", async (context) => {
  const folder = folderOf(context);
  const gate = new Gate();
  const disk: Disk = { commits: 0, slowness: gate.passed };
  const log = await openOn(disk, { folder });
  gate.shut();
  let acknowledged = 0;
  const appends = span(1, framesPerLap + 20).map(async (timestamp) => {
    await log.append(commitOf(timestamp, large));
    acknowledged = timestamp;
  });
  await until(() => log.stats().stalls > 0 && acknowledged === framesPerLap);
  assert.deepEqual([acknowledged, log.last, log.stats().stalls], [framesPerLap, framesPerLap, 1]);
  assert.deepEqual(timestamps(log), span(1, framesPerLap), "acknowledged commits are readable meanwhile");

  const copy = crashed(folder);
  const reader = await openLmdbLog({ folder: copy, readOnly: true });
  assert.deepEqual([reader.stats().journalFrames, timestamps(reader)], [framesPerLap, span(1, framesPerLap)]);
  await reader.close();
  const reopened = await openLmdbLog({ folder: copy });
  assert.deepEqual([reopened.stats().journalFrames, timestamps(reopened)], [0, span(1, framesPerLap)]);
  assert.deepEqual([reopened.recovered, reopened.verify().damage], [undefined, []]);
  await reopened.append(commitOf(framesPerLap + 1));
  await reopened.close();

  assert.equal(acknowledged, framesPerLap);
  gate.lift();
  await Promise.all(appends);
  assert.deepEqual(timestamps(log), span(1, framesPerLap + 20));
  await log.close();
  // Preparing a commit blocks the event loop, so a commit takes only a part of the tail.
  assert.ok((disk.largest ?? 0) > 400_000 && (disk.largest ?? 0) <= 524_288, `${disk.largest} bytes at once`);
});

for (const [what, result, message] of [
  ["an error", "-5", /i\/o error/i],
  ["a short write", "4096", /only 4096 of/],
  ["nothing written", "0", /only 0 of/],
  ["the end of its thread", "exit", /thread has ended/],
] as const) {
  test(`${what} at a write of the journal is final`, async (context) => {
    const folder = folderOf(context);
    Object.assign(process.env, { JOURNAL_FAILS_AT: "20", JOURNAL_FAILS_WITH: result });
    const worker = new URL("./failing-worker.ts", import.meta.url);
    const log = await openOn({ commits: 0 }, { folder, worker });
    const text = "x".repeat(5000);
    for (const timestamp of span(1, 19)) await log.append(commitOf(timestamp, text));
    const appends = [20, 21].map((timestamp) => log.append(commitOf(timestamp, text)));
    for (const append of appends) await assert.rejects(append, { code: "failed", message });
    await assert.rejects(log.append(commitOf(22)), { code: "failed" });
    await assert.rejects(log.saveSnapshot({ timestamp: 19, format: "x", rows: [1] }), { code: "failed" });
    await assert.rejects(log.move(), { code: "failed" });
    assert.deepEqual([log.stats().flushes, timestamps(log)], [19, span(1, 19)]);
    await log.close();

    const reopened = await openLmdbLog({ folder });
    assert.deepEqual(timestamps(reopened), span(1, 19));
    assert.deepEqual([reopened.recovered, reopened.verify().damage], [undefined, []]);
    await reopened.append(commitOf(20));
    await reopened.close();
  });
}

test("acknowledges no commit before its frame is written, whoever wakes the writer", async (context) => {
  const folder = folderOf(context);
  const worker = new URL("./hasty-worker.ts", import.meta.url);
  const log = await openOn({ commits: 0 }, { folder, worker });
  for (const timestamp of span(1, 5)) {
    // Frames of two sizes: the answer to the frame before would be taken for a short write.
    await log.append(commitOf(timestamp, "x".repeat(timestamp % 2 === 0 ? 10 : 5000)));
    const copy = await openLmdbLog({ folder: crashed(folder), readOnly: true });
    assert.deepEqual(timestamps(copy), span(1, timestamp));
    await copy.close();
  }
  await log.close();
});

test("accepts commits on a full disk until the journal is full, and recovers", async (context) => {
  const folder = folderOf(context);
  const disk: Disk = { commits: 0 };
  const log = await openOn(disk, { folder });
  disk.fault = "full";
  const outcomes = await Promise.allSettled(
    span(1, framesPerLap + 5).map((timestamp) => log.append(commitOf(timestamp, large))),
  );
  const isTaken = outcomes.map(({ status }) => status === "fulfilled");
  assert.deepEqual(isTaken, [...Array<boolean>(framesPerLap).fill(true), ...Array<boolean>(5).fill(false)]);
  for (const use of [
    () => log.append(commitOf(framesPerLap + 1)),
    () => log.append(commitOf(framesPerLap + 1, "x".repeat(2 * regionBytes))),
    () => log.saveSnapshot({ timestamp: 1, format: "x", rows: [1] }),
    () => log.move(),
  ]) {
    await assert.rejects(use, NoRoomError);
  }
  assert.equal(log.last, framesPerLap);
  assert.deepEqual(timestamps(log), span(1, framesPerLap));
  assert.ok(disk.commits < 10, `${disk.commits} commits were tried`);

  disk.fault = undefined;
  await until(() => log.stats().journalFrames === 0);
  await log.append(commitOf(framesPerLap + 1, large));
  await log.saveSnapshot({ timestamp: framesPerLap, format: "x", rows: [1] });
  assert.deepEqual([timestamps(log), log.verify().damage], [span(1, framesPerLap + 1), []]);
  await log.close();
  const reopened = await openLmdbLog({ folder });
  assert.deepEqual([timestamps(reopened), reopened.verify().damage], [span(1, framesPerLap + 1), []]);
  await reopened.close();
});

test("keeps the old log when the disk is full during compaction, and compacts later", async (context) => {
  const folder = folderOf(context);
  const disk: Disk = { commits: 0 };
  const log = await openOn(disk, { folder });
  for (const timestamp of span(1, 60)) await log.append(commitOf(timestamp, large));
  const horizon = await log.boundary(50, Number.MAX_SAFE_INTEGER, setImmediate);
  const compact = (): Promise<unknown> => {
    const keep = (timestamp: number): boolean => timestamp % 2 === 0;
    return log.compact({
      horizon,
      keep,
      base: { timestamp: horizon, format: "x", rows: [1] },
      pause: setImmediate,
    });
  };
  disk.fault = "full";
  await assert.rejects(compact(), NoRoomError);
  assert.deepEqual([log.horizon, log.bases(), timestamps(log)], [0, [], span(1, 60)]);
  disk.fault = "too large";
  await log.append(commitOf(61));
  await assert.rejects(compact(), NoRoomError);
  await assert.rejects(log.saveSnapshot({ timestamp: 61, format: "x", rows: [1] }), NoRoomError);
  await log.append(commitOf(62));
  // Smaller commits go on meanwhile.
  await log.move();
  assert.deepEqual([log.stats().journalFrames, timestamps(log)], [0, span(1, 62)]);
  disk.fault = undefined;
  await compact();
  const left = span(1, 62).filter((timestamp) => timestamp > horizon || timestamp % 2 === 0);
  assert.deepEqual([log.horizon, timestamps(log), log.verify().damage], [horizon, left, []]);
  await log.close();
  const reopened = await openLmdbLog({ folder });
  assert.deepEqual([timestamps(reopened), reopened.verify().damage], [left, []]);
  await reopened.close();
});

test("opens on a full disk with everything durable, and accepts commits when there is room", async (context) => {
  const folder = folderOf(context);
  const first = await openLmdbLog({ folder });
  for (const timestamp of span(1, 30)) await first.append(commitOf(timestamp));
  const copy = crashed(folder);
  await first.close();

  const disk: Disk = { fault: "full", commits: 0 };
  for (let i = 0; i < 2; i++) {
    const log = await openOn(disk, { folder: copy });
    assert.deepEqual([log.last, timestamps(log), log.stats().journalFrames], [30, span(1, 30), 30]);
    assert.equal(log.stats().journalMode, "none");
    await assert.rejects(log.append(commitOf(31)), NoRoomError);
    await assert.rejects(log.saveSnapshot({ timestamp: 30, format: "x", rows: [] }), NoRoomError);
    await log.close();
  }
  const log = await openOn(disk, { folder: copy });
  disk.fault = undefined;
  await until(() => log.stats().journalMode !== "none");
  await log.append(commitOf(31));
  assert.equal(log.stats().journalFrames, 1);
  await log.close();
  const reopened = await openLmdbLog({ folder: copy });
  assert.deepEqual([timestamps(reopened), reopened.verify().damage], [span(1, 31), []]);
  await reopened.close();
});

test("stops for good and loses nothing when the disk behind the journal breaks", async (context) => {
  const folder = folderOf(context);
  const disk: Disk = { commits: 0 };
  const log = await openOn(disk, { folder });
  for (const timestamp of span(1, 20)) await log.append(commitOf(timestamp));
  disk.fault = "failed";
  await assert.rejects(log.move(), { code: "failed" });
  disk.fault = undefined;
  await assert.rejects(log.append(commitOf(21)), { code: "failed" });
  await assert.rejects(log.move(), { code: "failed" });
  assert.deepEqual([disk.commits, timestamps(log)], [1, span(1, 20)]);
  await log.close();
  const failing: Disk = { fault: "failed", commits: 0 };
  await assert.rejects(openOn(failing, { folder }), { code: "failed" });
  const reopened = await openLmdbLog({ folder });
  assert.deepEqual(timestamps(reopened), span(1, 20));
  await reopened.close();
});

test("writes through the page cache where direct access is refused, and reports that mode", async (context) => {
  const folder = folderOf(context);
  const log = await openOn({ commits: 0 }, { folder, direct: false });
  for (const timestamp of span(1, 300)) await log.append(commitOf(timestamp));
  assert.deepEqual([log.stats().journalMode, timestamps(log)], ["buffered", span(1, 300)]);
  const reopened = await openLmdbLog({ folder: crashed(folder) });
  assert.deepEqual([reopened.recovered, timestamps(reopened)], [undefined, span(1, 300)]);
  await Promise.all([log.close(), reopened.close()]);
});
