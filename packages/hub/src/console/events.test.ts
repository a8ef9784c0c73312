import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryLog } from "@ledge/log";
import type { Cause, LoggedEvent } from "@ledge/model";
import { causesOf, eventAt, eventsAfter } from "./events.ts";

const noted = (id: string, cause?: Cause): LoggedEvent => ({
  type: "Noted",
  id,
  version: 1,
  origin: "system",
  depth: 0,
  ...(cause && { cause }),
});

test("finds events by their original index even when events beside them were pruned", async () => {
  const log = memoryLog();
  await log.append({ timestamp: 10, events: [noted("a"), noted("b", "10-2")], indexes: [2, 5] });
  await log.append({ timestamp: 20, events: [noted("c", "10-5")] });
  const refs = (after: { timestamp: number; index: number }, count = 9): string[] =>
    eventsAfter({ log }, after, count).map(({ ref, event }) => `${ref} ${event.id}`);
  assert.deepEqual(refs({ timestamp: 0, index: 0 }), ["10-2 a", "10-5 b", "20-0 c"]);
  assert.deepEqual(refs({ timestamp: 10, index: 2 }), ["10-5 b", "20-0 c"]);
  assert.deepEqual(refs({ timestamp: 10, index: 4 }, 1), ["10-5 b"]);
  assert.equal(eventAt({ log }, "10-0"), undefined);
  const found = eventAt({ log }, "20-0") ?? assert.fail();
  assert.deepEqual(
    causesOf({ log }, found).map(({ event }) => event.id),
    ["b", "a"],
  );
});
