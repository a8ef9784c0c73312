import assert from "node:assert/strict";
import { test } from "node:test";
import { shownName } from "./shown-name.ts";

for (const [what, name, shown] of [
  ["an ordinary name", "Cabin", "“Cabin”"],
  ["a name in other letters", "Mökki 小屋 2", "“Mökki 小屋 2”"],
  ["a name with a full stop", "Dr. Smith's house", "“Dr. Smith's house”"],
  ["links of schemes", "Confirm at http://evil.example or mailto:x", "“Confirm at or”"],
  ["a bare host", "Log in at evil.example now", "“Log in at now”"],
  ["a host with wide dots", "at evil．example and evil。example", "“at and”"],
  ["an address", "write to x@evil.example", "“write to”"],
  ["line ends and tabs", "A\r\nBcc: b\u2028c\u2029d\te", "“A Bcc: b c d e”"],
  ["characters that reverse text", "a\u202Eb\u2066c\u200Bd", "“a b c d”"],
  ["escapes", "a\u001B[31mb", "“a [31mb”"],
  ["quotation marks", 'Cabin” is gone. "Pay', "“Cabin is gone. Pay”"],
  ["a lone surrogate", "a\uD800b", "“a b”"],
  ["a name of links only", "http://evil.example", "“”"],
] as const)
  test(`shows ${what} as a plain name`, () => assert.equal(shownName(name), shown));

test("cuts a long name between characters", () => {
  assert.equal(shownName("x".repeat(100)), `“${"x".repeat(40)}”`);
  assert.equal(shownName("😀".repeat(100)), `“${"😀".repeat(40)}”`);
});
