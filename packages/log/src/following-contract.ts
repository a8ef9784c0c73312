import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { type Commit, limits } from "@ledge/model";
import type { Run } from "./log-storage.ts";

/** Declares the tests of `EventLog.follow`. */
export function followingContract(run: Run): void {
  run("from a commit on: what is there, then each commit once it is durable", async (storage) => {
    const log = await storage.open();
    for (const timestamp of [10, 20, 30]) await log.append(commit(timestamp));
    const followed = log.follow(10, new AbortController().signal);
    assert.deepEqual(await next(followed), commit(20));
    await log.append(commit(40));
    assert.deepEqual([await next(followed), await next(followed)], [commit(30), commit(40)]);
    const pending = next(followed);
    await log.append(commit(50));
    assert.deepEqual(await pending, commit(50));
    await log.append(commit(60));
    assert.deepEqual(await next(followed), commit(60));
  });

  run("by several at their own pace, each commit once, in their order", async (storage) => {
    const log = await storage.open();
    const until = 300;
    const follow = async (after: number, pause: boolean): Promise<number[]> => {
      const seen: number[] = [];
      for await (const { timestamp } of log.follow(after, new AbortController().signal)) {
        seen.push(timestamp);
        if (timestamp === until) break;
        if (pause && timestamp % 50 === 0) await setImmediate();
      }
      return seen;
    };
    const readers = [follow(0, false), follow(0, true), follow(100, false)];
    for (const timestamp of span(1, until)) {
      const appended = log.append(commit(timestamp));
      if (timestamp % 7 === 0) await appended;
    }
    const [first, second, late] = await Promise.all(readers);
    assert.deepEqual([first, second, late], [span(1, until), span(1, until), span(101, until)]);
  });

  run("by one that falls behind its buffer, and reads the rest from the log", async (storage) => {
    const log = await storage.open();
    await log.append(commit(1));
    const followed = log.follow(0, new AbortController().signal);
    assert.equal((await next(followed))?.timestamp, 1);
    const each = limits.followedEvents / 2;
    for (const timestamp of [2, 3, 4, 5]) await log.append(commit(timestamp, each));
    const seen = [await next(followed), await next(followed), await next(followed), await next(followed)];
    assert.deepEqual(
      seen.map((found) => [found?.timestamp, found?.events.length]),
      [2, 3, 4, 5].map((timestamp) => [timestamp, each]),
    );
    await log.append(commit(6));
    assert.equal((await next(followed))?.timestamp, 6);
  });

  run("until the follower leaves, or the log is closed", async (storage) => {
    const log = await storage.open();
    await log.append(commit(1));
    const leaving = new AbortController();
    const [left, closed] = [log.follow(0, leaving.signal), log.follow(1, new AbortController().signal)];
    assert.equal((await next(left))?.timestamp, 1);
    const [waiting, other] = [next(left), next(closed)];
    leaving.abort();
    assert.equal(await waiting, undefined);
    assert.equal(await next(log.follow(0, leaving.signal)), undefined);
    await log.close();
    assert.equal(await other, undefined);
    assert.throws(() => log.follow(0, new AbortController().signal), { name: "LogError", code: "closed" });
  });
}

async function next(followed: AsyncIterator<Commit>): Promise<Commit | undefined> {
  return (await followed.next()).value as Commit | undefined;
}

function commit(timestamp: number, events = 1): Commit {
  const event = {
    type: "RoomNamed",
    id: "r1",
    version: 1,
    origin: "user:u1",
    depth: 0,
    name: "Attic",
  } as const;
  return { timestamp, events: Array.from({ length: events }, () => event) };
}

function span(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
