import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { type Commit, limits } from "@ledge/model";
import { LogError } from "./event-log.ts";
import { encodeFrame, frameHeaderBytes, noHash } from "./frame.ts";
import { type MemoryLog, memoryLog } from "./memory-log.ts";

const commit = (timestamp: number): Commit => ({
  timestamp,
  events: [{ type: "LampSwitched", id: "lamp", version: 1, origin: "device", depth: 0 }],
});
/** Timestamps in this test have two digits, so every frame has the same length. */
const frameBytes = encodeFrame(commit(10), 1, noHash).length;
const inPayload = frameHeaderBytes + 3;

/** Creates a log. Each group of commits is appended at once and forms one block. */
async function logOf(...groups: readonly (readonly number[])[]): Promise<MemoryLog> {
  const log = memoryLog();
  for (const group of groups) await Promise.all(group.map((timestamp) => log.append(commit(timestamp))));
  return log;
}

const timestamps = (log: MemoryLog): number[] => [...log.read()].map(({ timestamp }) => timestamp);

test("opens a whole log unchanged", async () => {
  const log = (await logOf([10], [20, 30])).clone();
  assert.equal(log.recovered, undefined);
  assert.deepEqual([log.last, timestamps(log)], [30, [10, 20, 30]]);
});

test("cuts the unreadable end of the newest block and goes on", async () => {
  const log = await logOf([10], [20, 30]);
  log.damage(2 * frameBytes + inPayload);
  const opened = log.clone();
  const lost = { timestamp: 20, lostUntil: 30, bytes: frameBytes, problem: "wrong checksum" };
  assert.deepEqual(opened.recovered, lost);
  assert.deepEqual([opened.last, timestamps(opened)], [20, [10, 20]]);
  await opened.append(commit(50));
  const again = opened.clone();
  assert.deepEqual([again.recovered, timestamps(again)], [lost, [10, 20, 50]]);
  assert.deepEqual(again.verify().damage, []);
  await again.settleRecovery();
  assert.equal(again.clone().recovered, undefined);
});

test("takes the end of what was lost from plausible frame headers and from snapshots", async () => {
  const day = limits.lostSpanMs;
  for (const [times, snapshot, expected] of [
    [[10, 20, 30], undefined, 30],
    [[10, 10 + day], undefined, 10 + day],
    [[10, 11 + day], undefined, 10],
    [[10, 11 + day], 11 + day, 11 + day],
  ] as const) {
    const log = await logOf(times);
    if (snapshot !== undefined) await log.saveSnapshot({ timestamp: snapshot, format: "f", rows: [] });
    const frames = log.blockBytes / times.length;
    for (let frame = 1; frame < times.length; frame++) log.damage(frame * frames + inPayload);
    assert.equal(log.clone().recovered?.lostUntil, expected);
  }
});

test("keeps the later end of two unsettled recoveries", async () => {
  const log = await logOf([10], [20, 90]);
  log.damage(2 * frameBytes + inPayload);
  const once = log.clone();
  assert.equal(once.recovered?.lostUntil, 90);
  once.damage(frameBytes + inPayload);
  const { recovered } = once.clone();
  assert.deepEqual([recovered?.timestamp, recovered?.lostUntil], [10, 90]);
});

test("drops the frame within which the newest block ends", async () => {
  for (const kept of [1, frameHeaderBytes - 1, frameHeaderBytes, frameBytes - 1]) {
    const log = await logOf([10], [20, 30]);
    log.tear(2 * frameBytes + kept);
    const opened = log.clone();
    assert.equal(opened.recovered?.bytes, kept);
    assert.match(opened.recovered.problem, /cut short/);
    assert.deepEqual(timestamps(opened), [10, 20]);
  }
});

test("refuses to open when whole frames follow an unreadable one", async () => {
  for (const damaged of [1, 2, 3]) {
    for (const place of [0, inPayload]) {
      const log = await logOf([10], [20, 30, 40, 50]);
      log.damage(damaged * frameBytes + place);
      assert.throws(() => log.clone(), isDamaged);
    }
  }
});

test("drops a newest block that is unreadable from its start, and goes on", async () => {
  const log = await logOf([10], [20]);
  log.damage(frameBytes);
  const opened = log.clone();
  assert.deepEqual(opened.recovered, {
    timestamp: 10,
    lostUntil: 20,
    bytes: frameBytes,
    problem: "no frame begins here",
  });
  await opened.append(commit(25));
  assert.deepEqual([timestamps(opened), opened.verify().damage], [[10, 25], []]);
});

test("refuses to become empty", async () => {
  const log = await logOf([10, 20]);
  log.damage(inPayload);
  assert.throws(() => log.clone(), isDamaged);
});

test("refuses to cut more than the newest block", async () => {
  const log = await logOf([10], [20, 30], [40]);
  log.damage(3 * frameBytes + inPayload);
  assert.deepEqual(timestamps(log.clone()), [10, 20, 30]);
  for (const frame of [2, 1]) {
    log.damage(frame * frameBytes + inPayload);
    assert.throws(() => log.clone(), isDamaged);
  }
});

test("opens despite damage before the newest block, and reports it on reading and verifying", async () => {
  const log = await logOf([10, 20], [30], [40]);
  log.damage(frameBytes + inPayload);
  const opened = log.clone();
  assert.equal(opened.recovered, undefined);
  const commits = opened.read();
  assert.equal(commits.next().value?.timestamp, 10);
  assert.throws(() => commits.next(), isDamaged);
  assert.throws(() => [...opened.read(20)], isDamaged);
  assert.deepEqual(
    [...opened.read(30)].map(({ timestamp }) => timestamp),
    [40],
  );
  assert.deepEqual(opened.verify(), {
    commits: 3,
    events: 3,
    first: 10,
    last: 40,
    damage: [{ timestamp: 10, problem: "wrong checksum" }],
  });
});

function isDamaged(error: unknown): boolean {
  return error instanceof LogError && error.code === "damaged";
}

test("ignores a snapshot of commits that were cut, even after the log has grown past it", async () => {
  const log = await logOf([10], [20]);
  await log.saveSnapshot({ timestamp: 20, format: "f", rows: [] });
  log.damage(frameBytes + inPayload);
  const opened = log.clone();
  assert.equal(opened.recovered?.timestamp, 10);
  assert.equal(opened.loadSnapshot("f"), undefined);
  await opened.append(commit(50));
  assert.equal(opened.clone().loadSnapshot("f"), undefined);
});

/** Compacts up to a timestamp and keeps every other commit. */
async function compact(log: MemoryLog, horizon: number): Promise<void> {
  const keep = (timestamp: number): boolean => timestamp % 20 === 0;
  await log.compact({
    horizon,
    keep,
    base: { timestamp: horizon, format: "x", rows: [] },
    pause: setImmediate,
  });
}

test("ends at the horizon when everything after it is unreadable, and goes on from there", async () => {
  for (const at of [0, inPayload]) {
    const log = await logOf([10], [20], [30], [40]);
    await compact(log, 30);
    log.damage(frameBytes + at);
    const opened = log.clone();
    assert.deepEqual([opened.recovered?.timestamp, opened.last, opened.horizon], [30, 30, 30]);
    assert.deepEqual([timestamps(opened), opened.verify().damage], [[20], []]);
    await opened.append(commit(50));
    const again = opened.clone();
    assert.deepEqual([again.last, timestamps(again), again.verify().damage], [50, [20, 50], []]);
  }
});

test("never cuts compacted blocks, and reports their damage on reading", async () => {
  const log = await logOf([10], [20], [30], [40]);
  await compact(log, 30);
  log.tear(frameBytes - 1);
  const opened = log.clone();
  assert.deepEqual([opened.last, opened.recovered], [30, undefined]);
  assert.throws(() => timestamps(opened), { code: "damaged" });
  assert.equal(opened.verify().damage.length, 1);
  log.tear(0);
  assert.throws(() => timestamps(log.clone()), { code: "damaged" });
  assert.equal(log.clone().verify().damage.length, 1);
});
