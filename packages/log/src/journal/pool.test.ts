import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { close, closeSync, open, openSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { openLmdbLog } from "../lmdb-log.ts";
import { commitOf, folderOf, span, timestampsOf } from "./testdata.ts";

/** More jobs than libuv has threads, as password hashes or a slow disk may cause. */
const jobs = Math.max(8, 2 * Number(process.env["UV_THREADPOOL_SIZE"] ?? 4));

test("acknowledges commits while every thread of libuv's pool is busy", async (context) => {
  const folder = folderOf(context);
  const log = await openLmdbLog({ folder });
  // The first commit ensures that the journal's own thread has started.
  await log.append(commitOf(1));

  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  let done = 0;
  // Each blocks a thread until the other end of the pipe is opened.
  const held = Array.from({ length: jobs }, async () => {
    const descriptor = await promisify(open)(pipe, "r");
    done += 1;
    await promisify(close)(descriptor);
  });
  const appends = Promise.all(span(2, 30).map((timestamp) => log.append(commitOf(timestamp))));
  const isInTime = await Promise.race([appends.then(() => true), setTimeout(60_000, false, { ref: false })]);
  assert.equal(done, 0, "the pool was busy all the while");
  // A pipe opened for reading and writing does not block, and also releases jobs that start later.
  const other = openSync(pipe, "r+");
  await Promise.all([...held, appends]);
  closeSync(other);

  assert.equal(isInTime, true);
  assert.deepEqual([done, timestampsOf(log)], [jobs, span(1, 30)]);
  await log.close();
});
