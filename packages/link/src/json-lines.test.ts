import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type JsonLineBounds, parseJsonLines } from "./json-lines.ts";
import { Refused } from "./refused.ts";

const bounds: JsonLineBounds = { bytes: 20, depth: 3 };

function valuesOf(text: string | Uint8Array, limits = bounds): readonly unknown[] {
  const parsed = parseJsonLines(Buffer.from(text as string), limits);
  assert.ok(!(parsed instanceof Refused), "refused");
  return parsed;
}

function refusalOf(text: string | Uint8Array): RegExp | string {
  const parsed = parseJsonLines(Buffer.from(text as string), bounds);
  assert.ok(parsed instanceof Refused, JSON.stringify(parsed));
  return `${parsed.status} ${parsed.message}`;
}

test("parses each line by itself, with and without an end of the last one", () => {
  assert.deepEqual(valuesOf(""), []);
  assert.deepEqual(valuesOf('{"a":1}\nnull\n"\u00e5"\n'), [{ a: 1 }, null, "\u00e5"]);
  assert.deepEqual(valuesOf("1\n2"), [1, 2]);
});

test("enforces the bytes of a line exactly, also when its characters have several", () => {
  const textOf = (character: string, count: number): string => JSON.stringify(character.repeat(count));
  for (const [character, most] of [
    ["x", 18],
    ["\u00e5", 9],
    ["\u2713", 6],
    ["\u{1F4A1}", 4],
  ] as const) {
    assert.equal(valuesOf(`1\n${textOf(character, most)}\n2\n`).length, 3);
    assert.match(String(refusalOf(`1\n${textOf(character, most + 1)}\n2\n`)), /^413 .*at most 20 bytes/);
  }
});

test("enforces the depth of a line exactly", () => {
  for (const fit of ['[[{"a":1}]]', "[[[]],[[]],[[]]]", '"[[[[[["']) assert.equal(valuesOf(fit).length, 1);
  for (const deep of ["[[[[]]]]", '{"a":{"b":[{}]}}', '[1,[[{"__proto__":[]}]]]'].map((text) =>
    text.slice(0, 20),
  ))
    assert.match(String(refusalOf(`1\n${deep}\n`)), /422 .*(nested more than 3 deep|not JSON)/, deep);
  const deepest = `${"[".repeat(30_000)}${"]".repeat(30_000)}`;
  assert.ok(parseJsonLines(Buffer.from(deepest), { bytes: 65_536, depth: 64 }) instanceof Refused);
});

test("refuses what is no JSON, and bytes that are no UTF-8", () => {
  for (const text of ["\n", "1\n\n2\n", "1 2\n", "{\n}", "\ufeff1\n", "1\r\n[\r\n"])
    assert.match(String(refusalOf(text)), /422 the line is not JSON/, JSON.stringify(text));
  for (const bytes of [
    [0x22, 0xff, 0x22],
    [0x22, 0xc3, 0x22, 10],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
  ])
    assert.match(String(refusalOf(Uint8Array.from(bytes))), /422 the body is not JSON in UTF-8/);
});

test("removes keys that reach a prototype at every level", () => {
  const hostile = [
    '{"a":[{"__proto__":5,"b":1}]}',
    '{"b":{"\\u005f_proto__":1}}',
    '{"__proto__":{"isOn":true}}',
  ];
  const values = valuesOf(`${hostile.join("\n")}\n`, { bytes: 100, depth: 9 });
  assert.equal(JSON.stringify(values), '[{"a":[{"b":1}]},{"b":{}},{}]');
  assert.equal((values[2] as { isOn?: unknown }).isOn, undefined);
});

test("keeps any other JSON as it is", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ maxDepth: 8 })), (values) => {
      const text = values.map((value) => `${JSON.stringify(value)}\n`).join("");
      fc.pre(!text.includes("__proto__"));
      assert.equal(JSON.stringify(valuesOf(text, { bytes: 1e6, depth: 64 })), JSON.stringify(values));
    }),
  );
});
