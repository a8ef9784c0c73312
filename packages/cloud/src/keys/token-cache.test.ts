import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { TokenCache } from "./token-cache.ts";

test("keeps a token until it expires, or until the cache is full", () => {
  const cache = new TokenCache<{ expires: number }>();
  const found = { expires: 10 };
  cache.put("t", found);
  assert.equal(cache.get("t", 9), found);
  assert.equal(cache.get("u", 9), undefined);
  assert.equal(cache.get("t", 10), undefined);
  assert.equal(cache.get("t", 9), undefined);
  cache.put("t", found);
  for (let other = 1; other < limits.cloudTokensVerified; other++) cache.put(`o${other}`, found);
  assert.equal(cache.get("t", 1), found);
  cache.put("one more", found);
  assert.equal(cache.get("t", 1), undefined);
  assert.equal(cache.get("o1", 1), found);
});
