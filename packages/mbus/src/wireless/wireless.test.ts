import assert from "node:assert/strict";
import { createCipheriv } from "node:crypto";
import { test } from "node:test";
import {
  decodeWireless,
  type FrameFormat,
  fromHex,
  fromThreeOfSix,
  MbusError,
  toHex,
  toThreeOfSix,
  withCrcs,
  withoutCrcs,
  type VariableTelegram,
} from "../index.ts";
import { crcOf } from "./crc.ts";

// The gas meter of an example of the OMS specification (volume 2, annex N), as modes T and C send it: format A, mode 5.
const gas = fromHex(
  `2E 44 93 15 78 56 34 12 33 03 33 63 7A 2A 00 20 25 59 23 C9 5A AA 26 D1 B2 E7 49 3B C2 AD
   01 3E C4 A6 F6 D3 52 9B 52 0E DF F0 EA 6D EF C9 55 B2 9D 6D 69 EB F3 EC 8A`,
);
const key = fromHex("0102030405060708090A0B0C0D0E0F11");
const keyOf = (): Uint8Array => key;
const sender = { manufacturer: "ELS", id: "12345678", version: 0x33, medium: 3 };
const refuses = (run: () => unknown, code: string, message: RegExp): void =>
  assert.throws(
    run,
    (error) => error instanceof MbusError && error.code === code && message.test(error.message),
  );

const volumeOf = (telegram: unknown): unknown =>
  (telegram as VariableTelegram | undefined)?.records[0]?.value;

test("decodes and decrypts a frame of format A", () => {
  const { control, sender: told, telegram } = decodeWireless(gas, { keyOf });
  assert.deepEqual([control, told], [0x44, sender]);
  assert.deepEqual(volumeOf(telegram), { kind: "number", value: 28_504.27 });
});

for (const format of ["A", "B", "none"] satisfies FrameFormat[]) {
  test(`finds out format ${format}, for frames of any length`, () => {
    for (const length of [11, 12, 26, 27, 42, 125, 126, 127, 128, 200]) {
      const plain = Uint8Array.from({ length }, (_, i) => (i * 37) & 0xff);
      const whole = withCrcs(plain, format);
      assert.deepEqual(withoutCrcs(whole).subarray(1), plain.subarray(1), `${length} bytes`);
      assert.deepEqual(withoutCrcs(whole, format).subarray(1), plain.subarray(1));
    }
  });
}

test("decodes the same telegram in formats A and B and without CRCs", () => {
  const plain = withoutCrcs(gas);
  for (const format of ["A", "B", "none"] satisfies FrameFormat[])
    assert.deepEqual(decodeWireless(withCrcs(plain, format), { keyOf }), decodeWireless(gas, { keyOf }));
});

test("refuses a changed byte, a frame that is cut off, and one that is too long", () => {
  refuses(() => decodeWireless(gas.with(20, 0), { keyOf }), "checksum", /CRC of block 2 is wrong/);
  refuses(() => decodeWireless(gas.subarray(0, 30), { format: "A" }), "truncated", /30 of 55 bytes/);
  refuses(() => decodeWireless(new Uint8Array(0)), "truncated", /empty/);
  refuses(() => decodeWireless(fromHex("05 44 93 15 78 56")), "truncated", /at least 11 bytes/);
  refuses(() => withCrcs(new Uint8Array(257), "A"), "frame", /too long/);
});

test("codes bytes as 3 out of 6 and back", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  assert.deepEqual(fromThreeOfSix(toThreeOfSix(bytes)), bytes);
  assert.equal(toHex(toThreeOfSix(Uint8Array.of(0x0f))), "5A 90");
  refuses(() => fromThreeOfSix(fromHex("FF FF")), "frame", /nibble 0 is no word/);
});

test("goes past an extended link layer, and past a fragmentation layer of one fragment", () => {
  const head = "00 44 93 15 78 56 34 12 33 03";
  const records = "78 03 13 15 31 00";
  for (const layer of [
    "",
    "8C 00 01",
    "8E 00 01 93 15 78 56 34 12 33 03",
    "8D 00 01 00 00 00 00 00 00",
    "90 03 00 00 05",
  ]) {
    const frame = withCrcs(fromHex(`${head} ${layer} ${records}`), "B");
    assert.deepEqual(volumeOf(decodeWireless(frame).telegram), { kind: "number", value: 12.565 }, layer);
  }
  const fragment = withCrcs(fromHex(`${head} 90 03 00 40 05 ${records}`), "B");
  refuses(() => decodeWireless(fragment), "unsupported", /several fragments/);
});

test("decrypts an extended link layer with the key, and names it without", () => {
  const link = "44 93 15 78 56 34 12 33 03";
  const session = "01 02 03 20";
  const data = fromHex("78 03 13 15 31 00");
  const crc = crcOf(data);
  const counter = fromHex(`93 15 78 56 34 12 33 03 21 ${session} 00 00 00`);
  const secret = createCipheriv("aes-128-ctr", key, counter).update(
    Uint8Array.from([crc & 0xff, crc >> 8, ...data]),
  );
  const frame = withCrcs(fromHex(`00 ${link} 8D 21 05 ${session} ${toHex(secret)}`), "A");
  const { telegram, linkEncryption } = decodeWireless(frame, { keyOf });
  assert.deepEqual(
    [volumeOf(telegram), linkEncryption?.isDecrypted],
    [{ kind: "number", value: 12.565 }, true],
  );
  const named = decodeWireless(frame);
  assert.equal(named.telegram, undefined);
  assert.deepEqual(named.linkEncryption, { name: "AES-128 in CTR mode", isDecrypted: false });
  refuses(() => decodeWireless(frame, { keyOf: () => new Uint8Array(16) }), "key", /does not decrypt/);
});

test("names what it does not read", () => {
  const framed = (data: string): Uint8Array =>
    withCrcs(fromHex(`00 44 93 15 78 56 34 12 33 03 ${data}`), "B");
  refuses(() => decodeWireless(framed("A2 01 02")), "unsupported", /manufacturer's own \(CI field A2\)/);
  refuses(() => decodeWireless(framed("79 01 02 03 04 05")), "unsupported", /compact frame/);
});
