import assert from "node:assert/strict";
import { test } from "node:test";
import { Courses } from "./courses.ts";

test("a course ends when another one of its device begins, when it is ended, and with all", () => {
  const ended: string[] = [];
  const courses = new Courses();
  const [first, second, other] = ["first", "second", "other"].map((name) => ({
    cancel: () => void ended.push(name),
  }));
  assert.ok(first && second && other);
  courses.begin("a", first);
  courses.begin("b", other);
  courses.begin("a", second);
  assert.deepEqual(ended, ["first"]);
  assert.deepEqual([courses.isCurrent("a", first), courses.isCurrent("a", second)], [false, true]);
  courses.end("a");
  courses.end("a");
  assert.deepEqual(ended, ["first", "second"]);
  assert.equal(courses.get("a"), undefined);
  courses.endAll();
  assert.deepEqual(ended, ["first", "second", "other"]);
  assert.equal(courses.isCurrent("b", other), false);
});
