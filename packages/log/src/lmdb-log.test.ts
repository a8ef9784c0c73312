import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Commit } from "@ledge/model";
import { sourceFlags } from "@ledge/testkit/programs";
import { open } from "lmdb";
import { logContract } from "./contract.ts";
import type { EventLog } from "./event-log.ts";
import { blockOf } from "./block.ts";
import { openLmdbLog } from "./lmdb-log.ts";
import { openLmdbStore } from "./lmdb-store.ts";

const child = fileURLToPath(new URL("./lmdb-log.child.ts", import.meta.url));

const commit = (timestamp: number): Commit => ({
  timestamp,
  events: [{ type: "LampSwitched", id: "lamp", version: 1, origin: "device", depth: 0 }],
});
const timestamps = (log: EventLog): number[] => [...log.read()].map(({ timestamp }) => timestamp);

for (const journal of [true, false]) {
  logContract(`openLmdbLog ${journal ? "with" : "without"} a journal`, () => {
    const folder = mkdtempSync(join(tmpdir(), "ledge-log-"));
    let log: EventLog | undefined;
    return {
      open: async (options = {}) => (log = await openLmdbLog({ folder, journal, ...options })),
      damageSnapshot: (part) => damageStored(folder, "snapshot", part, 20),
      remove: async () => {
        await log?.close();
        rmSync(folder, { recursive: true });
      },
    };
  });
}

/** Flips a bit of a value in the closed file. Without a key, of the newest value. */
async function damageStored(
  folder: string,
  name: string,
  key: string | undefined,
  byte: number,
): Promise<void> {
  const root = open({ path: folder, noSubdir: false, overlappingSync: false });
  const keyEncoding = key === undefined ? "binary" : "ordered-binary";
  const database = root.openDB<Buffer, string | Uint8Array>({ name, encoding: "binary", keyEncoding });
  const found = key ?? database.getKeys({ reverse: true, limit: 1 }).asArray;
  const at = typeof found === "string" ? found : ((await found)[0] as Uint8Array);
  const value = Buffer.from(database.get(at) ?? assert.fail(`there is no ${key}`));
  value.writeUInt8(value.readUInt8(byte) ^ 1, byte);
  await database.put(at, value);
  await root.close();
}

/** Creates a folder for one test. */
function folderOf(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "ledge-log-"));
  context.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Runs a command to its end, with `input` on its standard input. */
async function run(
  command: readonly string[],
  input = "",
): Promise<{ code: number | null; signal: NodeJS.Signals | null; out: string; error: string }> {
  const [program = "", ...rest] = command;
  const process = spawn(program, rest, { stdio: ["pipe", "pipe", "pipe"] });
  let [out, error] = ["", ""];
  process.stdout.on("data", (data) => (out += String(data)));
  process.stderr.on("data", (data) => (error += String(data)));
  process.stdin.end(input);
  return new Promise((resolve) => {
    process.once("close", (code, signal) => resolve({ code, signal, out, error }));
  });
}

test("creates a missing folder for its owner only", async (context) => {
  const folder = join(folderOf(context), "a", "log");
  const log = await openLmdbLog({ folder });
  await log.append(commit(1));
  await log.close();
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.deepEqual(readdirSync(folder).toSorted(), ["data.mdb", "journal", "lock.mdb"]);
});

test("cuts the end of a damaged newest block and keeps a copy", async (context) => {
  const folder = folderOf(context);
  const log = await openLmdbLog({ folder, journal: false });
  await log.append(commit(10));
  await Promise.all([log.append(commit(20)), log.append(commit(30))]);
  await log.close();
  const block = await storedBlock(folder);
  await damageStored(folder, "log", undefined, block.length - 5);

  const reader = await openLmdbLog({ folder, readOnly: true });
  assert.deepEqual([reader.last, reader.recovered?.timestamp, timestamps(reader)], [20, 20, [10, 20]]);
  await reader.close();
  const opened = await openLmdbLog({ folder, journal: false });
  const lost = { timestamp: 20, lostUntil: 30, bytes: block.length / 2, problem: "wrong checksum" };
  assert.deepEqual(opened.recovered, lost);
  await opened.append(commit(40));
  await opened.close();
  // Every opening reports the recovery until it is settled, in whatever mode the log is opened.
  for (const options of [{ journal: false }, { readOnly: true }, {}]) {
    const again = await openLmdbLog({ folder, ...options });
    assert.deepEqual([again.recovered, timestamps(again)], [lost, [10, 20, 40]]);
    assert.deepEqual(again.verify().damage, []);
    if (options.readOnly) await assert.rejects(again.settleRecovery(), { code: "closed" });
    await again.close();
  }
  const settled = await openLmdbLog({ folder });
  await settled.settleRecovery();
  await settled.close();
  const last = await openLmdbLog({ folder });
  assert.equal(last.recovered, undefined);
  await last.close();
  assert.equal((await stored(folder, "meta", "cut-20"))?.length, block.length);
});

test("replaces a damaged end with what the journal still holds", async (context) => {
  const folder = folderOf(context);
  const log = await openLmdbLog({ folder });
  for (const timestamp of [10, 20, 30]) await log.append(commit(timestamp));
  await log.close();
  const block = await storedBlock(folder);
  await damageStored(folder, "log", undefined, block.length - 5);

  const reader = await openLmdbLog({ folder, readOnly: true });
  assert.deepEqual([reader.last, reader.recovered?.timestamp, timestamps(reader)], [20, 20, [10, 20]]);
  await reader.close();
  const opened = await openLmdbLog({ folder });
  const bytes = block.length / 3;
  assert.deepEqual(opened.recovered, { timestamp: 30, lostUntil: 30, bytes, problem: "wrong checksum" });
  assert.deepEqual([timestamps(opened), opened.verify().damage], [[10, 20, 30], []]);
  await opened.close();
});

function storedBlock(folder: string): Promise<Buffer> {
  return stored(folder, "log", undefined).then((block) => block ?? assert.fail("there is no block"));
}

/** Returns a value of the closed file. Without a key, the newest value. */
async function stored(folder: string, name: string, key: string | undefined): Promise<Buffer | undefined> {
  const root = open({ path: folder, noSubdir: false, readOnly: true });
  const keyEncoding = key === undefined ? "binary" : "ordered-binary";
  const database = root.openDB<Buffer, string | Uint8Array>({ name, encoding: "binary", keyEncoding });
  const values =
    key === undefined
      ? [...database.getRange({ reverse: true, limit: 1 })].map(({ value }) => value)
      : [database.get(key)];
  await root.close();
  return values[0];
}

test("refuses to open a log twice in a thread, under any path", async (context) => {
  const folder = folderOf(context);
  const log = await openLmdbLog({ folder });
  for (const readOnly of [false, true]) {
    await assert.rejects(openLmdbLog({ folder: `${folder}/../${folder.split("/").at(-1)}`, readOnly }), {
      code: "locked",
    });
  }
  await log.close();
  await (await openLmdbLog({ folder })).close();
});

test("does not overwrite a block that another writer appended", async (context) => {
  const folder = folderOf(context);
  const log = await openLmdbLog({ folder, journal: false });
  await log.append(commit(10));
  const other = open({ path: folder, noSubdir: false, overlappingSync: false });
  const blocks = other.openDB<Buffer, Uint8Array>({ name: "log", encoding: "binary", keyEncoding: "binary" });
  await blocks.put(Buffer.from([0, 0, 0, 0, 0, 0, 0, 30]), Buffer.from("another's"));
  await assert.rejects(log.append(commit(20)), { code: "failed", message: /another process/ });
  const keys = [...blocks.getKeys()].map((key) => Buffer.from(key).readBigUInt64BE());
  assert.deepEqual(keys, [10n, 30n]);
  assert.throws(() => timestamps(log), { code: "failed", message: /another process/ });
  await log.close();
  await other.close();
});

test("writes a commit of many blocks in one transaction", async (context) => {
  const folder = folderOf(context);
  const store = await openLmdbStore(folder, false);
  const before = transactionOf(folder);
  for (let round = 0; round < 20; round++) {
    const blocks = Array.from({ length: 300 }, (_, i) => blockOf(1 + round * 300 + i, Buffer.alloc(100)));
    await store.writeAll(blocks);
  }
  assert.equal(transactionOf(folder) - before, 20);
  await store.close();
});

/** Returns the number of the newest transaction, from the two meta pages. */
function transactionOf(folder: string): number {
  const file = readFileSync(join(folder, "data.mdb"));
  return Math.max(...[0, 4096].map((page) => Number(file.readBigUInt64LE(page + 152))));
}

test("refuses files that are not a log, and leaves them unchanged", async (context) => {
  const folder = folderOf(context);
  await assert.rejects(openLmdbLog({ folder: join(folder, "none"), readOnly: true }), { code: "failed" });
  await assert.rejects(openLmdbLog({ folder, readOnly: true }), { code: "failed" });
  assert.deepEqual(readdirSync(folder), []);

  const file = join(folder, "data.mdb");
  const log = await openLmdbLog({ folder });
  await log.close();
  const whole = readFileSync(file);
  const secondMeta = Buffer.from(whole).fill(0, 4096, 4160);
  const contents = ["no LMDB file ".repeat(2000), "short", "", whole.subarray(0, 4096), secondMeta];
  for (const content of contents) {
    writeFileSync(file, content);
    for (const readOnly of [false, true]) {
      await assert.rejects(openLmdbLog({ folder, readOnly }), { name: "LogError", code: "damaged" });
    }
  }
  await assert.rejects(openLmdbLog({ folder: join(file, "below") }), { name: "LogError", code: "failed" });
});

test("refuses writes in a log opened for reading only", async (context) => {
  const folder = folderOf(context);
  const log = await openLmdbLog({ folder });
  await log.append(commit(1));
  await log.close();
  const reader = await openLmdbLog({ folder, readOnly: true });
  await assert.rejects(reader.append(commit(2)), { code: "closed" });
  await assert.rejects(reader.saveSnapshot({ timestamp: 1, format: "x", rows: [] }), { code: "closed" });
  assert.deepEqual([reader.last, timestamps(reader), reader.loadSnapshot("x")], [1, [1], undefined]);
  await reader.close();
});

test("lets another process read what is durable while this one writes", async (context) => {
  const folder = folderOf(context);
  const log = await openLmdbLog({ folder });
  await log.append(commit(1));
  let written = 1;
  const reading = run([process.execPath, ...sourceFlags, child, "read", folder]);
  const state = { isReading: true };
  void reading.finally(() => (state.isReading = false));
  while (state.isReading) await log.append(commit((written += 1)));
  const { code, out, error } = await reading;
  assert.deepEqual([code, error], [0, ""]);
  const seen = out.trim().split("\n").map(Number);
  assert.ok(
    seen.length > 1 && seen.every((last, i) => last > 0 && last <= written && last >= (seen[i - 1] ?? 0)),
    out,
  );
  assert.ok((seen.at(-1) ?? 0) > (seen[0] ?? 0), `the reader saw the log grow: ${out}`);
  await log.close();
});

for (const [journal, limit] of [
  ["yes", 16_384],
  ["no", 2000],
] as const) {
  test(`fails the append and nothing else when the disk takes no more; journal: ${journal}`, async (context) => {
    const folder = folderOf(context);
    // A limit on the file's size makes the real write fail, for any user and without a full disk.
    const script = `ulimit -f ${limit} && exec "$0" "$@"`;
    const ended = await run([
      "sh",
      "-c",
      script,
      process.execPath,
      ...sourceFlags,
      child,
      "fill",
      folder,
      journal,
    ]);
    const said = ended.out.trimEnd().split("\n");
    // lmdb 3.5.6 writes beyond a buffer when a write fails, which may end the process a little later.
    const hasDied = ended.signal === "SIGABRT" || ended.signal === "SIGSEGV";
    if (!hasDied) {
      assert.equal(ended.code, 0, ended.error);
      const { codes, readable } = JSON.parse(said.pop() ?? "") as Record<string, unknown>;
      assert.deepEqual([codes, readable], [["failed", "failed", "failed"], "failed"]);
    }
    const acknowledged = Number(said.at(-1));
    assert.ok(acknowledged > 10, ended.out);

    const log = await openLmdbLog({ folder });
    assert.deepEqual([log.recovered, log.verify().damage], [undefined, []]);
    const expected = Array.from({ length: hasDied ? log.last : acknowledged }, (_, i) => i + 1);
    assert.deepEqual(timestamps(log), expected);
    assert.ok(log.last >= acknowledged);
    await log.append(commit(log.last + 1));
    await log.close();
  });
}

for (const journal of ["yes", "no"]) {
  test(`keeps the old log when a compaction does not fit on the disk; journal: ${journal}`, async (context) => {
    const folder = folderOf(context);
    const command = [process.execPath, ...sourceFlags, child, "compact too much", folder, journal];
    const { code, out } = await run(["sh", "-c", `ulimit -f 30000 && exec "$0" "$@"`, ...command]);
    assert.equal(code, 0);
    assert.equal(out, "failed\n");
    const log = await openLmdbLog({ folder });
    assert.deepEqual([log.recovered, log.verify().damage, timestamps(log).length], [undefined, [], 40]);
    assert.deepEqual([log.horizon, log.bases()], [0, []]);
    await log.close();
  });
}

test("reads a compacted log with one of the two records of its compaction, but not without both", async (context) => {
  const folder = folderOf(context);
  const log = await openLmdbLog({ folder });
  for (const timestamp of [10, 20, 30]) {
    await log.append(commit(timestamp));
    await log.move();
  }
  const base = { timestamp: 20, format: "x", rows: [] };
  await log.compact({ horizon: 20, keep: (at) => at === 20, base, pause: async () => {} });
  await log.close();
  for (const [key, isReadable] of [
    ["compaction", true],
    ["compaction-copy", false],
  ] as const) {
    await damageStored(folder, "meta", key, 20);
    const opening = openLmdbLog({ folder, readOnly: true });
    if (!isReadable) await assert.rejects(opening, { code: "damaged", message: /record of the compaction/ });
    else {
      const reader = await opening;
      assert.deepEqual([timestamps(reader), reader.horizon], [[20, 30], 20]);
      await reader.close();
    }
  }
});
