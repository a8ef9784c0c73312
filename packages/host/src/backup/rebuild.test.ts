import assert from "node:assert/strict";
import { test } from "node:test";
import { openLmdbLog } from "@ledge/log";
import type { Commit } from "@ledge/model";
import { logFolder } from "../folder.ts";
import { writeLog } from "./rebuild.ts";
import { temporaryFolder } from "@ledge/testkit";

const commitAt = (timestamp: number): Commit => ({
  timestamp,
  events: [{ type: "Noted", id: "x", version: 1, origin: "system", depth: 0 }],
  indexes: [timestamp % 3],
});

for (const [what, times, horizon] of [
  ["between two commits", [10, 20, 40], 25],
  ["at a commit", [10, 20, 40], 20],
  ["before the first", [10, 20], 5],
  ["behind the last", [10, 20], 30],
  ["of a log that was never compacted", [10, 20], 0],
] as const) {
  test(`writeLog keeps the horizon ${what}, and the index of every event`, async (context) => {
    const root = temporaryFolder();
    context.after(() => root.remove());
    await writeLog(root.path, times.map(commitAt), () => horizon);
    const log = await openLmdbLog({ folder: logFolder(root.path) });
    assert.deepEqual([log.horizon, log.verify().damage], [horizon, []]);
    const places = [...log.read()].map(({ timestamp, indexes = [0] }) => [timestamp, indexes[0]]);
    assert.deepEqual(
      places,
      times.map((timestamp) => [timestamp, timestamp % 3]),
    );
    await log.append(commitAt(50));
    assert.deepEqual(log.verify().damage, []);
    await log.close();
  });
}
