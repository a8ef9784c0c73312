import assert from "node:assert/strict";
import { test } from "node:test";
import { hubIdOfKey } from "./hub-id.ts";

test("hubIdOfKey derives a UUID of version 8 from a key", () => {
  const [one, other] = ["A".repeat(43), "B".repeat(43)].map(hubIdOfKey);
  assert.match(one ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(hubIdOfKey("A".repeat(43)), one);
  assert.notEqual(one, other);
});
