import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import fc from "fast-check";
import { globOf, type Places } from "./glob.ts";

function matches(pattern: string, path: string): boolean {
  const glob = globOf(pattern);
  return glob.accepts(glob.advance(glob.start, path));
}

test("a path stands for itself, in this case only, and no character is special but the star", () => {
  assert.ok(matches("a/b-1/c_2", "a/b-1/c_2"));
  for (const [pattern, path] of [
    ["a/b", "a/b/c"],
    ["a/b", "a"],
    ["a.c", "abc"],
    ["a+", "aa"],
    ["[a]", "a"],
    ["a?", "ab"],
    ["A", "a"],
    ["", "a"],
  ] as const)
    assert.equal(matches(pattern, path), false, `${pattern} ${path}`);
});

test("one star stays within a name, two cross names, and a star alone is all", () => {
  for (const [pattern, path, expected] of [
    ["*", "a/b/c", true],
    ["*", "", true],
    ["a/*", "a/b", true],
    ["a/*", "a/b/c", false],
    ["a/**", "a/b/c", true],
    ["**/c", "a/b/c", true],
    ["**/c", "c", false],
    ["**c", "c", true],
    ["*/*", "a/b", true],
    ["*/*", "a", false],
    ["fl*-*", "floor-1", true],
    ["fl*-*", "floor", false],
    ["a/**/d", "a/b/c/d", true],
    ["***", "a/b", true],
  ] as const)
    assert.equal(matches(pattern, path), expected, `${pattern} ${path}`);
});

test("matches what a search of all ways finds", () => {
  const text = fc.array(fc.constantFrom("a", "b", "/"), { maxLength: 7 }).map((parts) => parts.join(""));
  const pattern = fc
    .array(fc.constantFrom("a", "b", "/", "*", "**"), { maxLength: 6 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(pattern, text, (glob, path) => assert.equal(matches(glob, path), isFound(glob, path))),
    {
      numRuns: 300,
    },
  );
});

/** Tries all ways, which takes exponential time. */
function isFound(pattern: string, path: string): boolean {
  if (pattern === "*") return true;
  if (pattern === "") return path === "";
  if (pattern.startsWith("*")) {
    const stars = /^\*+/.exec(pattern)?.[0].length ?? 0;
    for (let taken = 0; taken <= path.length; taken++) {
      if (stars === 1 && path.slice(0, taken).includes("/")) return false;
      const rest = pattern.slice(stars);
      if (rest === "" ? taken === path.length : isFound(rest, path.slice(taken))) return true;
    }
    return false;
  }
  const rest = pattern.slice(1);
  return (
    path.startsWith(pattern.charAt(0)) &&
    (rest === "*" ? !path.slice(1).includes("/") : isFound(rest, path.slice(1)))
  );
}

test("a hostile pattern is never at more places than it is long, each once", () => {
  const pattern = "*a".repeat(limits.siteGlobChars / 2);
  const glob = globOf(pattern);
  let places: Places = glob.start;
  for (let count = 0; count < limits.sitePathChars; count++) {
    places = glob.advance(places, "a");
    assert.ok(places.length <= pattern.length + 1);
    assert.equal(new Set(places).size, places.length);
  }
  assert.equal(glob.accepts(glob.advance(places, "b")), false);
});
