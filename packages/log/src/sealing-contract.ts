import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import type { Commit, LoggedEvent } from "@ledge/model";
import { LogError } from "./event-log.ts";
import type { Run } from "./log-storage.ts";
import type { Sealing } from "./sealing.ts";

const commitOf = (timestamp: number, id: string): Commit => ({
  timestamp,
  events: [{ type: "LampSwitched", id, version: 1, origin: "device", depth: 0 }],
});
const mirrored = (text: string): string => text.split("").toReversed().join("");
const withIds = (events: readonly LoggedEvent[]): LoggedEvent[] =>
  events.map((event) => ({ ...event, id: mirrored(event.id) }));
const mirror: Sealing = {
  seal: withIds,
  open: withIds,
  sealRow: (row) => mirrored(String(row)),
  openRow: (row) => mirrored(String(row)),
};

/** Declares the tests of sealing that every kind of event log passes. */
export function sealingContract(run: Run): void {
  run("commits, snapshots and bases on disk, and opens them on reading", async (storage) => {
    let log = await storage.open({ sealing: mirror });
    for (const timestamp of [10, 20, 30]) await log.append(commitOf(timestamp, "abc"));
    await log.saveSnapshot({ timestamp: 30, format: "rooms", rows: ["abc", "def"] });
    await log.saveBase({ timestamp: 20, format: "rooms", rows: ["ghi"] });
    const open = [10, 20, 30].map((timestamp) => commitOf(timestamp, "abc"));
    const sealed = [10, 20, 30].map((timestamp) => commitOf(timestamp, "cba"));
    const rows = (found = log.loadSnapshot("rooms")): unknown[] => [...(found?.rows ?? [])];
    assert.deepEqual([[...log.read()], [...log.readSealed()]], [open, sealed]);
    assert.deepEqual([[...log.read(10, 20)], [...log.readSealed(20)]], [[open[1]], [sealed[2]]]);
    await log.close();
    log = await storage.open({ sealing: mirror });
    assert.deepEqual([rows(), rows(log.loadBase("rooms"))], [["abc", "def"], ["ghi"]]);
    assert.deepEqual([...log.read()], open);
    await log.close();
    log = await storage.open();
    assert.deepEqual([rows(), rows(log.loadBase("rooms"))], [["cba", "fed"], ["ihg"]]);
    assert.deepEqual([...log.read()], sealed);
  });

  run("what compaction keeps, and the base that it writes", async (storage) => {
    let log = await storage.open({ sealing: mirror });
    for (const timestamp of [10, 20, 30]) {
      await log.append(commitOf(timestamp, "abc"));
      // The snapshot moves the commit into a block of its own.
      await log.saveSnapshot({ timestamp, format: "rooms", rows: [] });
    }
    const horizon = await log.boundary(20, 1, () => setImmediate());
    const base = { timestamp: horizon, format: "rooms", rows: ["abc"] };
    const keep = (timestamp: number, index: number, { id }: LoggedEvent): boolean => {
      assert.equal(id, "cba", `as stored in the log, ${timestamp}-${index}`);
      return true;
    };
    await log.compact({ horizon, keep, base, pause: () => setImmediate() });
    assert.deepEqual([...log.read(0, 10)], [commitOf(10, "abc")]);
    await log.close();
    log = await storage.open();
    assert.deepEqual([...(log.loadBase("rooms")?.rows ?? [])], ["cba"]);
    assert.deepEqual([...log.read(0, 10)], [commitOf(10, "cba")]);
  });

  run("the next commit after one that failed to seal and was not written", async (storage) => {
    let fails = true;
    const seal: Sealing["seal"] = (events) => {
      if (fails) throw new LogError("full", "no room for a key");
      return mirror.seal(events);
    };
    const log = await storage.open({ sealing: { ...mirror, seal } });
    await assert.rejects(log.append(commitOf(10, "abc")), { code: "full" });
    fails = false;
    await log.append(commitOf(20, "abc"));
    assert.deepEqual([...log.read()], [commitOf(20, "abc")]);
  });
}
