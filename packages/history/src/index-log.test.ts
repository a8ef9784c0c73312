import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Commit } from "@ledge/model";
import { aggregates, limits } from "@ledge/model";
import { temporaryFolder } from "@ledge/testkit";
import { HistoryError } from "./error.ts";
import { openHistoryIndex } from "./history-index.ts";
import { IndexWriter } from "./index-writer.ts";
import { added, compactedTo, event, indexed, logOf, reported } from "./test-log.ts";

function folderOf(context: TestContext): string {
  const folder = temporaryFolder();
  context.after(() => folder.remove());
  return join(folder.path, "history");
}

/** Returns commits from timestamp 1 on, each of which reports one number of one device. */
function numbers(count: number, device = "a"): Commit[] {
  return Array.from({ length: count }, (_, i) => ({
    timestamp: i + 1,
    events: [reported(device, { t: i })],
  }));
}

function read<T>(folder: string, what: (index: ReturnType<typeof openHistoryIndex>) => T): T {
  const index = openHistoryIndex(folder);
  try {
    return what(index);
  } finally {
    void index.close();
  }
}

/** Returns how many samples each chunk of a series holds. */
function chunksOf(folder: string, device = "a", attribute = "t"): number[] {
  return read(folder, (index) => [...index.chunks(device, attribute, 0, 1e9)].map(({ head }) => head.count));
}

test("fills a chunk to its limit over several runs", async (context) => {
  const folder = folderOf(context);
  const all = numbers(limits.historyChunkSamples + 1);
  const log = await logOf(all.slice(0, limits.historyChunkSamples - 1));
  await indexed(log, folder);
  for (const commit of all.slice(limits.historyChunkSamples - 1)) {
    await log.append(commit);
    await indexed(log, folder);
  }
  assert.deepEqual(chunksOf(folder), [limits.historyChunkSamples, 1]);
  read(folder, (index) => {
    const [{ head } = assert.fail()] = index.chunks("a", "t", 0, 1e9);
    const n = limits.historyChunkSamples;
    const area = ((n - 2) * (n - 1)) / 2;
    const expected = {
      count: n,
      first: 1,
      last: n,
      min: 0,
      max: n - 1,
      firstValue: 0,
      lastValue: n - 1,
      area,
    };
    assert.deepEqual(head, { kind: "numbers", ...expected, knownMs: n - 1 });
  });
});

test("fits a full chunk of numbers into a page", async (context) => {
  const folder = folderOf(context);
  const chunks = 100;
  await indexed(await logOf(numbers(limits.historyChunkSamples * chunks)), folder);
  const perChunk = read(folder, ({ usedBytes }) => usedBytes / chunks);
  assert.ok(perChunk < 4096 + 512, `${perChunk} bytes`);
});

test("starts a new chunk for values of another kind, and at the limit of distinct values", async (context) => {
  const folder = folderOf(context);
  const long = "x".repeat(limits.historyValueChars - 2);
  const values = [1, null, 2, "on", 3, true, ...Array.from({ length: 9 }, (_, i) => `${i}${long.slice(1)}`)];
  const all = values.map((t, i) => ({ timestamp: i + 1, events: [reported("a", { t })] }));
  const log = await logOf([...all, { timestamp: 100, events: [reported("a", { t: `${long}y` })] }]);
  await indexed(log, folder);
  const kept = read(folder, (index) => [...index.samples("a", "t", 0, 1000)].map(({ value }) => value));
  assert.deepEqual(kept, values, "all but the one that is one character too long");
  assert.deepEqual(chunksOf(folder), [3, 10, 2]);
});

test("keeps the index and the origin of a sample", async (context) => {
  const folder = folderOf(context);
  const events = [event("RoomAdded", "r"), { ...reported("a", { t: 1 }), origin: "resync" as const }];
  await indexed(await logOf([{ timestamp: 5, events }]), folder);
  read(folder, (index) => {
    assert.deepEqual(
      [...index.samples("a", "t", 0, 9)],
      [{ timestamp: 5, index: 1, value: 1, origin: "resync" }],
    );
  });
});

test("keeps nothing that a person's device reports", async (context) => {
  const folder = folderOf(context);
  const log = await logOf([{ timestamp: 1, events: [added("phone", "UI_DEVICE"), added("a")] }]);
  await indexed(log, folder);
  await log.append({
    timestamp: 2,
    events: [reported("phone", { session: true, user: "anna" }), reported("a", { t: 1 })],
  });
  await indexed(log, folder);
  read(folder, (index) => {
    assert.deepEqual([index.attributes("phone"), index.attributes("a")], [[], ["t"]]);
    assert.deepEqual([index.isPersonal("phone"), index.isPersonal("a")], [true, false]);
  });
  assert.ok(!readFileSync(join(folder, "data.mdb")).includes("anna"));
});

test("prunes the samples of a removed device when the horizon passes the removal, and keeps its events", async (context) => {
  const folder = folderOf(context);
  const log = await logOf([
    { timestamp: 1, events: [added("a"), reported("a", { t: 1 })] },
    { timestamp: 2, events: [event("DeviceRemoved", "a")] },
    ...numbers(9, "b").map((commit) => ({ ...commit, timestamp: commit.timestamp + 10 })),
  ]);
  await indexed(log, folder);
  read(folder, (index) => assert.equal(index.removedAt("a", "t"), 2));
  await compactedTo(log, 12);
  await indexed(log, folder);
  read(folder, (index) => {
    assert.deepEqual(index.attributes("a"), []);
    assert.deepEqual([...index.objectEvents("device", "a")], ["2-0", "1-0"]);
    assert.equal(index.verify(), undefined);
  });
});

test("prunes the oldest samples to fit its share, and keeps the values that held then", async (context) => {
  const folder = folderOf(context);
  const log = await logOf([
    { timestamp: 1, events: [reported("b", { u: "open" })] },
    ...numbers(50_000).map((commit) => ({ ...commit, timestamp: commit.timestamp + 1 })),
  ]);
  const quotaBytes = 500_000;
  const { usedBytes, prunedTo } = await indexed(log, folder, { quotaBytes });
  assert.ok(usedBytes <= quotaBytes && usedBytes > quotaBytes / 2, `${usedBytes} bytes`);
  assert.ok(prunedTo > 20_000 && prunedTo < 50_000, `pruned to ${prunedTo}`);
  read(folder, (index) => {
    assert.equal(index.verify(), undefined);
    assert.equal(index.before("b", "u", prunedTo + 1)?.value, "open");
    assert.equal(index.before("a", "t", prunedTo + 1)?.value, prunedTo - 2);
    assert.equal([...index.samples("a", "t", prunedTo + 1, 1e9)].length, 50_001 - prunedTo);
  });
  // The index may use all of its quota, but not a byte more.
  assert.equal((await indexed(log, folder, { quotaBytes: usedBytes })).prunedTo, prunedTo);
  assert.ok((await indexed(log, folder, { quotaBytes: usedBytes - 1 })).prunedTo > prunedTo);
});

test("reports that it cannot fit its share, and keeps its content", async (context) => {
  const folder = folderOf(context);
  const many = Array.from({ length: 300 }, (_, i) => reported(`d${i}`, { t: i }));
  const log = await logOf([{ timestamp: 1, events: many }]);
  await assert.rejects(indexed(log, folder, { quotaBytes: 20_000 }), { name: "HistoryError", code: "full" });
  read(folder, (index) => assert.equal(index.before("d299", "t", 9)?.value, 299));
});

test("writes nothing without room on the disk, and stays readable", async (context) => {
  const folder = folderOf(context);
  const log = await logOf(numbers(1000));
  const reserve = limits.reserveAgainBytes;
  await assert.rejects(indexed(log, folder, { free: () => reserve - 1 }), { code: "full" });
  assert.throws(() => openHistoryIndex(folder), { code: "damaged" }, "there is no index yet");
  await indexed(log, folder);
  await log.append({ timestamp: 2000, events: [reported("a", { t: 1 })] });
  await assert.rejects(indexed(log, folder, { free: () => reserve - 1 }), { code: "full" });
  read(folder, (index) => assert.equal(index.mark.timestamp, 1000));
  await indexed(log, folder);
  read(folder, (index) => assert.equal(index.mark.timestamp, 2000));
});

test("lets only one of two processes write an index", async (context) => {
  const folder = folderOf(context);
  const log = await logOf(numbers(10));
  const [one, other] = [new IndexWriter(folder, aggregates), new IndexWriter(folder, aggregates)];
  for (const commit of log.read()) for (const writer of [one, other]) writer.add(commit);
  one.flush();
  assert.throws(() => other.flush(), { name: "HistoryError", code: "busy" });
  await Promise.all([one.close(), other.close()]);
  await indexed(log, folder);
  assert.deepEqual(chunksOf(folder), [10]);
});

/** Indexes again and returns why the index was rebuilt. */
async function rebuilt(log: Awaited<ReturnType<typeof logOf>>, folder: string): Promise<string | undefined> {
  let why: string | undefined;
  await indexed(log, folder, { onRebuild: (problem) => (why = problem) });
  read(folder, (index) => {
    assert.equal(index.verify(), undefined);
    const expected = [...log.read()].length;
    assert.equal([...index.samples("a", "t", 0, 1e9)].length, expected);
  });
  return why;
}

test("deletes and rebuilds an index that is damaged or of another log", async (context) => {
  const folder = folderOf(context);
  const data = join(folder, "data.mdb");
  const log = await logOf(numbers(1000));
  assert.equal(await rebuilt(log, folder), undefined);
  assert.equal(await rebuilt(log, folder), undefined);
  for (const content of ["", "no LMDB", Buffer.alloc(100_000)]) {
    writeFileSync(data, content);
    assert.match(
      (await rebuilt(log, folder)) ?? "",
      /cannot be opened|never written/,
      String(content.length),
    );
  }
  // Flips a bit of a chunk, which LMDB does not notice.
  const bytes = readFileSync(data);
  const place = bytes.lastIndexOf('{"origins":["device"]');
  bytes.writeUInt8(bytes.readUInt8(place - 100) ^ 1, place - 100);
  writeFileSync(data, bytes);
  assert.match((await rebuilt(log, folder)) ?? "", /damaged/);
  const other = await logOf(
    numbers(1000).map((commit) => ({ ...commit, events: [reported("a", { t: -1 })] })),
  );
  assert.match((await rebuilt(other, folder)) ?? "", /another log/);
  const shorter = await logOf(numbers(999));
  assert.match((await rebuilt(shorter, folder)) ?? "", /another log/);
});

test("rebuilds an index whose mark the log has pruned meanwhile", async (context) => {
  const folder = folderOf(context);
  const log = await logOf(numbers(10));
  await indexed(log, folder);
  for (const commit of numbers(100).slice(10)) await log.append(commit);
  await compactedTo(log, 50);
  assert.match((await rebuilt(log, folder)) ?? "", /another log/);
});

test("rebuilds an index of another release", async (context) => {
  const folder = folderOf(context);
  const log = await logOf(numbers(10));
  await indexed(log, folder, { aggregates: [] });
  let why = "";
  await indexed(log, folder, { onRebuild: (problem) => (why = problem) });
  assert.match(why, /another release/);
});

test("passes on errors of the log and leaves the index unchanged", async (context) => {
  const folder = folderOf(context);
  const log = await logOf(numbers(100));
  await indexed(log, folder);
  for (const commit of numbers(200).slice(100)) await log.append(commit);
  log.damage(log.stats().frameBytes - 10);
  await assert.rejects(indexed(log, folder), (error: Error) => !(error instanceof HistoryError));
  read(folder, (index) => assert.equal(index.mark.timestamp, 100));
});

test("opens beside other files in the folder, and replaces a folder in place of the file", async (context) => {
  const folder = folderOf(context);
  const log = await logOf(numbers(10));
  mkdirSync(join(folder, "data.mdb"), { recursive: true });
  assert.match((await rebuilt(log, folder)) ?? "", /cannot be opened/);
  appendFileSync(join(folder, "other"), "x");
  assert.equal(await rebuilt(log, folder), undefined);
});
