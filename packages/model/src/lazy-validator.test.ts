import assert from "node:assert/strict";
import { test } from "node:test";
import Type from "typebox";
import { lazyValidator } from "./lazy-validator.ts";

test("compiles a schema at the first check, once", () => {
  let reads = 0;
  const schema = new Proxy(Type.Object({ id: Type.String({ minLength: 1 }) }), {
    get(target, name) {
      if (name === "properties") reads += 1;
      return Reflect.get(target, name) as unknown;
    },
  });
  const validator = lazyValidator(schema);
  assert.equal(reads, 0);
  assert.equal(validator.Check({ id: "a" }), true);
  const first = reads;
  assert.ok(first > 0);
  assert.equal(validator.Check({ id: "" }), false);
  assert.equal(reads, first);
});

test("names what is wrong with a value", () => {
  const validator = lazyValidator(Type.Object({ id: Type.String() }));
  const [error] = validator.Errors({ id: 1 });
  assert.equal(error?.instancePath, "/id");
});
