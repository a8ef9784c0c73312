import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventLog, MemoryLog } from "@ledge/log";
import type { Commit, LoggedEvent } from "@ledge/model";
import { temporaryFolder } from "@ledge/testkit";
import fc from "fast-check";
import { openHistoryIndex } from "./history-index.ts";
import { added, compactedTo, event, indexed, logOf, reported, scanned } from "./test-log.ts";

const value = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
  fc.boolean(),
  fc.constant(null),
  fc.string({ maxLength: 300 }),
  fc.array(fc.nat(9), { maxLength: 3 }),
);
const device = fc.constantFrom("a", "b", "a,", "phone");
const one: fc.Arbitrary<LoggedEvent> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .record({ device, attributes: fc.dictionary(fc.constantFrom("t", "u", "__proto__"), value) })
      .map(({ device: id, attributes }) => reported(id, attributes)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(event("RoomAdded", "a"), event("DeviceRenamed", "b"), event("Unknown", "b")),
  },
);
/** Steps of this many ms with some events, each repeated. */
const commit = fc.record({
  gap: fc.integer({ min: 1, max: 5e8 }),
  events: fc.array(one, { maxLength: 4 }),
  times: fc.oneof(fc.constant(1), fc.nat(300)),
});
const commits = fc.array(commit, { minLength: 1, maxLength: 25 }).map((list) => {
  let timestamp = 1_000_000;
  const first: Commit = { timestamp, events: [added("a"), added("phone", "UI_DEVICE")] };
  // Enough samples for chunks that can be pruned.
  const many = Array.from({ length: 700 }, (_, i) => ({ gap: 1000, events: [reported("a", { t: i })] }));
  const repeated = list.flatMap(({ times, ...step }) => Array.from({ length: times }, () => step));
  return [
    first,
    ...[...many, ...repeated].map(({ gap, events }): Commit => ({ timestamp: (timestamp += gap), events })),
  ];
});

/**
 * Checks that the index matches a scan of the log after what either has pruned, including the values that held
 * then.
 */
function assertSame(log: EventLog, folder: string): void {
  const index = openHistoryIndex(folder);
  try {
    assert.equal(index.verify(), undefined);
    const { samples, events } = scanned(log);
    const from = Math.max(log.horizon, index.prunedTo) + 1;
    for (const id of ["a", "b", "a,", "phone"]) {
      const attributes = [...samples.keys()]
        .filter((key) => key.startsWith(`${id} `))
        .map((key) => key.slice(id.length + 1));
      assert.deepEqual(index.attributes(id), attributes.toSorted());
      for (const attribute of attributes) {
        const all = samples.get(`${id} ${attribute}`) ?? [];
        const later = all.filter(({ timestamp }) => timestamp >= from);
        assert.deepEqual([...index.samples(id, attribute, from, log.last)], later);
        assert.deepEqual(
          index.before(id, attribute, from),
          all.findLast(({ timestamp }) => timestamp < from),
        );
        const middle = later[later.length >> 1]?.timestamp ?? from;
        const part = later.filter(({ timestamp }) => timestamp > middle);
        assert.deepEqual([...index.samples(id, attribute, middle + 1, log.last)], part);
        assert.deepEqual(
          index.before(id, attribute, middle + 1),
          all.findLast(({ timestamp }) => timestamp <= middle),
        );
      }
    }
    for (const [key, refs] of events) {
      const [kind = "", id = ""] = key.split(" ");
      assert.deepEqual([...index.objectEvents(kind, id)], refs.toReversed());
      assert.deepEqual([...index.objectEvents(kind, id, { limit: 1 })], refs.slice(-1));
      const [timestamp = 0, place = 0] = (refs.at(-1) ?? "").split("-").map(Number);
      const earlier = index.objectEvents(kind, id, { before: { timestamp, index: place } });
      assert.deepEqual([...earlier], refs.slice(0, -1).toReversed());
    }
    assert.deepEqual([...index.objectEvents("device", "nobody")], []);
  } finally {
    void index.close();
  }
}

const steps = fc.array(fc.record({ at: fc.nat(99), prune: fc.option(fc.nat(99)), isLate: fc.boolean() }), {
  maxLength: 3,
});

const saysWhatTheLogSays = fc.asyncProperty(commits, steps, async (all, runs) => {
  const folder = temporaryFolder();
  try {
    const log: MemoryLog = await logOf([]);
    let done = 0;
    for (const { at, prune, isLate } of [
      ...runs.toSorted((a, b) => a.at - b.at),
      { at: 100, prune: 90, isLate: false },
    ]) {
      const until = Math.ceil((all.length * at) / 100);
      for (const next of all.slice(done, until)) await log.append(next);
      done = Math.max(done, until);
      if (!isLate) await indexed(log, folder.path);
      if (prune !== null) await compactedTo(log, all[Math.floor((done * prune) / 100)]?.timestamp ?? 0);
      await indexed(log, folder.path);
      if (log.last > 0) assertSame(log, folder.path);
    }
  } finally {
    folder.remove();
  }
});

test("matches a scan of the log, whenever it was updated and however the log was pruned", () =>
  fc.assert(saysWhatTheLogSays, { numRuns: 25 }));

test("accepts an index whose file ends before the last page that LMDB allocated", () =>
  fc.assert(saysWhatTheLogSays, { seed: 1, path: "134", numRuns: 1 }));
