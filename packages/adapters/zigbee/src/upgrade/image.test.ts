import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { checkImage, isNewerFor, readHead, versionText } from "./image.ts";
import { imageFile } from "./testdata/image-file.ts";

const running = { manufacturerCode: 0x117c, imageType: 0x2101, fileVersion: 1, hardwareVersion: 3 };

test("reads the head of an image", () => {
  const file = imageFile({ fileVersion: 0x10023085, payload: Buffer.alloc(100, 7) });
  assert.deepEqual(checkImage(file), {
    manufacturerCode: 0x117c,
    imageType: 0x2101,
    fileVersion: 0x10023085,
    size: file.length,
    begin: 0,
  });
  assert.equal(versionText(0x23085), "0x00023085");
});

test("finds an image inside a maker's wrapper", () => {
  const inner = imageFile({ fileVersion: 5 });
  const wrapped = Buffer.concat([Buffer.from("NGIS and a signature"), inner, Buffer.from("trailer")]);
  const head = checkImage(wrapped);
  assert.deepEqual([head.begin, head.size], [20, inner.length]);
});

test("an image fits the same maker, type and hardware, and an older version", () => {
  const head = checkImage(imageFile({ fileVersion: 5, hardware: { least: 2, most: 3 } }));
  assert.deepEqual(head.hardware, { least: 2, most: 3 });
  assert.ok(isNewerFor(head, running));
  assert.ok(isNewerFor(head, { ...running, fileVersion: 4 }));
  for (const other of [
    { fileVersion: 5 },
    { fileVersion: 6 },
    { imageType: 1 },
    { manufacturerCode: 1 },
    { hardwareVersion: 1 },
    { hardwareVersion: 4 },
  ])
    assert.ok(!isNewerFor(head, { ...running, ...other }), JSON.stringify(other));
});

test("refuses wrong, truncated and damaged files with a reason", () => {
  const file = imageFile({ fileVersion: 5, payload: Buffer.alloc(64, 1) });
  const longer = Buffer.from(file);
  longer.writeUInt32LE(10_000, 52);
  const overfull = Buffer.from(file);
  overfull.writeUInt32LE(65, 58);
  assert.throws(() => checkImage(Buffer.from("a text")), /not an upgrade file/);
  assert.throws(() => checkImage(file.subarray(0, 40)), /truncated/);
  assert.throws(() => checkImage(file.subarray(0, -1)), /truncated: \d+ of \d+ bytes/);
  assert.throws(() => checkImage(longer), /truncated/);
  assert.throws(() => checkImage(overfull), /do not fill it/);
});

test("accepts or refuses any bytes without other errors", () => {
  const file = imageFile({ fileVersion: 5, hardware: { least: 0, most: 1 } });
  fc.assert(
    fc.property(fc.nat(file.length - 1), fc.nat(255), fc.nat(file.length), (place, value, length) => {
      const bytes = Buffer.from(file);
      bytes[place] = value;
      try {
        const { size, begin } = checkImage(bytes.subarray(0, length));
        assert.ok(begin + size <= length);
        readHead(bytes.subarray(0, length), length);
      } catch (error) {
        assert.match((error as Error).message, /^it/);
      }
    }),
  );
});
