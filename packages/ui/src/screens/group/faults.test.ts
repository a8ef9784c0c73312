import assert from "node:assert/strict";
import { test } from "node:test";
import { faultIn } from "./faults.ts";

test("finds what the hub says of a field, and of what is below it", () => {
  const errors = [
    { field: "members.0", message: "no device d1" },
    { field: "membership", message: "other" },
    { field: "members", message: "too many" },
  ];
  assert.equal(faultIn(errors, "members"), "no device d1 too many");
  assert.equal(faultIn(errors, "name"), "");
});
