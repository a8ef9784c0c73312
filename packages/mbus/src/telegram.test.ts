import assert from "node:assert/strict";
import { test } from "node:test";
import {
  decode,
  decodeApplication,
  type DecodeOptions,
  fromHex,
  MbusError,
  type VariableTelegram,
} from "./index.ts";

const refuses = (run: () => unknown, code: string, message: RegExp): void =>
  assert.throws(
    run,
    (error) => error instanceof MbusError && error.code === code && message.test(error.message),
  );

// Example of the OMS specification, volume 2, annex N: a gas meter, encrypted in mode 5.
const meter = { id: "12345678", manufacturer: "ELS", version: 0x33, medium: 3 };
const encrypted = fromHex(
  "2A 00 20 25 59 23 C9 5A AA 26 D1 B2 E7 49 3B 01 3E C4 A6 F6 D3 52 9B 52 0E DF F0 EA 6D EF C9 9D 6D 69 EB F3",
);
const key = fromHex("0102030405060708090A0B0C0D0E0F11");
const read = (options: DecodeOptions): VariableTelegram =>
  decodeApplication(0x7a, encrypted, meter, options) as VariableTelegram;

test("decrypts a payload of mode 5 with the key of its meter", () => {
  const { records, encryption, status } = read({ keyOf: ({ id }) => (id === "12345678" ? key : undefined) });
  assert.deepEqual(
    records.map(({ quantity }) => quantity),
    ["Volume", "Time point (date & time)", "Error flags"],
  );
  assert.deepEqual(records[0]?.value, { kind: "number", value: 28_504.27 });
  assert.equal(encryption?.isDecrypted, true);
  assert.equal(status?.accessNumber, 0x2a);
});

test("names an encrypted payload without a key, and reads none of it", () => {
  const { records, encryption } = read({});
  assert.deepEqual(records, []);
  assert.deepEqual(
    [encryption?.mode, encryption?.name, encryption?.bytes.length],
    [5, "AES-128 in CBC mode", 32],
  );
});

test("refuses a key that does not fit", () => {
  refuses(
    () => read({ keyOf: () => new Uint8Array(16) }),
    "key",
    /does not decrypt the payload of meter ELS 12345678/,
  );
  refuses(() => read({ keyOf: () => new Uint8Array(8) }), "key", /16 bytes, not 8/);
});

test("refuses fewer encrypted bytes than announced", () => {
  refuses(
    () => decodeApplication(0x7a, encrypted.slice(0, 20), meter),
    "truncated",
    /32 bytes are encrypted, but only 16/,
  );
});

test("takes a signature of an older meter for what it is", () => {
  const { status, encryption, records } = decode(
    fromHex("68 12 12 68 08 01 72 45 58 57 03 B4 05 34 04 9E 00 27 B6 01 13 05 F7 16"),
  ) as VariableTelegram;
  assert.deepEqual([status?.signature, encryption, records.length], [0xb627, undefined, 1]);
});

for (const [title, hex, code, message] of [
  ["an acknowledgement", "E5", "frame", /frame without data: ack/],
  ["a command", "68 03 03 68 53 FE BD 0E 16", "unsupported", /CI field BD is not one of meter data/],
  ["an alarm", "68 04 04 68 08 01 71 04 7E 16", "unsupported", /reports an alarm: 04/],
  [
    "an error of the application",
    "68 04 04 68 08 01 70 08 81 16",
    "application",
    /error 8: the application is busy/,
  ],
  ["a reserved error", "68 04 04 68 08 01 70 63 DC 16", "application", /error 99: reserved error/],
  ["half a header", "68 04 04 68 08 01 72 63 DE 16", "truncated", /header has 12 bytes, not 1/],
  ["half of the fixed data", "68 04 04 68 08 01 73 63 DF 16", "truncated", /16 bytes, not 1/],
] as const) {
  test(`refuses ${title}`, () => refuses(() => decode(fromHex(hex)), code, message));
}

test("reads header and fixed data with the highest byte first", () => {
  const lowest = decode(
    fromHex("68 13 13 68 08 05 73 78 56 34 12 0A 00 E9 7E 01 00 00 00 35 01 00 00 3C 16"),
  );
  const highest = decode(
    fromHex("68 13 13 68 08 05 77 12 34 56 78 0A 00 E9 7E 00 00 00 01 00 00 01 35 40 16"),
  );
  assert.deepEqual(highest, lowest);
  const { meter: told } = decodeApplication(
    0x76,
    fromHex("12 34 56 78 40 24 01 07 55 00 00 00"),
    undefined,
  ) as VariableTelegram;
  assert.deepEqual(told, { id: "12345678", manufacturer: "PAD", version: 1, medium: 7 });
});
