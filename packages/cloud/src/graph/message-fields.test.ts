import assert from "node:assert/strict";
import { test } from "node:test";
import { problemsOf } from "@ledge/link";
import { limits } from "@ledge/model";
import Type from "typebox";
import { Compile } from "typebox/compile";
import { MessageFields } from "./message-fields.ts";

const Command = Type.Union([
  Type.Object({ type: Type.Literal("ON"), id: Type.String() }),
  Type.Object({ type: Type.Literal("DIM"), id: Type.String(), level: Type.Number() }),
]);
const schema = Type.Object({
  hubId: Type.String(),
  commands: Type.Array(Command, { maxItems: 1000 }),
  names: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
});
const fields = new MessageFields(schema);
const on = { type: "ON", id: "lamp" };

test("accepts what fits the schema", () => {
  assert.ok(fields.fit({ hubId: "h", commands: [on, { type: "DIM", id: "lamp", level: 1 }] }));
  assert.ok(fields.fit({ hubId: "h", commands: [] }));
  assert.equal(fields.fit({ hubId: "h", commands: [{ type: "ON" }] }), false);
});

test("says the same as the schema, in other fields and in lists", () => {
  const whole = Compile(schema);
  for (const message of [
    {},
    { hubId: 5, commands: [] },
    { hubId: "h", commands: "all" },
    { hubId: "h", commands: null },
    { hubId: "h", commands: [on, { type: "DIM", id: "lamp", level: "x" }] },
    { hubId: "h", commands: [5] },
    { hubId: "h", commands: [on, { type: "ON" }], names: [] },
    { hubId: "h", commands: [], names: [1] },
  ]) {
    const byField = (all: readonly { field: string }[]): unknown =>
      all.toSorted((one, other) => one.field.localeCompare(other.field));
    assert.deepEqual(byField(fields.problems(message)), byField(problemsOf(whole, message)));
  }
});

test("reads no further than the first bad items of a list, and not at all into one that is too long", () => {
  let read = 0;
  const bad = {
    type: "ON",
    get id() {
      read++;
      return 5;
    },
  };
  const problems = fields.problems({ hubId: "h", commands: Array.from({ length: 1000 }, () => bad) });
  assert.equal(problems.length, limits.problems);
  assert.deepEqual(problems[0]?.field, "commands.0.id");
  assert.ok(read < 20 * limits.problems, `${read} reads`);
  read = 0;
  const long = fields.problems({ hubId: "h", commands: Array.from({ length: 1001 }, () => bad) });
  assert.deepEqual(long, [{ field: "commands", message: "must not have more than 1000 items" }]);
  assert.equal(read, 0);
});
