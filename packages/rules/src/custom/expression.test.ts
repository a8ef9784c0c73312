import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isRejection, limits } from "@ledge/model";
import type { Scope, Value } from "./expression.ts";
import { compileExpression, scopeOver } from "./expression.ts";

const readings: Readonly<Record<string, readonly unknown[]>> = {
  motion: [false, true, undefined],
  temperature: [20, 21, 25],
  silent: [undefined, null],
};
const data = { ctx: { count: 3, name: "hall", off: false, odd: { a: 1 } }, "a.b": { c: 1 } };
const scope: Scope = { ...scopeOver(data), readings: (field) => readings[field] ?? [] };
const options = { unmeasured: (field: string) => (field in readings ? undefined : `no field ${field}`) };

function valueOf(json: unknown): Value {
  const compiled = compileExpression(json, options);
  assert.ok(!isRejection(compiled), JSON.stringify(compiled));
  return compiled(scope);
}

function refusal(json: unknown): string {
  const compiled = compileExpression(json, { ...options, path: "guard" });
  assert.ok(isRejection(compiled), JSON.stringify(json));
  return `${compiled.field}: ${compiled.message}`;
}

const unknown = { var: "ctx.nothing" };

describe("compileExpression evaluates", () => {
  const cases: readonly (readonly [json: unknown, value: Value])[] = [
    [1.5, 1.5],
    [-0, 0],
    ["a", "a"],
    [true, true],
    [{ var: "ctx.count" }, 3],
    [{ var: ["a.b", "c"] }, 1],
    [unknown, undefined],
    [{ var: "ctx.odd" }, undefined],
    [{ var: "ctx.name.length" }, undefined],
    [{ "==": [{ var: "ctx.count" }, 3] }, true],
    [{ "==": ["3", 3] }, false],
    [{ "!=": ["3", 3] }, true],
    [{ "==": [unknown, 3] }, undefined],
    [{ "<": [1, 2] }, true],
    [{ "<": [1, 2, 2] }, false],
    [{ "<=": [1, 2, 2] }, true],
    [{ ">": [2, 1] }, true],
    [{ ">=": [2, 2] }, true],
    [{ "<": ["2026-01-01", "2026-01-02"] }, true],
    [{ "<": ["1", 2] }, undefined],
    [{ "<": [true, false] }, undefined],
    [{ and: [true, { ">": [1, 0] }] }, true],
    [{ and: [unknown, false] }, false],
    [{ and: [unknown, true] }, undefined],
    [{ or: [unknown, true] }, true],
    [{ or: [unknown, false] }, undefined],
    [{ or: [1, false] }, undefined],
    [{ "!": [true] }, false],
    [{ "!": { var: "ctx.off" } }, true],
    [{ "!": unknown }, undefined],
    [{ "!": 1 }, undefined],
    [{ known: unknown }, false],
    [{ known: 0 }, true],
    [{ if: [true, 1, 2] }, 1],
    [{ if: [false, 1, 2] }, 2],
    [{ if: [unknown, 1, 2] }, 2],
    [{ if: [false, 1, true, 2, 3] }, 2],
    [{ if: [false, 1] }, undefined],
    [{ "+": [1, 2, 3] }, 6],
    [{ "+": [1, unknown] }, undefined],
    [{ "+": [1, "1"] }, undefined],
    [{ "-": [3, 1] }, 2],
    [{ "-": 3 }, -3],
    [{ "*": [2, 3] }, 6],
    [{ "/": [3, 2] }, 1.5],
    [{ "/": [3, 0] }, undefined],
    [{ "%": [7, 4] }, 3],
    [{ min: [3, 1, 2] }, 1],
    [{ max: [3, 1, 2] }, 3],
    [{ avg: [1, 2] }, 1.5],
    [{ abs: -2 }, 2],
    [{ round: 1.6 }, 2],
    [{ in: [{ var: "ctx.name" }, ["hall", "kitchen"]] }, true],
    [{ in: [{ var: "ctx.name" }, []] }, false],
    [{ in: [unknown, [1]] }, undefined],
    [{ any: "motion" }, true],
    [{ all: "motion" }, false],
    [{ any: "silent" }, undefined],
    [{ count: "motion" }, 1],
    [{ seen: "motion" }, 2],
    [{ count: "silent" }, 0],
    [{ min: "temperature" }, 20],
    [{ max: "temperature" }, 25],
    [{ avg: "temperature" }, 22],
    [{ sum: "temperature" }, 66],
    [{ min: "motion" }, undefined],
  ];
  for (const [json, value] of cases) {
    test(`${JSON.stringify(json)}: ${value}`, () => assert.equal(valueOf(json), value));
  }
});

describe("compileExpression refuses", () => {
  const cases: readonly (readonly [json: unknown, message: RegExp])[] = [
    [null, /^guard: null is not a value/],
    [Number.POSITIVE_INFINITY, /a number must be finite/],
    [[1], /a list is only allowed as the operands of an operator/],
    [{}, /one operator with its operands/],
    [{ "<": [1, 2], ">": [1, 2] }, /one operator with its operands/],
    [{ eval: "1" }, /^guard.eval: there is no operator eval/],
    [{ "==": [1] }, /== takes 2 operands/],
    [{ "<": [1, 2, 3, 4] }, /< takes 2 to 3 operands/],
    [{ and: [true, { "<": [1, { foo: 1 }] }] }, /^guard.and.1.<.1.foo: /],
    [{ any: ["motion"] }, /any takes the name of a field/],
    [{ any: "elsewhere" }, /no field elsewhere/],
    [{ var: 1 }, /var takes a path/],
    [{ var: [] }, /var takes a path/],
    [{ var: ["ctx", 1] }, /var takes a path/],
    [{ in: ["a", "abc"] }, /in takes a value and a list/],
    [{ in: ["a", [["a"]]] }, /^guard.in.1.0: a list holds/],
    [{ "==": [{ var: "ctx.count" }, null] }, /use known to ask whether/],
  ];
  for (const [json, message] of cases) {
    test(JSON.stringify(json), () => assert.match(refusal(json), message));
  }
});

test("compileExpression refuses paths and operators that objects inherit", () => {
  for (const path of [
    "constructor.constructor",
    "ctx.constructor",
    "__proto__",
    "ctx.__proto__.polluted",
    "ctx.toString",
    "prototype",
  ]) {
    assert.match(
      refusal({ var: path }),
      /no path leads through (?:constructor|__proto__|toString|prototype)/,
    );
    assert.match(refusal({ var: path.split(".") }), /no path leads through/);
  }
  for (const name of ["constructor", "toString", "hasOwnProperty", "valueOf"])
    assert.match(refusal({ [name]: [1, 2] }), /is not an operator/);
  assert.match(refusal(JSON.parse('{"__proto__": [1, 2]}')), /__proto__ is not an operator/);
});

test("an expression never reads an inherited property", () => {
  const inherited = Object.create({ secret: 1 }) as object;
  const compiled = compileExpression({ var: "ctx.secret" });
  assert.ok(!isRejection(compiled));
  assert.equal(compiled(scopeOver({ ctx: inherited })), undefined);
});

const nested = (levels: number): unknown => (levels === 1 ? true : { "!": nested(levels - 1) });

test("compileExpression enforces each limit exactly", () => {
  valueOf(nested(limits.expressionDepth));
  assert.match(refusal(nested(limits.expressionDepth + 1)), /at most 24 levels/);
  const operands = Array.from({ length: limits.expressionOperands }, () => 1);
  assert.equal(valueOf({ "+": operands }), limits.expressionOperands);
  assert.match(refusal({ "+": [...operands, 1] }), /takes 1 to 64 operands/);
  const path = Array.from({ length: limits.expressionPath }, () => "a");
  valueOf({ var: path });
  assert.match(refusal({ var: [...path, "a"] }), /at most 8 names/);
  valueOf("a".repeat(limits.ruleTextChars));
  assert.match(refusal("a".repeat(limits.ruleTextChars + 1)), /at most 300 characters/);
});

test("compileExpression refuses readings without fields, and names that its caller refuses", () => {
  const none = compileExpression({ any: "motion" });
  assert.ok(isRejection(none));
  const unreadable = (path: readonly string[]): string | undefined =>
    path[0] === "cfg" ? undefined : `nothing is called ${path.join(".")}`;
  const refused = compileExpression({ var: "ctx.count" }, { unreadable });
  assert.ok(isRejection(refused) && /nothing is called ctx.count/.test(refused.message));
});

test("an expression reports its work", () => {
  const spent: number[] = [];
  const compiled = compileExpression({ and: [true, { "<": [1, 2] }] });
  assert.ok(!isRejection(compiled));
  compiled({ ...scope, spend: (units) => spent.push(units) });
  assert.deepEqual(spent, [5]);
});
