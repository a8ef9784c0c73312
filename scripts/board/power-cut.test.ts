import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { seeded } from "../crash/random.ts";
import { kept, lied, widestCuts } from "./power-cut.ts";
import { type Entry, type Write, WriteLog } from "./write-log.ts";

const folder = mkdtempSync(join(tmpdir(), "ledge-cuts-"));
after(() => rmSync(folder, { recursive: true }));

/** A sector with 64-bit numbers at its beginning. */
function sectorOf(...numbers: readonly bigint[]): Buffer {
  const bytes = Buffer.alloc(512);
  for (const [index, number] of numbers.entries()) bytes.writeBigUInt64LE(number, index * 8);
  return bytes;
}

/** The head of a log of so many entries, in sectors of 512 bytes. */
const head = (entries: bigint): Buffer => sectorOf(0x6a736677736872n, 1n, entries, 512n);

const write = (at: number, length = 4096, isDurable = false): Write => {
  return { kind: "write", at, length, data: 0, isDurable };
};
const flush: Entry = { kind: "flush" };

test("reads writes with their bytes, flushes, and steps over discards", () => {
  const path = join(folder, "log");
  const [first, second] = [Buffer.alloc(1024, "a"), Buffer.alloc(512, "b")];
  const entries = [sectorOf(8n, 2n, 0n), first, sectorOf(0n, 0n, 1n), sectorOf(64n, 128n, 4n)];
  writeFileSync(path, Buffer.concat([head(4n), ...entries, sectorOf(3n, 1n, 2n), second]));
  const log = new WriteLog(path);
  const found = [...log.entries()];
  assert.deepEqual(
    found.map(({ kind }) => kind),
    ["write", "flush", "nothing", "write"],
  );
  const [one, , , two] = found as [Write, Entry, Entry, Write];
  assert.deepEqual([one.at, one.isDurable, log.bytes(one)], [4096, false, first]);
  assert.deepEqual([two.at, two.isDurable, log.bytes(two)], [1536, true, second]);
  log.close();
});

test("reads as many entries as were complete, and refuses what is no log", () => {
  const path = join(folder, "cut");
  writeFileSync(path, Buffer.concat([head(9n), sectorOf(0n, 0n, 1n)]));
  const log = new WriteLog(path);
  assert.deepEqual([...log.entries()], [flush]);
  log.close();
  writeFileSync(path, sectorOf(1n, 1n, 9n, 512n));
  assert.throws(() => new WriteLog(path), /is no record of writes/);
  writeFileSync(path, "");
  assert.throws(() => new WriteLog(path), /is no record of writes/);
});

test("cuts in the widest windows, none before the given entry and none where one write is at stake", () => {
  const wide = Array.from({ length: 9 }, (_, index) => write(index));
  const entries: Entry[] = [
    ...wide,
    ...wide,
    flush,
    write(1),
    flush,
    ...wide,
    flush,
    write(1),
    write(2),
    flush,
  ];
  const cuts = widestCuts(entries, 19, 6, seeded(1));
  assert.equal(cuts.length, 6);
  // Both windows after the nineteenth entry, first at their ends.
  assert.ok(cuts.some((cut) => cut.entries === 30 && cut.unflushed === 9));
  assert.ok(cuts.some((cut) => cut.entries === 33 && cut.unflushed === 2));
  for (const cut of cuts) {
    assert.ok(cut.unflushed > 1 && cut.entries > 21, JSON.stringify(cut));
    const since = entries.slice(0, cut.entries).findLastIndex(({ kind }) => kind === "flush");
    assert.equal(cut.unflushed, cut.entries - since - 1);
  }
  assert.deepEqual(widestCuts([write(1), flush], 0, 5, seeded(1)), []);
});

test("leaves any of the unflushed writes, whole or torn between sectors, and always what was durable at once", () => {
  const unflushed = [...Array.from({ length: 40 }, (_, index) => write(index)), write(99, 4096, true)];
  const seen = { torn: 0, missing: 0, all: 0, none: 0 };
  for (let seed = 0; seed < 200; seed++) {
    const left = kept(unflushed, seeded(seed));
    assert.equal(left.at(-1)?.write, unflushed.at(-1));
    assert.equal(left.at(-1)?.length, 4096);
    for (const { length } of left) assert.ok(length % 512 === 0 && length <= 4096);
    // Their order among each other stays: the later write of a place wins.
    assert.deepEqual(
      left.map(({ write: { at } }) => at),
      left.map(({ write: { at } }) => at).toSorted((a, b) => a - b),
    );
    if (left.some(({ length }) => length < 4096)) seen.torn++;
    if (left.length === unflushed.length) seen.all++;
    else if (left.length === 1) seen.none++;
    else seen.missing++;
  }
  for (const [kind, count] of Object.entries(seen)) assert.ok(count > 5, kind);
});

test("a disk that lies loses about half of the newest writes", () => {
  const left = lied(
    Array.from({ length: 60 }, (_, index) => write(index)),
    seeded(3),
  );
  assert.ok(left.length > 10 && left.length < 50);
});
