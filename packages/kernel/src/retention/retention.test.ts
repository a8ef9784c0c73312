import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { limits, roles } from "@ledge/model";
import { addLamp, imageOf, openTestKernel, type TestKernel } from "@ledge/testkit";
import type { RetentionOptions } from "./retention.ts";

const day = 86_400_000;
const hour = 3_600_000;

interface Noted {
  readonly level: string;
  readonly message: string;
  readonly reason?: string;
}

interface Home extends TestKernel {
  readonly device: string;
  readonly notes: Noted[];
  readonly damage: string[];
}

async function open(options: Partial<RetentionOptions> = {}, isTrusted = (): boolean => true): Promise<Home> {
  const notes: Noted[] = [];
  const damage: string[] = [];
  const retention: RetentionOptions = {
    telemetryMs: day,
    logBytes: 100_000_000,
    onNote: (level, message, fields) => notes.push({ level, message, ...fields }),
    onDamaged: (problem) => damage.push(problem),
    ...options,
  };
  const home = openTestKernel({ retention, timeTrusted: isTrusted });
  const device = await home.accept(addLamp());
  return { ...home, device, notes, damage };
}

/** Reports `times` times. Each report is a commit of the same size that changes one attribute. */
async function report({ kernel, submit, device }: Home, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const isOn = kernel.get("device", device)?.state["isOn"] !== true;
    await submit({ type: "REPORT_DEVICE", id: device, attributes: { isOn }, at: kernel.timestamp });
  }
}

/** Advances the clock, then lets the work that became due finish. */
async function elapse({ clock }: Home, ms: number): Promise<void> {
  const { waiting } = clock;
  clock.advance(ms);
  // The next check is scheduled when the current one is done.
  while (clock.waiting < waiting) await setImmediate();
}

const commitsOf = ({ log }: Home, until?: number): number => [...log.read(0, until)].length;
const below = (home: Home, times: readonly number[]): number =>
  times.filter((timestamp) => timestamp <= home.log.horizon).length;
const timesOf = ({ log }: Home): number[] => [...log.read()].map(({ timestamp }) => timestamp);

test("prunes telemetry when it is a day older than allowed, not earlier", async () => {
  const home = await open();
  await report(home, 20);
  const [oldest = 0] = timesOf(home);
  const last = home.kernel.timestamp;
  await elapse(home, oldest + 2 * day - home.clock.wall() - 1);
  await report(home, 1);
  assert.equal(home.log.horizon, 0);
  await elapse(home, limits.retentionCheckMs);
  assert.ok(home.log.horizon > 0 && home.log.horizon <= last, `${home.log.horizon}`);
  assert.equal(home.notes[0]?.reason, "age");
  assert.equal(home.kernel.retention.horizon, home.log.horizon);
});

test("prunes at most five percent of the log per hour by age", async () => {
  const home = await open();
  await report(home, 400);
  const times = timesOf(home);
  await elapse(home, 3 * day);
  await report(home, 1);
  const most = Math.ceil((times.length * limits.agePrunePercent) / 100);
  let before = below(home, times);
  assert.ok(before > 0 && before <= most, `${before} of ${most}`);
  for (let i = 0; i < 5; i++) {
    await elapse(home, hour - 2 * limits.retentionCheckMs);
    assert.equal(below(home, times), before, "nothing within the hour");
    await elapse(home, 3 * limits.retentionCheckMs);
    const after = below(home, times);
    assert.ok(after > before && after - before <= most, `${before} to ${after}, at most ${most} more`);
    before = after;
  }
});

test("waits for a trusted clock to prune by age, but not for the quota", async () => {
  let isTrusted = false;
  const home = await open({ logBytes: 40_000 }, () => isTrusted);
  await report(home, 50);
  await elapse(home, 5 * day);
  await report(home, 1);
  await elapse(home, 2 * hour);
  assert.equal(home.log.horizon, 0);
  await report(home, 300);
  await elapse(home, limits.retentionCheckMs);
  assert.equal(home.notes[0]?.reason, "quota");
  const { horizon } = home.log;
  assert.ok(horizon > 0);
  isTrusted = true;
  await elapse(home, 2 * day + hour);
  assert.equal(home.notes.at(-1)?.reason, "age");
});

test("prunes a log over its quota at once, oldest first, down to a part of it", async () => {
  const home = await open({ logBytes: 60_000 });
  await report(home, 20);
  await elapse(home, limits.retentionCheckMs);
  assert.equal(home.log.horizon, 0);
  await report(home, 500);
  const image = imageOf(home);
  assert.ok(home.kernel.retention.usedBytes > 60_000);
  await elapse(home, limits.retentionCheckMs);
  const { usedBytes, quotaBytes, quotaExceeded, horizon } = home.kernel.retention;
  assert.ok(usedBytes <= 54_000, `${usedBytes}`);
  assert.deepEqual([quotaBytes, quotaExceeded, home.kernel.health.quotaExceeded], [60_000, false, false]);
  assert.ok(horizon > 0 && horizon < home.kernel.timestamp);
  assert.deepEqual(imageOf(home), image);
  const again = home.restart({ release: "another" });
  assert.deepEqual(imageOf(again), image);
  assert.deepEqual(again.log.verify().damage, []);
});

test("never prunes permanent events: warns about the exceeded quota once an hour", async () => {
  const home = await open({ logBytes: 60_000 });
  for (let i = 0; i < 400; i++) await home.accept({ type: "CMD_ROOM", name: `Room ${i} ${"x".repeat(50)}` });
  await report(home, 50);
  const warnings = (): number => home.notes.filter(({ level }) => level === "warn").length;
  await elapse(home, limits.retentionCheckMs);
  assert.equal(home.kernel.size("room"), 400);
  assert.deepEqual(
    [home.kernel.health.quotaExceeded, home.kernel.retention.quotaExceeded, warnings()],
    [true, true, 1],
  );
  const rooms = [...home.log.read()]
    .flatMap(({ events }) => events)
    .filter(({ type }) => type === "RoomCreated");
  assert.equal(rooms.length, 400);
  for (let i = 0; i < 10; i++) {
    await report(home, 2);
    await elapse(home, limits.retentionCheckMs);
  }
  assert.equal(warnings(), 1);
  await elapse(home, limits.agePruneMs);
  assert.equal(warnings(), 2);
});

/** Makes the log's file lack this many bytes of room. */
function shorten({ log }: Home, bytes: number): void {
  const stats = log.stats.bind(log);
  const { usedBytes } = stats();
  log.stats = () => {
    const now = stats();
    return { ...now, spareBytes: limits.reliefBytes - bytes + usedBytes - now.usedBytes };
  };
}

test("prunes no more than needed for relief, and tells whether it sufficed", async () => {
  const home = await open();
  await report(home, 300);
  shorten(home, 0);
  assert.deepEqual([await home.kernel.relieve(), home.log.horizon], [true, 0]);
  const { usedBytes } = home.kernel.retention;
  shorten(home, 10_000);
  assert.equal(await home.kernel.relieve(), true);
  const { horizon } = home.log;
  assert.ok(horizon > 0 && horizon < home.kernel.timestamp);
  const left = home.kernel.retention.usedBytes;
  assert.ok(left <= usedBytes - 10_000 && left > usedBytes - 25_000, `${left} of ${usedBytes}`);
  assert.equal(home.notes[0]?.reason, "relief");
  shorten(home, usedBytes);
  assert.equal(await home.kernel.relieve(), false);
  assert.ok(home.log.horizon > horizon);
});

test("serves commits and polls while it prunes, and loses none", async () => {
  const home = await open();
  await report(home, 600);
  shorten(home, 60_000);
  let turns = 0;
  const state = { isDone: false };
  const relieved = home.kernel.relieve().finally(() => (state.isDone = true));
  const named: string[] = [];
  const viewer = { role: roles.OWNER_ADMIN, user: "owner", since: 0 };
  while (!state.isDone) {
    turns += 1;
    home.clock.advance(1);
    named.push(await home.accept({ type: "CMD_ROOM", name: `Room ${turns}` }));
    const answer = await home.kernel.poll({
      cursors: { ts: home.kernel.timestamp - 1 },
      viewer,
      language: "en",
    });
    assert.ok(new TextDecoder().decode(answer).includes(`"Room ${turns}"`));
    await setImmediate();
  }
  assert.equal(await relieved, true);
  assert.ok(turns > 300 / limits.retentionSliceEvents, `${turns} turns`);
  assert.deepEqual(
    [...home.kernel.all("room")].map(([id]) => id),
    named,
  );
  const image = imageOf(home);
  assert.deepEqual(imageOf(home.restart({ release: "another" })), image);
});

test("starts from the newest base and the commits after it when there is no snapshot", async () => {
  const home = await open();
  await report(home, 100);
  await home.kernel.relieve();
  await report(home, 10);
  const image = imageOf(home);
  for (const [release, from] of [
    ["test", home.log.horizon],
    ["another", 0],
  ] as const) {
    const log = home.log.clone();
    const read = log.read.bind(log);
    const afters: number[] = [];
    log.read = (after, until) => {
      afters.push(after ?? 0);
      return read(after, until);
    };
    const again = openTestKernel({ log, release });
    assert.equal(afters.at(-1), from, release);
    assert.deepEqual(imageOf(again), image, release);
  }
});

test("stops pruning between two slices on close, and leaves the log unchanged", async () => {
  const home = await open();
  await report(home, 900);
  const commits = commitsOf(home);
  const relieved = home.kernel.relieve();
  await setImmediate();
  await Promise.all([home.kernel.close(), assert.rejects(relieved, /is closing/)]);
  const again = openTestKernel({ log: home.log.clone() });
  assert.deepEqual([[...again.log.read()].length, again.log.horizon], [commits, 0]);
});

test("reports a failed prune and tries again", async () => {
  const home = await open({ logBytes: 30_000 });
  await report(home, 300);
  home.log.failNext("no-room");
  await elapse(home, limits.retentionCheckMs);
  assert.deepEqual([home.notes[0]?.level, home.log.horizon], ["error", 0]);
  await elapse(home, limits.retentionCheckMs);
  assert.ok(home.log.horizon > 0);
});

test("reports damage once, stops pruning, and keeps serving", async () => {
  const home = await open({ logBytes: 20_000 });
  await report(home, 200);
  home.log.damage(2000);
  for (let look = 0; look < 3; look++) {
    home.clock.advance(limits.retentionCheckMs);
    for (let turn = 0; turn < 50; turn++) await setImmediate();
  }
  assert.equal(home.damage.length, 1);
  assert.match(home.damage[0] ?? "", /the log is damaged at or after/);
  assert.deepEqual(
    home.notes.map(({ level }) => level),
    ["error"],
  );
  assert.equal(await home.kernel.relieve(), false);
  assert.deepEqual([home.damage.length, home.fatal, home.log.horizon], [1, [], 0]);
  await report(home, 1);
  assert.equal(home.kernel.health.state, "serving");
});
