// Tests logs that hold so many permanent events that the quota cannot be met.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { MemoryLog } from "@ledge/log";
import { limits, type LoggedEvent } from "@ledge/model";
import { addLamp, openTestKernel, type TestKernel } from "@ledge/testkit";

const mebibyte = 1_048_576;
const hour = 3_600_000;
const perCommit = 100;

/** A room and a lamp, which the events of a log are about. */
interface Things {
  readonly room: string;
  readonly lamp: string;
}

/** Appends renames of a room. `reports` of each hundred events are reports of a lamp instead. */
async function lengthen(
  log: MemoryLog,
  bytes: number,
  reports: number,
  { room, lamp }: Things,
): Promise<void> {
  const shared = { version: 1, origin: "system", depth: 0 } as const;
  const before = log.stats().frameBytes;
  for (let round = 0; log.stats().frameBytes - before < bytes; round++) {
    const events = Array.from({ length: perCommit }, (_, at): LoggedEvent => {
      const name = `${round} ${at}`.padEnd(2000, "x");
      const renamed = { ...shared, type: "RoomRenamed", id: room, name };
      const attributes = { isOn: at % 2 === 0 };
      const reported = { ...shared, type: "DeviceReported", id: lamp, attributes, at };
      return at % 100 < reports ? reported : renamed;
    });
    await log.append({ timestamp: log.last + 1, events });
  }
}

async function renamedLog(bytes: number, reports: number): Promise<{ log: MemoryLog; things: Things }> {
  const home = openTestKernel();
  const things = {
    room: await home.accept({ type: "CMD_ROOM", name: "Hall" }),
    lamp: await home.accept(addLamp()),
  };
  const log = home.log.clone();
  await home.kernel.close();
  await lengthen(log, bytes, reports, things);
  return { log, things };
}

interface Watched extends TestKernel {
  /** How often the log was compacted. */
  readonly compactions: () => number;
  /** The reported states of the quota. */
  readonly told: readonly boolean[];
}

function open(log: MemoryLog, logBytes: number): Watched {
  const told: boolean[] = [];
  let compactions = 0;
  const compact = log.compact.bind(log);
  log.compact = (options) => {
    compactions += 1;
    return compact(options);
  };
  const onDamaged = (problem: string): void => assert.fail(problem);
  const onQuota = (isExceeded: boolean): void => void told.push(isExceeded);
  const retention = { telemetryMs: 1e12, logBytes, onNote: () => {}, onDamaged, onQuota };
  return { ...openTestKernel({ log, retention }), compactions: () => compactions, told };
}

async function elapse({ clock }: Watched, ms: number): Promise<void> {
  const { waiting } = clock;
  clock.advance(ms);
  while (clock.waiting < waiting) await setImmediate();
}

test("reports a quota exceeded by permanent events at once, and does not compact for it", async () => {
  const { log } = await renamedLog(20 * mebibyte, 0);
  const home = open(log, 8 * mebibyte);
  assert.deepEqual([home.kernel.health.quotaExceeded, home.kernel.retention.quotaExceeded], [true, true]);
  for (let look = 0; look < 3; look++) await elapse(home, limits.retentionCheckMs);
  await elapse(home, 30 * hour);
  assert.deepEqual([home.compactions(), home.told], [0, [true]]);
  const again = open(home.log.clone(), 8 * mebibyte);
  await elapse(again, limits.retentionCheckMs);
  assert.deepEqual([again.compactions(), again.told, again.kernel.health.quotaExceeded], [0, [true], true]);
  const roomy = open(home.log.clone(), 64 * mebibyte);
  await elapse(roomy, limits.retentionCheckMs);
  assert.deepEqual([roomy.told, roomy.kernel.health.quotaExceeded], [[false], false]);
});

test("compacts sparse telemetry less and less often, or when the log has grown", async () => {
  const { log, things } = await renamedLog(20 * mebibyte, 4);
  const home = open(log, 8 * mebibyte);
  const look = (): Promise<void> => elapse(home, limits.retentionCheckMs);
  await look();
  assert.equal(home.compactions(), 0);
  await elapse(home, limits.fruitlessRestMs);
  assert.equal(home.compactions(), 1);
  assert.ok(home.log.horizon > 0);
  const again = open(home.log.clone(), 8 * mebibyte);
  await elapse(again, limits.retentionCheckMs);
  assert.equal(again.compactions(), 0, "a restart does not compact it again");
  await lengthen(log, 16 * mebibyte, 4, things);
  await look();
  assert.equal(home.compactions(), 2, "the log has grown");
  await lengthen(log, 2 * mebibyte, 4, things);
  await elapse(home, 3 * limits.fruitlessRestMs);
  assert.equal(home.compactions(), 2, "after a second compaction that freed little it waits four hours");
});

test("reports the quota as met when pruning telemetry suffices, and as exceeded when not", async () => {
  const { log, things } = await renamedLog(4 * mebibyte, 0);
  const home = open(log, 8 * mebibyte);
  const look = (): Promise<void> => elapse(home, limits.retentionCheckMs);
  await look();
  await lengthen(log, 6 * mebibyte, 100, things);
  assert.equal(home.kernel.health.quotaExceeded, true);
  await look();
  assert.deepEqual([home.told, home.kernel.health.quotaExceeded], [[false], false]);
  await lengthen(log, 6 * mebibyte, 0, things);
  await look();
  assert.deepEqual([home.told, home.kernel.health.quotaExceeded], [[false, true], true]);
});
