import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { type Commit, limits, type LoggedEvent, type Upcasters } from "@ledge/model";
import {
  basesContract,
  compactingContract,
  compactionContract,
  concurrencyContract,
} from "./compaction-contract.ts";
import type { EventLog, LogErrorCode } from "./event-log.ts";
import { encodeFrame, noHash } from "./frame.ts";
import { followingContract } from "./following-contract.ts";
import type { LogStorage, Run } from "./log-storage.ts";
import { sealingContract } from "./sealing-contract.ts";

/** Declares the tests that every kind of event log passes. */
export function logContract(name: string, create: () => LogStorage): void {
  const run: Run = (what, test) => {
    it(what, async () => {
      const storage = create();
      try {
        await test(storage);
      } finally {
        await storage.remove();
      }
    });
  };
  describe(`${name} appends`, () => appending(run));
  describe(`${name} refuses`, () => refusing(run));
  describe(`${name} reads`, () => {
    reading(run);
    choosing(run);
  });
  describe(`${name} is followed`, () => followingContract(run));
  describe(`${name} keeps snapshots`, () => snapshots(run));
  describe(`${name} keeps bases`, () => basesContract(run));
  describe(`${name} compacts`, () => {
    compactionContract(run);
    compactingContract(run);
    concurrencyContract(run);
  });
  describe(`${name} seals`, () => sealingContract(run));
  describe(`${name} ends`, () => ending(run));
}

function appending(run: Run): void {
  run("nothing at first", async (storage) => {
    const log = await storage.open();
    assert.deepEqual([log.last, timestamps(log)], [0, []]);
    assert.deepEqual(log.verify(), { commits: 0, events: 0, first: 0, last: 0, damage: [] });
  });

  run("commits that are still there after a restart", async (storage) => {
    const first = await storage.open();
    for (const timestamp of [10, 20, 30]) await first.append(commit(timestamp));
    assert.equal(first.last, 30);
    assert.deepEqual([...first.read()], [commit(10), commit(20), commit(30)]);
    await first.close();

    const second = await storage.open();
    assert.equal(second.last, 30);
    await second.append(commit(40));
    assert.deepEqual([...second.read()], [commit(10), commit(20), commit(30), commit(40)]);
    assert.deepEqual(second.verify(), { commits: 4, events: 4, first: 10, last: 40, damage: [] });
  });

  run("any text, any depth of JSON, and a commit without events", async (storage) => {
    const log = await storage.open();
    const text = 'Küche \u{1F4A1} 日本 \u0000 \ud800 " \\ \u2028';
    const events = [{ ...commit(1).events[0], text, list: [[], {}, null, 1e300, -0.5, { [text]: true }] }];
    await log.append({ timestamp: 1, events: events as unknown as LoggedEvent[] });
    await log.append({ timestamp: 2, events: [] });
    assert.deepEqual(
      [...log.read()],
      [
        { timestamp: 1, events },
        { timestamp: 2, events: [] },
      ],
    );
  });

  run("commits that have lost events, with the indexes of the remaining ones", async (storage) => {
    const log = await storage.open();
    const [event] = commit(1).events as [LoggedEvent];
    const partial = { timestamp: 1, events: [event, event], indexes: [3, 9] };
    await log.append(partial);
    await rejects(log.append({ ...partial, timestamp: 2, indexes: [3, 3] }), TypeError);
    await log.append(commit(2));
    assert.deepEqual([...log.read()], [partial, commit(2)]);
    assert.deepEqual(log.verify(), { commits: 2, events: 3, first: 1, last: 2, damage: [] });
  });

  run("overlapping calls in call order", async (storage) => {
    const log = await storage.open();
    const done: number[] = [];
    const all = span(1, 200).map((timestamp) =>
      log.append(commit(timestamp)).then(() => {
        assert.ok(log.last >= timestamp, "acknowledged commits are readable");
        return done.push(timestamp);
      }),
    );
    await Promise.all(all);
    assert.deepEqual(done, span(1, 200));
    assert.deepEqual(timestamps(log), span(1, 200));
  });

  run("10,000 commits, one by one and together, and counts them", async (storage) => {
    const log = await storage.open();
    for (const timestamp of span(1, 200)) await log.append(commit(timestamp));
    await Promise.all(span(201, 10_000).map((timestamp) => log.append(commit(timestamp))));
    assert.deepEqual(timestamps(log), span(1, 10_000));
    assert.deepEqual(log.verify(), { commits: 10_000, events: 10_000, first: 1, last: 10_000, damage: [] });
    const { commits, events, frameBytes, fileBytes } = log.stats();
    assert.deepEqual([commits, events], [10_000, 10_000]);
    assert.ok(frameBytes > 10_000 * 48 && fileBytes >= frameBytes, `${frameBytes} of ${fileBytes}`);
  });
}

function refusing(run: Run): void {
  run("a timestamp that is not above all earlier ones, on disk or in flight", async (storage) => {
    const log = await storage.open();
    await log.append(commit(10));
    const onTheWay = log.append(commit(20));
    await rejects(log.append(commit(20)), "order");
    await rejects(log.append(commit(10)), "order");
    await onTheWay;
    assert.deepEqual(timestamps(log), [10, 20]);
    await log.append(commit(21));
    await log.close();
    const again = await storage.open();
    await rejects(again.append(commit(21)), "order");
    await again.append(commit(22));
    assert.deepEqual(again.verify().damage, []);
  });

  run("a commit one byte over the limit, and accepts one at the limit", async (storage) => {
    const log = await storage.open();
    const room = limits.commitBytes - encodeFrame(commit(10, ""), 1, noHash).length;
    await rejects(log.append(commit(10, "x".repeat(room + 1))), "too-large");
    assert.equal(log.last, 0);
    const largest = commit(10, "x".repeat(room));
    await log.append(largest);
    await log.append(commit(11));
    assert.deepEqual([...log.read()], [largest, commit(11)]);
  });

  run("everything once closed", async (storage) => {
    const log = await storage.open();
    await log.append(commit(10));
    const commits = log.read();
    await log.close();
    await rejects(log.append(commit(20)), "closed");
    await rejects(log.saveSnapshot({ timestamp: 10, format: "rooms", rows: [] }), "closed");
    for (const use of [
      () => log.read(),
      () => log.verify(),
      () => log.loadSnapshot("x"),
      () => commits.next(),
    ]) {
      assert.throws(use, { name: "LogError", code: "closed" });
    }
    assert.equal(log.last, 10);
  });
}

function reading(run: Run): void {
  run("after one bound and up to the other", async (storage) => {
    const log = await storage.open();
    for (const group of [[10], [20, 30, 40], [50]]) {
      await Promise.all(group.map((timestamp) => log.append(commit(timestamp))));
    }
    const bounds: readonly (readonly [number, number, number[]])[] = [
      [0, 50, [10, 20, 30, 40, 50]],
      [10, 40, [20, 30, 40]],
      [9, 10, [10]],
      [20, 39, [30]],
      [25, 100, [30, 40, 50]],
      [40, 45, []],
      [50, 60, []],
      [30, 30, []],
      [40, 20, []],
      [5, 7, []],
    ];
    for (const [after, until, expected] of bounds) {
      assert.deepEqual(timestamps(log, after, until), expected, `${after} to ${until}`);
    }
    assert.deepEqual(timestamps(log, 40), [50]);
  });

  run("what was durable when it began, while more arrives", async (storage) => {
    const log = await storage.open();
    for (const timestamp of span(1, 50)) await log.append(commit(timestamp));
    const onTheWay = log.append(commit(51));
    const seen: number[] = [];
    const commits = log.read();
    await Promise.all(span(52, 100).map((timestamp) => log.append(commit(timestamp))));
    for (const { timestamp } of commits) {
      seen.push(timestamp);
      await log.append(commit(1000 + timestamp));
      await setImmediate();
    }
    assert.deepEqual(seen, span(1, 50));
    await onTheWay;
    assert.deepEqual(timestamps(log), [...span(1, 100), ...span(1001, 1050)]);
  });

  run("several times at once, and stops when the reader stops", async (storage) => {
    const log = await storage.open();
    await Promise.all(span(1, 20).map((timestamp) => log.append(commit(timestamp))));
    const [one, other] = [log.read(), log.read(10)];
    assert.deepEqual([one.next().value, other.next().value], [commit(1), commit(11)]);
    for (const { timestamp } of log.read()) if (timestamp === 3) break;
    assert.deepEqual([one.next().value, other.next().value], [commit(2), commit(12)]);
  });

  run("events of older versions as upcast ones", async (storage) => {
    const first = await storage.open();
    await first.append(commit(10));
    await first.close();
    const upcasters: Upcasters = {
      "RoomNamed@1": (event) => ({ ...event, version: 2, second: true }),
      "RoomNamed@2": (event) => ({ ...event, version: 3, third: true }),
    };
    const second = await storage.open({ upcasters });
    const [read] = [...second.read()];
    assert.deepEqual(read?.events, [{ ...commit(10).events[0], version: 3, second: true, third: true }]);
    assert.deepEqual(second.verify().damage, []);
  });
}

function choosing(run: Run): void {
  run("the wanted commits, and parses no other", async (storage) => {
    const log = await storage.open();
    for (const timestamp of [10, 20, 30, 40]) await log.append(commit(timestamp));
    const seen: unknown[] = [];
    const found = log.read(10, 30, (bytes, start, end, count) => {
      seen.push([bytes.toString("utf8", start, end), count]);
      return seen.length === 2;
    });
    assert.deepEqual([...found], [commit(30)]);
    assert.deepEqual(
      seen,
      [20, 30].map((timestamp) => [JSON.stringify(commit(timestamp).events), 1]),
    );
  });
}

function snapshots(run: Run): void {
  const rows = (count: number, mark: string): unknown[] =>
    span(1, count).map((id) => ({ id, mark, text: `\u{1F4A1}${"x".repeat(200)}` }));
  const taken = (log: EventLog, format = "rooms"): unknown => {
    const snapshot = log.loadSnapshot(format);
    return snapshot && { ...snapshot, rows: [...snapshot.rows] };
  };
  const save = (log: EventLog, timestamp: number, count: number, mark: string): Promise<void> =>
    log.saveSnapshot({ timestamp, format: "rooms", rows: rows(count, mark) });

  run("of any size, the newest one, over restarts", async (storage) => {
    let log = await storage.open();
    assert.equal(log.loadSnapshot("rooms"), undefined);
    await log.append(commit(10));
    for (const [turn, count] of [2000, 0, 1, 3000].entries()) {
      await save(log, 10, count, `turn ${turn}`);
      await log.close();
      log = await storage.open();
      const expected = { timestamp: 10, format: "rooms", rows: rows(count, `turn ${turn}`) };
      assert.deepEqual(taken(log), expected);
    }
    assert.equal(log.loadSnapshot("another"), undefined);
    assert.deepEqual(log.verify().damage, []);
  });

  run("of another format until two more are saved", async (storage) => {
    const log = await storage.open();
    await log.append(commit(10));
    await log.saveSnapshot({ timestamp: 10, format: "old", rows: [1] });
    await save(log, 10, 3, "new");
    assert.deepEqual(taken(log, "old"), { timestamp: 10, format: "old", rows: [1] });
    await save(log, 10, 4, "newer");
    assert.equal(taken(log, "old"), undefined);
  });

  run("not ahead of the log, and refuses a row that is not JSON", async (storage) => {
    const log = await storage.open();
    await log.append(commit(10));
    await rejects(save(log, 11, 1, "ahead"), "order");
    await save(log, 10, 5, "good");
    await assert.rejects(log.saveSnapshot({ timestamp: 10, format: "rooms", rows: [undefined] }), TypeError);
    assert.deepEqual(taken(log), { timestamp: 10, format: "rooms", rows: rows(5, "good") });
    await log.append(commit(20));
  });

  run("whole: uses the older one when the newest is damaged, none when both are", async (storage) => {
    for (const part of ["1", "header"]) {
      const log = await storage.open();
      const timestamp = log.last + 1;
      await log.append(commit(timestamp));
      await save(log, timestamp, 1000, "older");
      await save(log, timestamp, 1000, "newer");
      await log.close();
      await storage.damageSnapshot(`b/${part}`);
      const older = await storage.open();
      assert.deepEqual(taken(older), { timestamp, format: "rooms", rows: rows(1000, "older") });
      await older.close();
      await storage.damageSnapshot(`a/${part}`);
      const none = await storage.open();
      assert.equal(taken(none), undefined);
      await none.close();
    }
  });

  run("in order when several are saved at the same time, during appends", async (storage) => {
    const log = await storage.open();
    await log.append(commit(10));
    const saves = [save(log, 10, 2000, "first"), save(log, 10, 1500, "second")];
    await Promise.all([...saves, ...span(20, 120).map((timestamp) => log.append(commit(timestamp)))]);
    assert.deepEqual(taken(log), { timestamp: 10, format: "rooms", rows: rows(1500, "second") });
    assert.equal(timestamps(log).length, 102);
  });
}

function ending(run: Run): void {
  run("after what is in flight, and only once", async (storage) => {
    const log = await storage.open();
    const appends = span(1, 20).map((timestamp) => log.append(commit(timestamp)));
    const closed = log.close();
    assert.equal(log.close(), closed);
    await closed;
    await Promise.all(appends);
    await log.close();
    assert.deepEqual(timestamps(await storage.open()), span(1, 20));
  });
}

function commit(timestamp: number, name = `at ${timestamp}`): Commit {
  const event = { type: "RoomNamed", id: "r1", version: 1, origin: "user:u1", depth: 0, name } as const;
  return { timestamp, events: [event] };
}

function timestamps(log: EventLog, after?: number, until?: number): number[] {
  return [...log.read(after, until)].map(({ timestamp }) => timestamp);
}

function span(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

function rejects(promise: Promise<unknown>, how: LogErrorCode | typeof TypeError): Promise<void> {
  return assert.rejects(promise, typeof how === "string" ? { name: "LogError", code: how } : how);
}
