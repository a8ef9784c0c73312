import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { limits } from "@ledge/model";
import Type from "typebox";
import { Compile } from "typebox/compile";
import { problemsOf } from "./problems.ts";

describe("problemsOf reports", () => {
  const colour = Type.Union([Type.Literal("red"), Type.Literal("green")]);
  const nullable = Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]));
  for (const [what, schema, value, expected] of [
    ["nothing", Type.Object({ a: Type.Integer() }), { a: 1, b: "extra" }, []],
    [
      "a nested field",
      Type.Object({ a: Type.Object({ b: Type.Integer() }) }),
      { a: { b: "x" } },
      [["a.b", "must be integer"]],
    ],
    [
      "a missing nested field",
      Type.Object({ a: Type.Object({ b: Type.Integer() }) }),
      { a: {} },
      [["a.b", "is missing"]],
    ],
    [
      "an item",
      Type.Object({ a: Type.Array(Type.Integer()) }),
      { a: [1, "x"] },
      [["a.1", "must be integer"]],
    ],
    [
      "a name with the special characters of a JSON pointer",
      Type.Object({ "a/b~c": Type.Integer() }),
      { "a/b~c": "x" },
      [["a/b~c", "must be integer"]],
    ],
    ["the whole value", Type.Object({}), 5, [["", "must be object"]]],
    ["a choice", Type.Object({ c: colour }), { c: "blue" }, [["c", 'must be "red" or "green"']]],
    ["a nullable value", Type.Object({ n: nullable }), { n: "x" }, [["n", "must be integer"]]],
    ["a limit of a nullable value", Type.Object({ n: nullable }), { n: -1 }, [["n", "must be >= 0"]]],
    [
      "a name that a record does not allow",
      Type.Object({
        r: Type.Record(Type.String({ pattern: "^[a-z]+$" }), Type.String(), { additionalProperties: false }),
      }),
      { r: { B: "x", ok: "y" } },
      [["r.B", "is not a name that is allowed here"]],
    ],
    [
      "a field that an object does not allow",
      Type.Object({ a: Type.Integer() }, { additionalProperties: false }),
      { a: 1, b: 2 },
      [["b", "is not a name that is allowed here"]],
    ],
    [
      "two fields",
      Type.Object({ a: Type.Integer(), b: Type.Integer() }),
      { a: "x" },
      [
        ["b", "is missing"],
        ["a", "must be integer"],
      ],
    ],
  ] as const) {
    test(what, () => {
      const found = problemsOf(Compile(schema as Type.TSchema), value, 3);
      const problems = expected.map(([field, message]) => ({ index: 3, field, message }));
      assert.deepEqual(found.toSorted(byField), problems.toSorted(byField));
    });
  }

  test("a limited number of problems of one request", () => {
    const schema = Type.Record(Type.String(), Type.Integer());
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, "x"]));
    const { length } = problemsOf(Compile(schema), many);
    assert.ok(length > 0 && length <= limits.problems);
  });
});

function byField(a: { readonly field: string }, b: { readonly field: string }): number {
  return a.field < b.field ? -1 : 1;
}
