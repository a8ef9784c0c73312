import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { limits } from "@ledge/model";
import fc from "fast-check";
import { parseJson, readBody, readJson } from "./body.ts";
import { Refused } from "./refused.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;

function valueOf(parsed: { readonly value: unknown } | Refused): unknown {
  assert.ok(!(parsed instanceof Refused), "refused");
  return parsed.value;
}

describe("parseJson", () => {
  for (const [what, body] of [
    ["nothing", new Uint8Array()],
    ["half an object", bytes('{"a":')],
    ["a form", bytes("a=1&b=2")],
    ["two values", bytes("1 2")],
    ["a byte that is not UTF-8", Uint8Array.of(0x22, 0xff, 0x22)],
    ["half a character", Uint8Array.of(0x22, 0xc3, 0x22)],
    ["a surrogate in UTF-8", Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22)],
    ["33 levels", bytes(nested(33))],
    ["a hundred thousand levels", bytes(nested(100_000))],
    ["objects of 40 levels", bytes(`${'{"a":'.repeat(40)}1${"}".repeat(40)}`)],
  ] as const) {
    test(`refuses ${what} with 422`, () => {
      const refused = parseJson(body);
      assert.ok(refused instanceof Refused);
      assert.equal(refused.status, 422);
    });
  }

  test("accepts 32 levels, and a byte order mark", () => {
    assert.equal(JSON.stringify(valueOf(parseJson(bytes(nested(32))))), nested(32));
    assert.equal(valueOf(parseJson(bytes("\ufeff5"))), 5);
  });

  const keys = (count: number): string =>
    Array.from({ length: count }, (_, index) => `"k${index}":1`).join(",");
  const items = (count: number): string => Array.from({ length: count }, () => "1").join(",");
  const { bodyObjectKeys, bodyArrayItems, bodyValues } = limits;
  // Fills an outer array with inner ones, up to the limit of values.
  const full = Math.floor(bodyValues / (bodyArrayItems + 1));
  const rest = bodyValues - full * (bodyArrayItems + 1) - 1;
  const inners = (last: number): string =>
    `[${[...Array.from({ length: full }, () => bodyArrayItems), last].map((count) => `[${items(count)}]`).join(",")}]`;

  for (const [what, most, tooMuch] of [
    ["keys of an object", `{${keys(bodyObjectKeys)}}`, `{${keys(bodyObjectKeys + 1)}}`],
    [
      "keys of a nested object",
      `[{"state":{${keys(bodyObjectKeys)}}},{${keys(bodyObjectKeys)}}]`,
      `[{"state":{${keys(bodyObjectKeys + 1)}}}]`,
    ],
    ["items of an array", `[${items(bodyArrayItems)}]`, `[${items(bodyArrayItems + 1)}]`],
    ["values of a body", inners(rest), inners(rest + 1)],
  ] as const) {
    test(`enforces the limit of ${what} exactly`, () => {
      valueOf(parseJson(bytes(most)));
      const refused = parseJson(bytes(tooMuch));
      assert.ok(refused instanceof Refused);
      assert.deepEqual([refused.status, /at most/.test(refused.message)], [422, true], refused.message);
    });
  }

  test("counts repeated keys, and nothing inside strings", () => {
    assert.ok(parseJson(bytes(`{${'"k":1,'.repeat(bodyObjectKeys)}"k":1}`)) instanceof Refused);
    const text = JSON.stringify({ '"\\': ':,[{"'.repeat(bodyValues), end: '\\"' });
    assert.equal(JSON.stringify(valueOf(parseJson(bytes(text)))), text);
  });

  test("refuses at a limit before it reads on", () => {
    const refused = parseJson(bytes(`[${items(bodyArrayItems + 1)},not JSON`));
    assert.ok(refused instanceof Refused);
    assert.match(refused.message, /at most/);
  });

  test("removes keys that reach a prototype at every level", () => {
    const hostile =
      '{"__proto__":{"isOn":true},"a":[{"__proto__":5,"b":1}],"constructor":{"prototype":{"x":1}},"b":{"\\u005f_proto__":1}}';
    const value = valueOf(parseJson(bytes(hostile))) as { constructor: unknown };
    assert.equal(JSON.stringify(value), '{"a":[{"b":1}],"constructor":{"prototype":{"x":1}},"b":{}}');
    const copy = Object.assign({}, value) as { isOn?: unknown };
    assert.equal(copy.isOn, undefined);
    assert.equal(({} as { x?: unknown }).x, undefined);
  });

  test("keeps any other JSON as it is", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes("__proto__"));
        assert.equal(JSON.stringify(valueOf(parseJson(bytes(text)))), text);
      }),
    );
  });
});

describe("readBody", () => {
  const request = (chunks: readonly Uint8Array[], headers: Record<string, string> = {}): Request => {
    const body = new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
    return new Request("http://h/", { method: "PUT", body, headers, duplex: "half" });
  };
  const read = (sent: Request): Promise<Uint8Array | Refused> => readBody(sent, undefined, 10);
  const textOf = (body: Uint8Array | Refused): string => {
    assert.ok(!(body instanceof Refused), "refused");
    return Buffer.from(body).toString();
  };

  test("joins the chunks of a body", async () => {
    assert.equal(textOf(await read(request([bytes('"å'), bytes("b"), bytes('c"')]))), '"åbc"');
    const [first = 0, second = 0] = bytes("å");
    assert.equal(textOf(await read(request([Uint8Array.of(first), Uint8Array.of(second)]))), "å");
  });

  test("enforces the limit to the byte, with and without a length", async () => {
    assert.equal(textOf(await read(request([bytes("1234567890")]))), "1234567890");
    for (const sent of [
      request([bytes("12345678901")]),
      request([bytes("12345"), bytes("678901")]),
      request([bytes("5")], { "content-length": "11" }),
    ]) {
      const refused = await read(sent);
      assert.ok(refused instanceof Refused);
      assert.equal(refused.status, 413);
    }
  });

  test("reads no more than the limit", async () => {
    let pulled = 0;
    const body = new ReadableStream({
      pull(controller) {
        pulled++;
        controller.enqueue(bytes("     "));
      },
    });
    const endless = new Request("http://h/", { method: "PUT", body, duplex: "half" });
    assert.ok((await read(endless)) instanceof Refused);
    assert.ok(pulled < 10);
  });

  test("refuses a body that breaks off, and does not throw", async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) });
    const broken = new Request("http://h/", { method: "PUT", body, duplex: "half" });
    assert.ok((await read(broken)) instanceof Refused);
    const none = new Request("http://h/", { method: "PUT" });
    assert.equal(textOf(await read(none)), "");
    assert.ok((await readJson(none, undefined, 10)) instanceof Refused);
    assert.deepEqual(await readJson(request([bytes("[1]")]), undefined, 10), { value: [1], bytes: 3 });
  });
});
