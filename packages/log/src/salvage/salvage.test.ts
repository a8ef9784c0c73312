import assert from "node:assert/strict";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { Commit } from "@ledge/model";
import { openLmdbLog } from "../lmdb-log.ts";
import { type Salvage, salvage } from "./salvage.ts";

const commit = (timestamp: number, chars = 100): Commit => ({
  timestamp,
  events: [
    {
      type: "LampSwitched",
      id: `lamp ${timestamp} ${"x".repeat(chars)}`,
      version: 1,
      origin: "device",
      depth: 0,
    },
  ],
});

/** Creates a folder for one test. */
function folderOf(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "ledge-log-"));
  context.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Creates a closed log with commits at 10, 20 and so on, `perBlock` to a block. */
async function makeLog(folder: string, count: number, chars?: number, perBlock = 1): Promise<Commit[]> {
  const log = await openLmdbLog({ folder, journal: false });
  const commits = Array.from({ length: count }, (_, index) => commit((index + 1) * 10, chars));
  for (let at = 0; at < count; at += perBlock) {
    await Promise.all(commits.slice(at, at + perBlock).map((one) => log.append(one)));
  }
  await log.close();
  return commits;
}

/** Overwrites bytes of the log's file. */
function damage(folder: string, position: number, bytes: Uint8Array): void {
  const file = openSync(join(folder, "data.mdb"), "r+");
  writeSync(file, bytes, 0, bytes.length, position);
  closeSync(file);
}

const placesOf = (folder: string, text: string): number[] => {
  const bytes = readFileSync(join(folder, "data.mdb"));
  const places: number[] = [];
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) places.push(at);
  return places;
};

/** Checks that a search in many passes finds the same as a search in one. */
function assertSame(found: Salvage, other: Salvage): void {
  assert.deepEqual([...found.read()], [...other.read()]);
  assert.deepEqual(found.missing, other.missing);
}

/** Makes a commit unreadable everywhere, including copies from earlier states of the file. */
function lose(folder: string, timestamp: number): void {
  const places = placesOf(folder, `lamp ${timestamp} `);
  assert.ok(places.length > 0);
  for (const place of places) damage(folder, place, Buffer.from("LAMP"));
}

test("reads a whole log through its tree, with large and small blocks", async (context) => {
  for (const [count, chars, perBlock] of [
    [1, 10, 1],
    [400, 100, 1],
    [300, 2000, 40],
    [30, 100_000, 1],
  ] as const) {
    const folder = join(folderOf(context), "log");
    const commits = await makeLog(folder, count, chars, perBlock);
    const found = salvage(folder);
    assert.deepEqual([...found.read()], commits);
    assert.deepEqual([found.missing, found.first, found.last], [[], 10, count * 10]);
    assert.deepEqual([found.commits, found.events], [count, count]);
  }
});

test("reads commits that are only in the journal, and an empty log as whole", async (context) => {
  const folder = folderOf(context);
  const log = await openLmdbLog({ folder });
  assert.deepEqual([salvage(folder).commits, salvage(folder).missing], [0, []]);
  for (const timestamp of [10, 20, 30]) await log.append(commit(timestamp));
  const found = salvage(folder);
  assert.deepEqual([[...found.read()], found.missing], [[commit(10), commit(20), commit(30)], []]);
  await log.close();
});

test("reads the commits before and after a damaged one", async (context) => {
  const folder = folderOf(context);
  const commits = await makeLog(folder, 100, 100, 10);
  lose(folder, 450);
  const found = salvage(folder);
  assert.deepEqual(
    [...found.read()],
    commits.filter(({ timestamp }) => timestamp !== 450),
  );
  const problem = "a damaged frame";
  assert.deepEqual(found.missing, [{ from: 440, to: 460, commits: 1, events: 1, problem }]);
});

test("names the spans when the first, the last and middle commits are damaged", async (context) => {
  const folder = folderOf(context);
  await makeLog(folder, 100);
  for (const timestamp of [10, 500, 510, 520, 1000]) lose(folder, timestamp);
  const { missing, commits } = salvage(folder);
  assert.equal(commits, 95);
  assert.deepEqual(
    missing.map(({ from, to, commits: lost }) => [from, to, lost]),
    [
      [0, 20, 1],
      [490, 530, 3],
      [990, null, null],
    ],
  );
});

test("tells how many events were lost only while every missing commit has a readable header", async (context) => {
  const folder = folderOf(context);
  await makeLog(folder, 100, 100, 10);
  lose(folder, 450);
  lose(folder, 460);
  assert.deepEqual([salvage(folder).missing[0]?.commits, salvage(folder).missing[0]?.events], [2, 2]);
  for (const place of placesOf(folder, "LAMP 460 ")) {
    const bytes = readFileSync(join(folder, "data.mdb"));
    damage(folder, bytes.lastIndexOf("LDG1", place), Buffer.from("XXXX"));
  }
  assert.deepEqual([salvage(folder).missing[0]?.commits, salvage(folder).missing[0]?.events], [2, null]);
});

test("names a folder in place of a file", async (context) => {
  for (const name of ["data.mdb", "journal", "lock.mdb"]) {
    const folder = folderOf(context);
    const log = await openLmdbLog({ folder });
    await log.close();
    rmSync(join(folder, name));
    mkdirSync(join(folder, name));
    const problem = {
      name: "LogError",
      code: "damaged",
      message: `${join(folder, name)} is a folder, and must be a file`,
    };
    await assert.rejects(openLmdbLog({ folder }), problem);
    await assert.rejects(openLmdbLog({ folder, readOnly: true }), problem);
    if (name === "lock.mdb") assert.match(salvage(folder).beside.join(), /must be a file/);
    else assert.throws(() => salvage(folder), problem);
  }
});

test("finds the commits below zeroed tree pages by their hashes", async (context) => {
  const folder = folderOf(context);
  // Values of this size have pages of their own, so a damaged leaf loses only their places.
  const commits = await makeLog(folder, 600, 4000);
  const { size } = statSync(join(folder, "data.mdb"));
  const whole = readFileSync(join(folder, "data.mdb"));
  let leaves = 0;
  for (let page = 2; page * 4096 < size; page++) {
    const flags = whole.readUInt16LE(page * 4096 + 18);
    if (flags !== 2 && flags !== 1) continue;
    leaves += 1;
    damage(folder, page * 4096, Buffer.alloc(4096));
    const found = salvage(folder);
    assert.deepEqual([...found.read()], commits, `page ${page}`);
    if (leaves % 3 === 1) assertSame(salvage(folder, {}, { window: 7 }), found);
    assert.ok(
      found.missing.every(({ to }) => to === null),
      `page ${page}`,
    );
    damage(folder, page * 4096, whole.subarray(page * 4096, (page + 1) * 4096));
  }
  assert.ok(leaves > 4);
});

test("searches the whole file when a meta page is damaged and the other may not be the newest", async (context) => {
  for (const page of [0, 1]) {
    const folder = folderOf(context);
    const commits = await makeLog(folder, 50);
    damage(folder, page * 4096, Buffer.alloc(4096));
    const found = salvage(folder);
    assert.deepEqual([...found.read()], commits);
    assert.deepEqual(
      found.missing.map(({ from, to }) => [from, to]),
      [[500, null]],
    );
    assert.match(found.beside.join(), /not an LMDB file/);
  }
});

test("reads without any meta page, and reports an open span without the file", async (context) => {
  const folder = folderOf(context);
  const commits = await makeLog(folder, 50);
  damage(folder, 0, Buffer.alloc(8192));
  assert.deepEqual([...salvage(folder).read()], commits);
  assert.deepEqual(
    salvage(folder).missing.map(({ from, to }) => [from, to]),
    [[500, null]],
  );
  for (const window of [1, 7, 50]) assertSame(salvage(folder, {}, { window }), salvage(folder));
  unlinkSync(join(folder, "data.mdb"));
  const { missing, commits: none } = salvage(folder);
  assert.deepEqual([none, missing.length], [0, 1]);
});

test("recovers damaged commits from the journal that they were moved from", async (context) => {
  const folder = folderOf(context);
  const log = await openLmdbLog({ folder });
  const commits = Array.from({ length: 50 }, (_, index) => commit((index + 1) * 10));
  for (const one of commits) await log.append(one);
  await log.close();
  for (const timestamp of [10, 250, 500]) lose(folder, timestamp);
  const found = salvage(folder);
  assert.deepEqual([[...found.read()], found.missing], [commits, []]);
});

test("does not take a log for empty when its name in the file is damaged", async (context) => {
  const folder = folderOf(context);
  const commits = await makeLog(folder, 50);
  for (const place of placesOf(folder, "log\0")) damage(folder, place, Buffer.from("mog"));
  const found = salvage(folder);
  assert.deepEqual([...found.read()], commits);
  assert.deepEqual(
    found.missing.map(({ from, to, problem }) => [from, to, problem]),
    [[500, null, 'the database "log" is missing']],
  );
});

test("notices a page header that leaves out its last entry", async (context) => {
  const folder = folderOf(context);
  const commits = await makeLog(folder, 3);
  const [page] = placesOf(folder, "lamp 30 ").map((place) => place - (place % 4096));
  assert.ok(page !== undefined);
  const lowerAt = page + 20;
  const lower = readFileSync(join(folder, "data.mdb")).readUInt16LE(lowerAt);
  damage(folder, lowerAt, Buffer.from([lower - 2, 0]));
  const found = salvage(folder);
  assert.deepEqual([...found.read()], commits);
  assert.deepEqual(
    found.missing.map(({ from, to }) => [from, to]),
    [[30, null]],
  );
});

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);

test(`returns no altered or misordered commit after random bit flips (SEED=${seed})`, async (context) => {
  const folder = folderOf(context);
  const commits = await makeLog(folder, 300, 300, 7);
  const whole = readFileSync(join(folder, "data.mdb"));
  const byTimestamp = new Map(commits.map((one) => [one.timestamp, one]));
  let state = seed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let round = 0; round < 60; round++) {
    const bytes = Buffer.from(whole);
    for (let flips = 1 + random(40); flips > 0; flips--) {
      const at = random(bytes.length);
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << random(8)), at);
    }
    const cut = random(3) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes;
    writeFileSync(join(folder, "data.mdb"), cut);
    const found = salvage(folder);
    let last = 0;
    let count = 0;
    for (const one of found.read()) {
      assert.ok(one.timestamp > last);
      assert.deepEqual(one, byTimestamp.get(one.timestamp));
      last = one.timestamp;
      count += 1;
    }
    assert.equal(found.commits, count);
    if (round % 10 === 0) assertSame(salvage(folder, {}, { window: 1 + random(100) }), found);
    const lost = found.missing.reduce((sum, span) => sum + (span.commits ?? 0), 0);
    const isOpen = found.missing.some(({ to }) => to === null);
    assert.ok(isOpen || count + lost === commits.length, `${count} and ${lost} in round ${round}`);
  }
});

/**
 * Creates a closed log of 100 commits in blocks of ten, compacted up to 300 and then up to 700. Compaction keeps
 * every other commit.
 */
async function makeCompacted(folder: string): Promise<Commit[]> {
  await makeLog(folder, 100, 100, 10);
  const log = await openLmdbLog({ folder, journal: false });
  const keep = (timestamp: number): boolean => timestamp % 20 === 0;
  for (const horizon of [300, 700]) {
    const base = { timestamp: horizon, format: "x", rows: [] };
    await log.compact({ horizon, keep, base, pause: async () => {} });
  }
  const commits = [...log.read()];
  await log.close();
  return commits;
}

test("reads a compacted log as whole, and rebuilds a copy with the same horizon", async (context) => {
  const folder = join(folderOf(context), "log");
  const commits = await makeCompacted(folder);
  const found = salvage(folder);
  assert.deepEqual([[...found.read()], found.missing, found.horizon], [commits, [], 700]);
  assert.equal(commits.length, 35 + 30);

  const copied = await openLmdbLog({ folder: join(folderOf(context), "log"), journal: false });
  for (const one of commits.slice(0, 35)) await copied.append(one);
  await copied.markHorizon(705);
  await assert.rejects(copied.markHorizon(705), { code: "order" });
  for (const one of commits.slice(35)) await copied.append(one);
  assert.deepEqual([[...copied.read()], copied.horizon, copied.verify().damage], [commits, 705, []]);
  await copied.close();
});

test("names what a compacted log lost on each side of the horizon, and restores nothing pruned", async (context) => {
  for (const [lost, missing] of [
    [[400], [[380, 420, 1]]],
    [[20], [[0, 40, 1]]],
    [[700], [[680, 710, 1]]],
    [[680, 700, 710, 720], [[660, 730, 4]]],
    [[710], [[700, 720, 1]]],
    [[850], [[840, 860, 1]]],
  ] as const) {
    const folder = join(folderOf(context), "log");
    const commits = await makeCompacted(folder);
    for (const timestamp of lost) lose(folder, timestamp);
    const found = salvage(folder);
    const wanted = commits.filter(({ timestamp }) => !lost.some((one) => one === timestamp));
    assert.deepEqual([...found.read()], wanted, `without ${lost.join()}`);
    const spans = found.missing.map(({ from, to, commits: count }) => [from, to, count]);
    assert.deepEqual([spans, found.horizon], [missing, 700], `without ${lost.join()}`);
  }
});
