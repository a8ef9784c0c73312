import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import fc from "fast-check";
import { crc32c } from "../crc32c.ts";
import { BlockLog } from "../block-log.ts";
import type { LogError } from "../event-log.ts";
import { openLmdbLog } from "../lmdb-log.ts";
import { openLmdbStore } from "../lmdb-store.ts";
import { salvage } from "../salvage/salvage.ts";
import { journalBytes, pageBytes, regionBytes } from "./layout.ts";
import { commitOf, crashed, folderOf, journalIn, span } from "./testdata.ts";
import { timestampsOf as timestamps } from "./testdata.ts";

/**
 * Returns files of a log whose commits 1 to `count`, each in a frame of at least one page, are only in the
 * journal.
 */
async function unmoved(context: TestContext, count: number, text = ""): Promise<string> {
  const folder = folderOf(context);
  const log = await openLmdbLog({ folder });
  for (const timestamp of span(1, count)) await log.append(commitOf(timestamp, text));
  const copy = crashed(folder);
  await log.close();
  return copy;
}

/** Opens a log for reading and then for writing, checks that both see the same, and returns it. */
async function opened(folder: string): Promise<{ seen: number[]; problem: string | undefined }> {
  const seen: unknown[] = [];
  for (const readOnly of [true, false]) {
    const log = await openLmdbLog({ folder, readOnly });
    assert.deepEqual(log.verify().damage, []);
    seen.push({ seen: timestamps(log), problem: log.recovered?.problem });
    await log.close();
  }
  assert.deepEqual(seen[0], seen[1]);
  return seen[0] as { seen: number[]; problem: string | undefined };
}

/** Gives every frame of the journal another epoch. */
function forge(folder: string, epoch: bigint): void {
  const bytes = readFileSync(journalIn(folder));
  for (let at = 0; at < bytes.length; at += pageBytes) {
    if (bytes.readUInt32LE(at) === 0) continue;
    bytes.writeBigUInt64LE(epoch, at + 8);
    bytes.writeUInt32LE(crc32c(bytes.subarray(at + 8, at + 32)), at + 4);
  }
  writeFileSync(journalIn(folder), bytes);
}

test("refuses a restored older data.mdb beside a journal that has newer commits", async (context) => {
  const folder = folderOf(context);
  const log = await openLmdbLog({ folder });
  for (const timestamp of span(1, 3)) await log.append(commitOf(timestamp));
  await log.close();
  const older = crashed(folder);
  const epoch = readFileSync(journalIn(older)).readBigUInt64LE(8);
  const again = await openLmdbLog({ folder });
  for (const timestamp of span(4, 6)) await again.append(commitOf(timestamp));
  const newer = crashed(folder);
  await again.close();

  copyFileSync(join(older, "data.mdb"), join(newer, "data.mdb"));
  const forged = crashed(newer);
  forge(forged, epoch);
  for (const readOnly of [true, false])
    await assert.rejects(openLmdbLog({ folder: newer, readOnly }), {
      code: "damaged",
      message: /data\.mdb is older than its journal: what was acknowledged after 1970-01-01T00:00:00\.003Z/,
    });
  assert.deepEqual(
    salvage(newer).missing.map(({ from, to }) => [from, to]),
    [[3, null]],
  );
  assert.deepEqual(await opened(forged), { seen: span(1, 6), problem: undefined });
  rmSync(journalIn(newer));
  assert.deepEqual(await opened(newer), { seen: [1, 2, 3], problem: undefined });
});

test("takes nothing from an older journal", async (context) => {
  const folder = await unmoved(context, 5);
  const older = crashed(folder);
  const log = await openLmdbLog({ folder });
  for (const timestamp of [6, 7]) await log.append(commitOf(timestamp));
  await log.close();
  copyFileSync(journalIn(older), journalIn(folder));
  assert.deepEqual(await opened(folder), { seen: span(1, 7), problem: undefined });
});

test("refuses a journal whose log is gone, and leaves it unchanged", async (context) => {
  const folder = await unmoved(context, 5);
  const journal = readFileSync(journalIn(folder));
  rmSync(join(folder, "data.mdb"));
  await assert.rejects(openLmdbLog({ folder }), { code: "damaged", message: /is gone/ });
  assert.deepEqual([readFileSync(journalIn(folder)), existsSync(join(folder, "data.mdb"))], [journal, false]);
});

test("opens without the last frame when it is torn at any sector", async (context) => {
  const folder = await unmoved(context, 4, "x".repeat(6000));
  const whole = readFileSync(journalIn(folder));
  const start = 3 * 2 * pageBytes;
  assert.equal(whole.readUInt32LE(start), whole.readUInt32LE(0), "a frame begins there");
  const torn = crashed(folder);
  for (let cut = start; cut < start + 6000; cut += 512) {
    writeFileSync(journalIn(torn), Buffer.from(whole).fill(0, cut, start + 2 * pageBytes));
    const log = await openLmdbLog({ folder: torn, readOnly: true });
    assert.deepEqual([timestamps(log), log.recovered], [[1, 2, 3], undefined], `cut at ${cut - start}`);
    await log.close();
  }
  assert.deepEqual(await opened(torn), { seen: [1, 2, 3], problem: undefined });
});

/** Flips a bit in the journal's frame of a commit. Each frame takes a page. */
function damageFrame(folder: string, number: number): void {
  const bytes = readFileSync(journalIn(folder));
  const at = number * pageBytes + 60;
  bytes.writeUInt8(1 ^ bytes.readUInt8(at), at);
  writeFileSync(journalIn(folder), bytes);
}

test("refuses to write after a damaged frame that others follow, changes nothing, and salvages the rest", async (context) => {
  const folder = await unmoved(context, 6);
  damageFrame(folder, 3);
  const files = (): unknown => ["data.mdb", "journal"].map((name) => readFileSync(join(folder, name)));
  const before = files();
  for (const journal of [true, false]) {
    const message = /damaged behind 3: the journal goes on with sequence number 5 behind 3/;
    await assert.rejects(openLmdbLog({ folder, journal }), { code: "damaged", message });
  }
  const reader = await openLmdbLog({ folder, readOnly: true });
  assert.deepEqual([timestamps(reader), reader.recovered?.timestamp], [[1, 2, 3], 3]);
  await reader.close();
  assert.deepEqual(files(), before);
  assert.ok(!readdirSync(folder).some((name) => name.includes(".cut-")));
  const found = salvage(folder);
  assert.deepEqual(
    [...found.read()].map(({ timestamp }) => timestamp),
    [1, 2, 3, 5, 6],
  );
  assert.deepEqual(
    found.missing.map(({ from, to, commits }) => [from, to, commits]),
    [[3, 5, 1]],
  );
});

test("does not cut a damaged end while the journal has commits beyond a gap", async (context) => {
  const folder = folderOf(context);
  const log = await openLmdbLog({ folder });
  for (const timestamp of span(1, 6)) await log.append(commitOf(timestamp, `number ${timestamp}`));
  await log.close();
  // The journal still holds the blocks that were moved.
  const file = join(folder, "data.mdb");
  const bytes = readFileSync(file);
  for (const text of ["number 5", "number 6"]) {
    for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) bytes.writeUInt8(1, at);
  }
  writeFileSync(file, bytes);
  const continued = crashed(folder);
  damageFrame(folder, 4);
  await assert.rejects(openLmdbLog({ folder }), { code: "damaged", message: /number 6 behind 4/ });
  assert.deepEqual(readFileSync(file), bytes);
  const whole = await openLmdbLog({ folder: continued });
  assert.deepEqual([timestamps(whole), whole.verify().damage], [span(1, 6), []]);
  await whole.close();
});

test("sets another log's journal aside without overwriting an earlier one", async (context) => {
  const folder = await unmoved(context, 3);
  const foreign = readFileSync(journalIn(folder));
  const bare = folderOf(context);
  const log = await openLmdbLog({ folder: bare, journal: false });
  await log.append(commitOf(7));
  await log.close();
  for (const kept of ["journal.cut-7", "journal.cut-7-1", "journal.cut-7-2"]) {
    rmSync(join(bare, "data.mdb"));
    const again = await openLmdbLog({ folder: bare, journal: false });
    await again.append(commitOf(7));
    await again.close();
    const mark = Buffer.from(foreign);
    mark.write(kept, mark.length - 100);
    writeFileSync(journalIn(bare), mark);
    assert.deepEqual(await opened(bare), { seen: [7], problem: undefined });
    assert.deepEqual(readFileSync(join(bare, kept)), mark);
    rmSync(journalIn(bare));
  }
});

for (const [what, change, problem, left] of [
  ["gone", (path) => rmSync(path), /the journal is gone/, 0],
  ["empty", (path) => truncateSync(path, 0), /cut to 0 bytes/, 0],
  ["cut", (path) => truncateSync(path, 10 * pageBytes + 100), /cut to 41060 bytes/, 10],
  ["zeros", (path) => writeFileSync(path, Buffer.alloc(journalBytes)), /another log's, or an older one/, 0],
  ["another log's", (path) => forge(dirname(path), 7n), /another log's, or an older one/, 0],
] as const satisfies readonly (readonly [string, (path: string) => void, RegExp, number])[])
  test(`refuses to open a log whose journal is ${what}, and salvages what it can`, async (context) => {
    const folder = await unmoved(context, 30);
    change(journalIn(folder));
    for (const readOnly of [true, false])
      await assert.rejects(openLmdbLog({ folder, readOnly }), (error: LogError) => {
        assert.equal(error.code, "damaged");
        assert.match(error.message, problem);
        assert.match(error.message, /acknowledged after 1970-01-01T00:00:00.000Z may be missing/);
        return true;
      });
    const found = salvage(folder);
    assert.deepEqual(
      [...found.read()].map(({ timestamp }) => timestamp),
      span(1, left),
    );
    const [lost, ...more] = found.missing;
    assert.deepEqual([lost?.from, lost?.to, more], [left, null, []]);
    assert.match(lost?.problem ?? "", problem);
  });

test("needs no journal after a clean close", async (context) => {
  const folder = folderOf(context);
  const log = await openLmdbLog({ folder });
  for (const timestamp of span(1, 3)) await log.append(commitOf(timestamp));
  await log.close();
  truncateSync(journalIn(folder), 0);
  assert.deepEqual(await opened(folder), { seen: span(1, 3), problem: undefined });
  rmSync(journalIn(folder));
  assert.deepEqual(salvage(folder).missing, []);
  assert.deepEqual(await opened(folder), { seen: span(1, 3), problem: undefined });
});

test("reads a prefix of what was written after any damage to the journal", async (context) => {
  const count = 12;
  const folder = await unmoved(context, count, "x".repeat(2000));
  const whole = readFileSync(journalIn(folder));
  const used = count * pageBytes;
  const mangled = crashed(folder);
  await fc.assert(
    fc.asyncProperty(
      fc.nat(used),
      fc.nat(used),
      fc.uint8Array(),
      fc.boolean(),
      async (from, to, bytes, isShort) => {
        copyFileSync(join(folder, "data.mdb"), join(mangled, "data.mdb"));
        const [start, end] = [Math.min(from, to), Math.max(from, to)];
        const filled = Buffer.from(whole).fill(Buffer.from([...bytes, 0]), start, end);
        writeFileSync(journalIn(mangled), isShort ? whole.subarray(0, start) : filled);
        if (isShort) return await assert.rejects(openLmdbLog({ folder: mangled }), { code: "damaged" });
        const reader = await openLmdbLog({ folder: mangled, readOnly: true });
        const seen = timestamps(reader);
        const hasGap = reader.recovered !== undefined;
        await reader.close();
        assert.deepEqual(seen, span(1, seen.length), "no event is invented or left out");
        assert.ok(seen.length >= Math.floor(start / pageBytes), "commits before the damage are not lost");
        if (hasGap) await assert.rejects(openLmdbLog({ folder: mangled }), { code: "damaged" });
        else assert.deepEqual(await opened(mangled), { seen, problem: undefined });
      },
    ),
    { numRuns: 15 },
  );
});

test("keeps commits larger than a region in order, also after a restart", async (context) => {
  const folder = folderOf(context);
  const log = await openLmdbLog({ folder });
  const huge = "x".repeat(regionBytes);
  for (const timestamp of span(1, 9)) {
    await log.append(commitOf(timestamp, timestamp % 3 === 0 ? huge : ""));
  }
  assert.deepEqual([log.stats().journalFrames, log.stats().flushes, timestamps(log)], [0, 6, span(1, 9)]);
  for (const timestamp of [10, 11]) await log.append(commitOf(timestamp));
  assert.deepEqual(await opened(crashed(folder)), { seen: span(1, 11), problem: undefined });
  await log.close();
});

test("moves everything older than a snapshot, or before a move, out of the journal", async (context) => {
  const folder = folderOf(context);
  const log = await openLmdbLog({ folder });
  for (const timestamp of [1, 2]) await log.append(commitOf(timestamp));
  const saved = log.saveSnapshot({ timestamp: 2, format: "x", rows: [1] });
  const appended = log.append(commitOf(3));
  await Promise.all([saved, appended]);
  const snapshotOnly = crashed(folder);
  writeFileSync(journalIn(snapshotOnly), "");
  const reader = new BlockLog(await openLmdbStore(snapshotOnly, true));
  assert.ok(reader.last >= 2);
  assert.equal(reader.loadSnapshot("x")?.timestamp, 2);
  await reader.close();

  await log.append(commitOf(4));
  await log.move();
  assert.equal(log.stats().journalFrames, 0);
  const copy = crashed(folder);
  const moved = new BlockLog(await openLmdbStore(copy, true));
  assert.deepEqual(timestamps(moved), [1, 2, 3, 4]);
  await moved.close();
  await log.close();
});

test("moves an earlier journal into the log when opened without a journal", async (context) => {
  const folder = await unmoved(context, 5);
  const log = await openLmdbLog({ folder, journal: false });
  assert.deepEqual([timestamps(log), existsSync(journalIn(folder))], [span(1, 5), false]);
  await log.append(commitOf(6));
  assert.equal(log.stats().journalMode, "none");
  await log.close();
  assert.deepEqual(await opened(folder), { seen: span(1, 6), problem: undefined });
});

test("ignores a half-written journal", async (context) => {
  const folder = await unmoved(context, 5);
  writeFileSync(`${journalIn(folder)}.new`, "half");
  assert.deepEqual(await opened(folder), { seen: span(1, 5), problem: undefined });
  rmSync(journalIn(folder));
  assert.deepEqual(await opened(folder), { seen: span(1, 5), problem: undefined });
  assert.ok(!existsSync(`${journalIn(folder)}.new`));
});

test("yields each commit once to a reader while frames are moved", async (context) => {
  const folder = folderOf(context);
  const log = await openLmdbLog({ folder });
  for (const timestamp of span(1, 40)) await log.append(commitOf(timestamp));
  const readers = [0, 20, 30].map((after) => ({ after, commits: log.read(after), seen: [] as number[] }));
  for (let i = 1; i <= 40; i++) {
    for (const { commits, seen } of readers) {
      const { value } = commits.next();
      if (value !== undefined) seen.push(value.timestamp);
    }
    if (i % 5 === 0) await log.move();
    await log.append(commitOf(40 + i));
  }
  for (const { after, seen } of readers) assert.deepEqual(seen, span(after + 1, 40));
  assert.deepEqual(timestamps(log), span(1, 80));
  await log.close();
});
