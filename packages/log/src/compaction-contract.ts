import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import type { Commit, LoggedEvent } from "@ledge/model";
import type { Compacted, CompactOptions, EventLog, Snapshot } from "./event-log.ts";
import type { Run } from "./log-storage.ts";

const everything = Number.MAX_SAFE_INTEGER;
const baseOf = (
  timestamp: number,
  format = "rooms",
  rows: readonly unknown[] = [{ timestamp }],
): Snapshot => ({
  timestamp,
  format,
  rows,
});

function commitAt(timestamp: number, text = ""): Commit {
  const events = [0, 1, 2].map((index): LoggedEvent => {
    const fields = { id: `${timestamp}-${index}`, text };
    return { type: "Noted", version: 1, origin: "device", depth: 0, ...fields };
  });
  return { timestamp, events };
}

/** Returns what is left of a commit: an array of none or one. */
function leftOf({ timestamp, events }: Commit, keep: CompactOptions["keep"]): Commit[] {
  const indexes = events.flatMap((event, index) => (keep(timestamp, index, event) ? [index] : []));
  if (indexes.length === 0) return [];
  const left = indexes.map((index) => events[index] as LoggedEvent);
  const isWhole = indexes.every((index, place) => index === place);
  return [{ timestamp, events: left, ...(!isWhole && { indexes }) }];
}

const someStay: CompactOptions["keep"] = (timestamp, index) => (timestamp + index) % 4 === 0;
const allStay = (): boolean => true;
const noneStays = (): boolean => false;

/** Appends each group of commits as a stored block of its own. */
async function fill(log: EventLog, ...groups: readonly (readonly number[])[]): Promise<void> {
  for (const group of groups) {
    await Promise.all(group.map((timestamp) => log.append(commitAt(timestamp))));
    await log.saveSnapshot(baseOf(log.last, "any"));
  }
}

async function compact(
  log: EventLog,
  horizon: number,
  keep: CompactOptions["keep"],
  pause: () => Promise<void> = setImmediate,
): Promise<Compacted> {
  return log.compact({ horizon, keep, base: baseOf(horizon), pause });
}

/** Declares the tests of bases that every kind of event log passes. */
export function basesContract(run: Run): void {
  const loaded = (log: EventLog, until?: number, format = "rooms"): unknown => {
    const base = log.loadBase(format, until);
    return base && { ...base, rows: [...base.rows] };
  };

  run(
    "of several timestamps, and finds the newest at or before one, also after restarts",
    async (storage) => {
      let log = await storage.open();
      await fill(log, [10, 20], [30]);
      assert.deepEqual([log.bases(), loaded(log)], [[], undefined]);
      const rows = Array.from({ length: 2000 }, (_, id) => ({ id, text: "x".repeat(200) }));
      for (const timestamp of [20, 10, 30])
        await log.saveBase(baseOf(timestamp, "rooms", [...rows, timestamp]));
      await log.close();
      log = await storage.open();
      assert.deepEqual(
        log.bases().map(({ timestamp, format }) => [timestamp, format]),
        [
          [10, "rooms"],
          [20, "rooms"],
          [30, "rooms"],
        ],
      );
      assert.ok(log.bases().every(({ bytes }) => bytes > 400_000));
      for (const [until, found] of [[9], [10, 10], [29, 20], [30, 30], [undefined, 30]] as const) {
        const base = found === undefined ? undefined : baseOf(found, "rooms", [...rows, found]);
        assert.deepEqual(loaded(log, until), base, `until ${until}`);
      }
    },
  );

  run("of the newest format only", async (storage) => {
    const log = await storage.open();
    await fill(log, [10, 20]);
    await log.saveBase(baseOf(10, "old"));
    await log.saveBase(baseOf(20, "old"));
    await log.saveBase(baseOf(20, "new"));
    assert.deepEqual(
      [loaded(log, everything, "old"), loaded(log, everything, "new")],
      [undefined, baseOf(20, "new")],
    );
    assert.equal(log.bases().length, 1);
  });

  run("of commits that the log holds, and none ahead of the log", async (storage) => {
    const log = await storage.open();
    await fill(log, [10], [20]);
    await assert.rejects(log.saveBase(baseOf(21)), { code: "order" });
    await log.saveBase(baseOf(15));
    assert.equal(loaded(log), undefined);
    await assert.rejects(log.saveBase(baseOf(20, "rooms", [undefined])), TypeError);
    await log.append(commitAt(30));
  });

  run("whole: an older base replaces a damaged one", async (storage) => {
    for (const part of ["base/0000000000000020/0", "bases/0000000000000020"]) {
      const log = await storage.open();
      if (log.last === 0) await fill(log, [10, 20]);
      await log.saveBase(baseOf(10));
      await log.saveBase(baseOf(20, "rooms", [{ text: "x".repeat(100) }]));
      await log.close();
      await storage.damageSnapshot(part);
      const damaged = await storage.open();
      assert.deepEqual(loaded(damaged), baseOf(10));
      await damaged.close();
    }
  });
}

const groups = [[1, 2, 3], [4, 5], [6, 7, 8, 9], [10]];
const all = groups.flat().map((timestamp) => commitAt(timestamp));

/** The commits to read when `all` was compacted up to a horizon. */
function expected(horizon: number, keep: CompactOptions["keep"] = someStay): Commit[] {
  return all.flatMap((commit) => (commit.timestamp > horizon ? [commit] : leftOf(commit, keep)));
}

/** Declares the tests of what compaction keeps, which every kind of event log passes. */
export function compactionContract(run: Run): void {
  run("at the ends of stored blocks, and never the newest", async (storage) => {
    const log = await storage.open();
    assert.equal(await log.boundary(everything, everything, setImmediate), 0);
    await fill(log, ...groups);
    const boundary = (until: number, bytes = everything): Promise<number> =>
      log.boundary(until, bytes, setImmediate);
    const found = [await boundary(2), await boundary(3), await boundary(8), await boundary(everything)];
    assert.deepEqual(found, [0, 3, 5, 9]);
    assert.deepEqual([await boundary(everything, 1), await boundary(2, 1)], [3, 0]);
    const { frameBytes } = log.stats();
    assert.equal(await boundary(everything, Math.floor((frameBytes * 6) / 10)), 5);
    await compact(log, 3, someStay);
    assert.deepEqual([await boundary(4), await boundary(everything, 1)], [3, 5]);
  });

  run("by removing events; the rest keep their indexes, also after restarts", async (storage) => {
    let log = await storage.open();
    await fill(log, ...groups);
    assert.equal(log.horizon, 0);
    assert.deepEqual(await compact(log, 5, someStay), { removedCommits: 2, removedEvents: 12 });
    for (const turn of ["at once", "after a restart"]) {
      assert.deepEqual([log.horizon, log.last], [5, 10], turn);
      assert.deepEqual([...log.read()], expected(5), turn);
      assert.deepEqual(log.verify().damage, [], turn);
      await log.close();
      log = await storage.open();
    }
    await log.append(commitAt(11));
    const keep: CompactOptions["keep"] = (timestamp, ...rest) =>
      timestamp !== 4 && someStay(timestamp, ...rest);
    assert.deepEqual(await compact(log, 9, keep), { removedCommits: 2, removedEvents: 10 });
    assert.deepEqual([...log.read()], [...expected(9, keep), commitAt(11)]);
    assert.deepEqual(log.verify().damage, []);
    assert.deepEqual(
      log.bases().map(({ timestamp }) => timestamp),
      [9],
    );
  });

  run("so that reads between any bounds still work", async (storage) => {
    const log = await storage.open();
    await fill(log, ...groups);
    await compact(log, 9, someStay);
    for (let after = 0; after <= 10; after++) {
      for (let until = after; until <= 11; until++) {
        const found = [...log.read(after, until)];
        const wanted = expected(9).filter(({ timestamp }) => timestamp > after && timestamp <= until);
        assert.deepEqual(found, wanted, `${after} to ${until}`);
      }
    }
  });

  run("down to everything or nothing, as `keep` decides", async (storage) => {
    const log = await storage.open();
    await fill(log, ...groups);
    assert.deepEqual(await compact(log, 3, allStay), { removedCommits: 0, removedEvents: 0 });
    assert.deepEqual([[...log.read()], log.horizon], [all, 3]);
    assert.deepEqual(await compact(log, 9, noneStays), { removedCommits: 9, removedEvents: 27 });
    assert.deepEqual([[...log.read()], log.horizon], [[commitAt(10)], 9]);
    assert.deepEqual(log.verify(), { commits: 1, events: 3, first: 10, last: 10, damage: [] });
    await log.append(commitAt(11));
    await fill(log, [12]);
    await compact(log, 10, someStay);
    assert.deepEqual(
      [...log.read()].map(({ timestamp }) => timestamp),
      [10, 11, 12],
    );
    assert.deepEqual(log.verify().damage, []);
  });
}

/** Declares the tests of when compaction is possible, which every kind of event log passes. */
export function compactingContract(run: Run): void {
  run("only at a boundary, and changes nothing when the pause rejects", async (storage) => {
    const log = await storage.open();
    await fill(log, ...groups);
    for (const horizon of [10, 11]) await assert.rejects(compact(log, horizon, someStay), { code: "order" });
    await assert.rejects(compact(log, 4, someStay), /no block ends at 4/);
    await assert.rejects(log.compact({ horizon: 5, keep: someStay, base: baseOf(4), pause: setImmediate }), {
      code: "order",
    });
    const givingUp = async (): Promise<void> => {
      throw new Error("given up");
    };
    await fill(log, [11], [12]);
    await log.append(commitAt(13, "x".repeat(100_000)));
    await fill(log, [14]);
    await assert.rejects(compact(log, 13, someStay, givingUp), /given up/);
    assert.deepEqual([log.horizon, [...log.read(0, 10)]], [0, all]);
    await compact(log, 5, someStay);
    await assert.rejects(compact(log, 3, someStay), { code: "order" });
  });

  run("away snapshots and bases below the horizon", async (storage) => {
    const log = await storage.open();
    await fill(log, ...groups);
    for (const timestamp of [3, 5, 10]) await log.saveBase(baseOf(timestamp));
    await log.saveSnapshot(baseOf(4));
    await compact(log, 5, someStay);
    assert.equal(log.loadSnapshot("rooms"), undefined);
    assert.deepEqual(
      log.bases().map(({ timestamp }) => timestamp),
      [5, 10],
    );
    assert.equal(log.loadBase("rooms", 4), undefined);
    assert.equal(log.loadBase("rooms", 9)?.timestamp, 5);
    await assert.rejects(log.saveBase(baseOf(4)), { code: "order" });
    await assert.rejects(log.saveSnapshot(baseOf(4)), { code: "order" });
    await log.saveSnapshot(baseOf(5));
    assert.equal(log.loadSnapshot("rooms")?.timestamp, 5);
  });
}

/** Declares the tests of compaction during other work, which every kind of event log passes. */
export function concurrencyContract(run: Run): void {
  run("in slices, while appends, snapshots and reads go on", async (storage) => {
    const log = await storage.open();
    const texts = Array.from({ length: 60 }, (_, i) => commitAt(i + 1, "x".repeat(10_000)));
    for (const commit of texts) await log.append(commit);
    await fill(log, [61]);
    const early = log.read();
    const seen = [early.next().value as Commit];
    const appended: Promise<void>[] = [];
    let pauses = 0;
    const horizon = await log.boundary(50, everything, setImmediate);
    assert.ok(horizon > 40, `${horizon}`);
    await compact(log, horizon, noneStays, async () => {
      pauses += 1;
      appended.push(log.append(commitAt(100 + pauses)));
      if (pauses === 3) appended.push(log.saveSnapshot(baseOf(log.last)));
      await setImmediate();
      assert.equal(log.horizon, 0);
      assert.equal([...log.read(0, 61)].length, 61, "a reader sees the old log until compaction is done");
    });
    await Promise.all(appended);
    // A commit takes 30 KB, so one turn handles two.
    assert.ok(pauses >= Math.floor(horizon / 2), `${pauses} pauses for ${horizon} commits`);
    for (const commit of early) seen.push(commit);
    const behind = seen.filter(({ timestamp }) => timestamp > horizon).map(({ timestamp }) => timestamp);
    assert.deepEqual(
      behind,
      Array.from({ length: 61 - horizon }, (_, i) => horizon + 1 + i),
    );
    const now = [...log.read()].map(({ timestamp }) => timestamp);
    assert.deepEqual(now, [...behind, ...Array.from({ length: pauses }, (_, i) => 101 + i)]);
    assert.deepEqual(log.verify().damage, []);
  });

  run("to free room that is used again", async (storage) => {
    const log = await storage.open();
    for (let i = 1; i <= 60; i++) await log.append(commitAt(i, "x".repeat(10_000)));
    await fill(log, [61]);
    const { usedBytes } = log.stats();
    assert.ok(usedBytes > 60 * 30_000, `${usedBytes}`);
    await compact(log, await log.boundary(61, everything, setImmediate), noneStays);
    assert.ok(log.stats().usedBytes < usedBytes / 4, `${log.stats().usedBytes} of ${usedBytes}`);
  });
}
