import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { limits } from "@ledge/model";
import fc from "fast-check";
import Type from "typebox";
import { parametersOf, queryReader, urlReader } from "./query.ts";
import { Refused } from "./refused.ts";

const plain = (value: object): object => ({ ...value });

describe("parametersOf", () => {
  for (const [url, parameters] of [
    ["http://h/p", {}],
    ["http://h/p?", {}],
    ["http://h/p?a", { a: "" }],
    ["http://h/p?a=", { a: "" }],
    ["http://h/p?a=1&b=2#c=3", { a: "1", b: "2" }],
    ["http://h/p?a=1&a=2", { a: "1" }],
    ["http://h/p?a=%C3%A5+b%2Bc", { a: "å b+c" }],
    ["http://h/p?a=%zz&b=100%", { a: "%zz", b: "100%" }],
    ["http://h/p?&&a=b=c", { a: "b=c" }],
    ["http://h/p?%61=1", { a: "1" }],
  ] as const) {
    test(url, () => assert.deepEqual(plain(parametersOf(url)), parameters));
  }

  test("treats names of the prototype like any other names", () => {
    const found = parametersOf("/?__proto__=x&constructor=y");
    assert.equal("toString" in found, false);
    assert.equal(({} as { x?: unknown }).x, undefined);
    assert.deepEqual(Object.entries(found), [
      ["__proto__", "x"],
      ["constructor", "y"],
    ]);
  });

  test("limits the number of parameters that it reads", () => {
    const names = Array.from({ length: limits.queryParameters + 1 }, (_, index) => `p${index}`);
    const found = parametersOf(`/?${names.map((name) => `${name}=1`).join("&")}`);
    assert.deepEqual(Object.keys(found), names.slice(0, -1));
  });

  test("reads what URLSearchParams writes", () => {
    const name = fc.string({ unit: "grapheme", minLength: 1 });
    fc.assert(
      fc.property(fc.dictionary(name, fc.string({ unit: "grapheme" }), { maxKeys: 10 }), (given) => {
        const entries = Object.entries(given);
        const read = parametersOf(`/?${new URLSearchParams(entries).toString()}`);
        assert.deepEqual(plain(read), Object.fromEntries(entries));
      }),
    );
  });
});

describe("urlReader", () => {
  const read = urlReader(Type.Object({ ts: Type.Integer(), note: Type.Optional(Type.String()) }));

  test("reads a repeated query once, and another one again", () => {
    const first = read("/poll?ts=5");
    assert.deepEqual(plain(first), { ts: 5 });
    assert.equal(read("http://h/other?ts=5"), first);
    assert.deepEqual(plain(read("/poll?ts=6")), { ts: 6 });
    assert.deepEqual(plain(read("/poll?ts=5")), { ts: 5 });
  });

  test("refuses a bad query again when repeated, and a missing query", () => {
    for (const url of ["/poll?ts=x", "/poll?ts=x", "/poll", "/poll"]) assert.ok(read(url) instanceof Refused);
    assert.deepEqual(plain(read("/poll?ts=1")), { ts: 1 });
  });

  test("does not cache a long query", () => {
    const long = `/poll?ts=1&note=${"n".repeat(300)}`;
    assert.notEqual(read(long), read(long));
  });
});

describe("queryReader", () => {
  const read = queryReader(
    Type.Object({
      name: Type.String({ minLength: 1 }),
      ts: Type.Optional(Type.Integer({ minimum: -10 })),
      templates: Type.Optional(Type.Boolean()),
      note: Type.Optional(Type.String()),
    }),
  );

  for (const [query, wanted] of [
    ["name=a", { name: "a" }],
    ["name=a&ts=5&templates=True&note=", { name: "a", ts: 5, templates: true }],
    ["name=a&ts=5.00&templates=false", { name: "a", ts: 5, templates: false }],
    ["name=a&ts=%2B7", { name: "a", ts: 7 }],
    ["name=a&ts=", { name: "a" }],
    ["name=a&ts=9007199254740991", { name: "a", ts: 2 ** 53 - 1 }],
    ["name=a&ts=9007199254740993", { name: "a", ts: 2 ** 53 - 1 }],
    [`name=a&ts=${"9".repeat(400)}.0`, { name: "a", ts: 2 ** 53 - 1 }],
    ["name=a&other=1", { name: "a", other: "1" }],
  ] as const) {
    test(`accepts ${query}`, () => assert.deepEqual(plain(read(parametersOf(`/?${query}`))), wanted));
  }

  for (const [query, problem] of [
    ["", { field: "name", message: "is missing" }],
    ["name=", { field: "name", message: "must not have fewer than 1 characters" }],
    ["name=a&ts=x", { field: "ts", message: "must be an integer" }],
    ["name=a&ts=1.5", { field: "ts", message: "must be an integer" }],
    [`name=a&ts=-${"9".repeat(400)}`, { field: "ts", message: "must be >= -10" }],
    ["name=a&ts=-11", { field: "ts", message: "must be >= -10" }],
    ["name=a&templates=yes", { field: "templates", message: "must be boolean" }],
  ] as const) {
    test(`refuses '${query}'`, () => {
      const refused = read(parametersOf(`/?${query}`));
      assert.ok(refused instanceof Refused);
      assert.deepEqual([refused.status, refused.problems], [422, [problem]]);
      assert.equal(refused.message, `${problem.field} ${problem.message}`);
    });
  }
});
