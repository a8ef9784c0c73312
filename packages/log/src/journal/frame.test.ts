import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { blocksIn, frameBytes, journalHeaderBytes, writeFrame } from "./frame.ts";
import { pageBytes, regionBytes } from "./layout.ts";
import { chainOf } from "./testdata.ts";

const epoch = 0xfedc_ba98_7654_3210n;
const numbers = (region: Buffer, of = epoch): string[] =>
  [...blocksIn(region, of)].map(({ first, last }) => `${first.sequence}-${last.sequence}`);

/** Returns a region with these blocks one after the other. */
function regionOf(...blocks: Buffer[]): Buffer {
  const region = Buffer.alloc(regionBytes / 16);
  let at = 0;
  for (const block of blocks) at += writeFrame(region.subarray(at), epoch, block);
  return region;
}

const chain = chainOf(9, "x".repeat(1500));
const blocks = [0, 3, 6].map((from) => Buffer.concat(chain.slice(from, from + 3)));
const [one, two, three] = blocks as [Buffer, Buffer, Buffer];

test("reads blocks back whole with their first and last commit, under their own epoch only", () => {
  const region = regionOf(one, two, three);
  assert.deepEqual(numbers(region), ["1-3", "4-6", "7-9"]);
  assert.deepEqual(
    [...blocksIn(region, epoch)].map(({ bytes }) => bytes),
    blocks,
  );
  assert.deepEqual(numbers(region, epoch + 1n), []);
  assert.deepEqual(numbers(Buffer.alloc(regionBytes)), []);
  assert.deepEqual(numbers(Buffer.alloc(0)), []);
});

test("reads blocks that end at a page boundary or one byte beyond it", () => {
  for (const [size, pages] of [
    [pageBytes - journalHeaderBytes, 1],
    [pageBytes - journalHeaderBytes + 1, 2],
  ] as const) {
    const room = size - (chainOf(1)[0] as Buffer).length;
    const [block] = chainOf(1, "x".repeat(room)) as [Buffer];
    assert.equal(frameBytes(block.length), pages * pageBytes);
    assert.deepEqual(numbers(regionOf(block, two)), ["1-1", "4-6"]);
  }
});

test("overwrites old bytes with the padding of a frame", () => {
  const region = Buffer.alloc(regionBytes / 16, 0xff);
  const size = writeFrame(region, epoch, one);
  assert.ok(region.subarray(journalHeaderBytes + one.length, size).every((byte) => byte === 0));
  assert.equal(region[size], 0xff);
});

test("skips a frame torn at any sector, whatever the place held before, and finds its neighbours", () => {
  const [older] = chainOf(1, "y".repeat(4500)) as [Buffer];
  for (const before of [regionOf(), regionOf(one, older, three)]) {
    const at = frameBytes(one.length);
    const whole = regionOf(one, two, three).subarray(at, at + frameBytes(two.length));
    const used = journalHeaderBytes + two.length;
    for (let sectors = 0; sectors * 512 < used; sectors++) {
      for (const isHead of [true, false]) {
        const region = Buffer.from(before);
        writeFrame(region, epoch, one);
        const cut = sectors * 512;
        if (isHead) whole.copy(region, at, 0, cut);
        else whole.copy(region, at + 512 + cut, 512 + cut);
        assert.ok(!numbers(region).includes("4-6"), `${sectors} sectors, head: ${isHead}`);
        assert.equal(numbers(region)[0], "1-3");
      }
    }
  }
});

test("loses only one frame to a flipped bit in it", () => {
  const region = regionOf(one, two, three);
  const at = frameBytes(one.length);
  fc.assert(
    fc.property(fc.nat(19 + two.length), fc.nat(7), (byte, bit) => {
      // The last 12 bytes of the header are zeros under its checksum, like the rest.
      const place = at + (byte < 20 ? byte : byte + 12);
      const flipped = Buffer.from(region);
      flipped.writeUInt8(flipped.readUInt8(place) ^ (1 << bit), place);
      assert.deepEqual(numbers(flipped), ["1-3", "7-9"]);
    }),
    { numRuns: 300 },
  );
});

test("accepts any bytes in a region", () => {
  const header = regionOf(one).subarray(0, 20);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 9000 }), fc.boolean(), (bytes, isHeaded) => {
      const region = Buffer.from(bytes);
      if (isHeaded) header.copy(region);
      assert.deepEqual(numbers(region), []);
    }),
  );
});
