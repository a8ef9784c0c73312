import assert from "node:assert/strict";
import { test } from "node:test";
import { readInstallCode } from "./install-code.ts";

// The example of Base Device Behavior 3.1, 10.1.1.
const ieee = "000D6F0000000001";
const code = "83FED3407A939723A5C639B26916D505C3B5";

test("reads the formats in which makers print install codes", () => {
  const texts = [
    `${ieee}|${code}`,
    `|${ieee}|${code}|`,
    `0x${ieee.toLowerCase()},${code.toLowerCase()}`,
    `${ieee} 83FE D340 7A93 9723 A5C6 39B2 6916 D505 C3B5`,
    `Z:${ieee}$I:${code}%M:1234`,
    `G$M:Name$A:${ieee}$I:${code}`,
    `HUE:Z:${code} M:${ieee} D:L3B A:1184`,
  ];
  for (const text of texts) {
    const found = readInstallCode(text);
    assert.equal(found.ieee, "0x000d6f0000000001", text);
    assert.equal(Buffer.from(found.code).toString("hex").toUpperCase(), code, text);
  }
});

test("a mistyped digit, a wrong length and an unknown format are refused with the reason", () => {
  const cases = [
    [`${ieee}|${code.replace("83FE", "84FE")}`, /CRC is wrong/],
    [`${ieee}|${code.slice(0, -4)}`, /32 hex digits instead of/],
    [`${ieee}|${code}0`, /37 hex digits/],
    [code, /no known format/],
    ["", /no known format/],
    [`Z:${ieee}`, /no known format/],
  ] as const;
  for (const [text, says] of cases) assert.throws(() => readInstallCode(text), says, text);
});
