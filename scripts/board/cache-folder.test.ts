import assert from "node:assert/strict";
import { test } from "node:test";
import { cacheFolder } from "./cache-folder.ts";

test("the cache is LEDGE_CACHE, else in XDG_CACHE_HOME, else in the home", () => {
  const shared = { XDG_CACHE_HOME: "/var/cache/ann" };
  assert.equal(cacheFolder({ ...shared, LEDGE_CACHE: "/srv/cache" }, "/homes/ann"), "/srv/cache");
  assert.equal(cacheFolder({ ...shared, LEDGE_CACHE: "" }, "/homes/ann"), "/var/cache/ann/ledge");
  assert.equal(cacheFolder({}, "/homes/ann"), "/homes/ann/.cache/ledge");
});

test("refuses a relative LEDGE_CACHE and ignores a relative XDG_CACHE_HOME", () => {
  assert.throws(() => cacheFolder({ LEDGE_CACHE: "cache" }, "/homes/ann"), /name an absolute path/);
  assert.equal(cacheFolder({ XDG_CACHE_HOME: "cache" }, "/homes/ann"), "/homes/ann/.cache/ledge");
});
