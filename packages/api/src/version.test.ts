import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { apiVersion, hasVersion, isOtherVersion } from "./version.ts";

describe("versions", () => {
  test("the path prefix consists of the first two components", () => {
    assert.equal(apiVersion("1.14.12.20"), "1.14");
  });

  for (const [version, since, has] of [
    ["1.14.15.1", "1.14.15", true],
    ["1.14.15.1", "1.14.15.1", true],
    ["1.14.15.1", "1.14.15.2", false],
    ["1.14.9.124", "1.14.15", false],
    ["1.15.0.0", "1.14.15", true],
    ["2.0.0.0", "1.14.15", true],
    ["1.14.15", "1.14.15.1", false],
  ] as const) {
    test(`${version} ${has ? "includes" : "does not include"} what came with ${since}`, () => {
      assert.equal(hasVersion(version, since), has);
    });
  }

  test("recognizes another version only in a well-formed prefix", () => {
    for (const path of ["/cc/1.10/hub", "/cc/0.7", "/cc/1.141/x"])
      assert.ok(isOtherVersion(path, "1.14"), path);
    for (const path of [
      "/cc/1.14/hub",
      "/cc/1/hub",
      "/cc/1.2.3/hub",
      "/cc/a.b/hub",
      "/x/1.10/hub",
      "/cc/1.10x/y",
    ]) {
      assert.ok(!isOtherVersion(path, "1.14"), path);
    }
  });
});
