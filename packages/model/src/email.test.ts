import assert from "node:assert/strict";
import { test } from "node:test";
import { Compile } from "typebox/compile";
import { Email, foldedEmail } from "./email.ts";
import { limits } from "./limits.ts";

const validator = Compile(Email);
const label = "d".repeat(63);

for (const email of [
  "kim@example.org",
  "Kim.O'Neil+hub@Example.ORG",
  "root@localhost",
  "a@xn--bcher-kva.example",
  `a@${label}.example`,
])
  test(`accepts ${email}`, () => assert.ok(validator.Check(email)));

for (const [what, email] of [
  ["the sign for Kelvin", "\u212Aim@example.org"],
  ["a wide letter", "\uFF4Bim@example.org"],
  ["a Turkish dotted I", "\u0130da@example.org"],
  ["a Cyrillic letter", "\u043Aim@example.org"],
  ["a letter with a mark", "k\u0131\u0307m@example.org"],
  ["an ideographic full stop", "kim@example\u3002org"],
  ["an angle bracket", "<x@evil.example"],
  ["a name and brackets", "Kim<x@evil.example>"],
  ["a quoted part", '"kim"@example.org'],
  ["two addresses", "kim@example.org,x@evil.example"],
  ["a comment", "kim(x)@example.org"],
  ["a colon and a semicolon", "all:kim@example.org;"],
  ["a line end", "kim@example.org\nBcc: x@evil.example"],
  ["an end of line only", "kim@example.org\n"],
  ["white space", "kim @example.org"],
  ["a control character", "kim\u0000@example.org"],
  ["an address of the network", "kim@[127.0.0.1]"],
  ["an empty label", "kim@example..org"],
  ["a hyphen at the end of a label", "kim@example-.org"],
  ["a long label", `kim@${label}d.org`],
  ["nothing before the sign", "@example.org"],
  ["nothing behind it", "kim@"],
  ["too many characters", `${"a".repeat(limits.emailChars)}@b`],
] as const)
  test(`refuses ${what}`, () => assert.equal(validator.Check(email), false));

test("foldedEmail folds only the letters A to Z", () => {
  assert.equal(foldedEmail("KIM@Example.ORG"), "kim@example.org");
  for (const other of ["\u212A", "\u0130", "\u00C4", "\u03A3"]) assert.equal(foldedEmail(other), other);
});
