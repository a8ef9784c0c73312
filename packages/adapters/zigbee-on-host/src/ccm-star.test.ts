import assert from "node:assert/strict";
import { createCipheriv } from "node:crypto";
import { createRequire } from "node:module";
import { test } from "node:test";

type Open = (tagBytes: number, key: Buffer, nonce: Buffer, data: Buffer) => [tag: Buffer, opened: Buffer];

// Resolved as zigbee-herdsman resolves it.
const { aes128CcmStar } = createRequire(import.meta.url)("zigbee-on-host/dist/zigbee/zigbee") as {
  aes128CcmStar: Open;
};

const hex = (digits: string): Buffer => Buffer.from(digits.replaceAll(" ", ""), "hex");
const key = hex("C0C1C2C3 C4C5C6C7 C8C9CACB CCCDCECF");

test("decrypts the data frame of IEEE 802.15.4-2006, C.2.2, which has no tag", () => {
  const nonce = hex("ACDE480000000001 00000005 04");
  const [tag, opened] = aes128CcmStar(0, key, nonce, hex("D43E022B"));
  assert.deepEqual([tag.length, opened.toString()], [0, "abcd"]);
});

test("decrypts the command frame of IEEE 802.15.4-2006, C.2.3, with a tag of eight bytes", () => {
  const nonce = hex("ACDE480000000001 00000005 06");
  const [, opened] = aes128CcmStar(8, key, nonce, hex("D8 4FDE529061F9C6F1"));
  assert.deepEqual(opened, hex("CE"));
});

/** Returns a text that differs for each length. */
const octets = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, index) => (index * 37 + length) & 0xff));

for (const tagBytes of [4, 8, 16] as const)
  test(`decrypts AES-128-CCM with a tag of ${tagBytes} bytes, for texts of any length`, () => {
    for (let length = 0; length <= 100; length += 1) {
      const nonce = octets(13).map((octet) => octet ^ length);
      const text = octets(length);
      const cipher = createCipheriv("aes-128-ccm", key, Buffer.from(nonce), { authTagLength: tagBytes });
      const closed = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
      const [tag, opened] = aes128CcmStar(tagBytes, key, Buffer.from(nonce), closed);
      assert.deepEqual(opened, text);
      assert.equal(tag.length, tagBytes);
      const again = aes128CcmStar(tagBytes, key, Buffer.from(nonce), Buffer.concat([text, tag]));
      assert.deepEqual(Buffer.concat([again[1], again[0]]), closed, "the same key stream encrypts it again");
    }
  });

test("refuses data shorter than the tag", () => {
  assert.throws(() => aes128CcmStar(4, key, octets(13), octets(3)), RangeError);
  assert.deepEqual(aes128CcmStar(4, key, octets(13), octets(4))[1], Buffer.alloc(0));
});
