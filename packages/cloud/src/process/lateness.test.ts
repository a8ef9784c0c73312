import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { Lateness } from "./lateness.ts";

test("tells how late a process is, while it is and until it has looked again", () => {
  let now = 0;
  let due: (() => void) | undefined;
  const lateness = new Lateness({
    monotonic: () => now,
    after: (_ms, callback) => {
      due = callback;
      return () => (due = undefined);
    },
  });
  now += limits.latenessLookMs;
  assert.equal(lateness.ms, 0);
  now += 700;
  assert.equal(lateness.ms, 700, "a look is overdue");
  due?.();
  now += limits.latenessLookMs;
  assert.equal(lateness.ms, 700);
  due?.();
  assert.equal(lateness.ms, 0);
  lateness.stop();
  assert.equal(due, undefined);
});
