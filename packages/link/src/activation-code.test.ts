import assert from "node:assert/strict";
import { before, test } from "node:test";
import { limits } from "@ledge/model";
import { readActivationCode, signActivationCode } from "./activation-code.ts";
import { fromBase32, toBase32 } from "./base32.ts";
import { generateIssuerKey, type IssuerKey, type KeySet, keySetOf } from "./signed.ts";

const now = Date.UTC(2026, 0, 15);
const content = { serial: "00ff10203040a0b0", features: [2, 15, 250], expires: now + 1000 };
let key: IssuerKey;
let keys: KeySet;
let code: string;

before(async () => {
  key = await generateIssuerKey();
  keys = keySetOf([await generateIssuerKey(), key]);
  code = signActivationCode(content, "hub", key);
});

test("base32 follows RFC 4648 without padding", () => {
  for (const [plain, text] of [
    ["", ""],
    ["f", "MY"],
    ["fo", "MZXQ"],
    ["foo", "MZXW6"],
    ["foob", "MZXW6YQ"],
    ["fooba", "MZXW6YTB"],
    ["foobar", "MZXW6YTBOI"],
  ] as const) {
    assert.equal(toBase32(Buffer.from(plain)), text);
    assert.equal(Buffer.from(fromBase32(text) ?? []).toString(), plain);
  }
  assert.equal(fromBase32("MZ0"), undefined);
});

test("readActivationCode reads a signed code, however it is typed", () => {
  assert.match(code, /^(?:[A-Z2-7]{5}-)+[A-Z2-7]{1,5}$/);
  assert.ok(code.length <= limits.activationCodeChars);
  for (const typed of [code, code.toLowerCase(), code.replaceAll("-", " "), code.replaceAll("-", "")]) {
    assert.deepEqual(readActivationCode(typed, { keys, hubId: "hub", now }), content);
  }
});

test("readActivationCode names each kind of fault", async () => {
  const read = (text: string, changed: object = {}): unknown =>
    readActivationCode(text, { keys, hubId: "hub", now, ...changed });
  assert.equal(read(code, { keys: keySetOf([await generateIssuerKey()]) }), "signature");
  assert.equal(read(code, { keys: new Map() }), "signature");
  assert.equal(read(code, { hubId: "other" }), "hub");
  assert.equal(read(code, { now: content.expires - 1 }) instanceof Object, true);
  assert.equal(read(code, { now: content.expires }), "expired");
  for (const text of ["", "A", code.slice(2), `${code}AAAA`, code.replace("A", "0"), "A".repeat(100_000)]) {
    assert.equal(read(text), "malformed", text.slice(0, 40));
  }
  const bytes = Buffer.from(fromBase32(code) ?? []);
  for (let at = 1; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    assert.ok(["signature", "malformed"].includes(read(toBase32(changed)) as string), String(at));
  }
});
