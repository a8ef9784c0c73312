import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Move, TestKernel } from "@ledge/testkit";
import { commandOf, homeReactions, imageOf, moveNames, openTestKernel } from "@ledge/testkit";
import fc from "fast-check";

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);

const move: fc.Arbitrary<Move> = fc.record({
  name: fc.constantFrom(...moveNames),
  pick: fc.nat(20),
  value: fc.nat(200),
});
/** The moves of one submission, whether a snapshot follows it, and how much time passes then. */
interface Step {
  readonly moves: readonly Move[];
  readonly snapshot: boolean;
  readonly advance: number;
}
const step: fc.Arbitrary<Step> = fc.record({
  moves: fc.array(move, { minLength: 1, maxLength: 6 }),
  snapshot: fc.nat(6).map((number) => number === 0),
  advance: fc.constantFrom(0, 0, 1, 300, 5000),
});

async function live(steps: readonly Step[], tombstones: number): Promise<TestKernel> {
  const home = openTestKernel({ tombstones, reactions: homeReactions });
  home.kernel.settled();
  for (const { moves, snapshot, advance } of steps) {
    const commands = moves.flatMap((it) => commandOf(it, home.kernel) ?? []);
    await home.submit(commands, { each: true });
    if (snapshot) await home.kernel.sync();
    await home.clock.pass(advance);
  }
  return home;
}

test(`replays to the live state, with and without a snapshot (SEED=${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 40, size: "max" }),
      fc.nat(4),
      async (steps, tombstones) => {
        const home = await live(steps, tombstones);
        const image = imageOf(home);
        const fromLog = openTestKernel({ log: home.log.clone(), tombstones, release: "another" });
        assert.deepEqual(imageOf(fromLog), image, "from the log alone");
        const restarted = home.restart();
        assert.deepEqual(imageOf(restarted), image, "from the newest snapshot and the commits after it");
        await restarted.kernel.close();
        const closed = openTestKernel({ log: restarted.log.clone(), tombstones });
        assert.deepEqual(imageOf(closed), image, "from the snapshot of a clean stop");
      },
    ),
    { seed, numRuns: 150 },
  );
});

/** Opens a kernel over what is durable. `after` is the timestamp from which it read the log. */
function reopen(home: TestKernel, release: string): { after: number; again: TestKernel } {
  const log = home.log.clone();
  const afters: number[] = [];
  const read = log.read.bind(log);
  log.read = (after, until) => {
    afters.push(after ?? 0);
    return read(after, until);
  };
  const again = openTestKernel({ log, release });
  return { after: afters.at(-1) ?? -1, again };
}

test("starts from the newest snapshot and the log after it; another release reads all of the log", async () => {
  const home = openTestKernel({ release: "1" });
  await home.accept({ type: "CMD_ROOM", name: "a" });
  await home.kernel.sync();
  const at = home.kernel.timestamp;
  await home.accept({ type: "CMD_ROOM", name: "b" });
  const image = imageOf(home);
  for (const [release, expected] of [
    ["1", at],
    ["2", 0],
  ] as const) {
    const { after, again } = reopen(home, release);
    assert.equal(after, expected);
    assert.deepEqual(imageOf(again), image);
  }
});

test("uses another format for other aggregates or event versions", async () => {
  const home = openTestKernel();
  const { aggregates } = await import("@ledge/model");
  await home.accept({ type: "CMD_ROOM", name: "a" });
  await home.kernel.sync();
  const newer = aggregates.map((decider) =>
    decider.kind === "user"
      ? { ...decider, events: decider.events.map((event) => ({ ...event, version: event.version + 1 })) }
      : decider,
  );
  for (const [others, found] of [
    [aggregates, true],
    [aggregates.filter(({ kind }) => kind !== "adapter"), false],
    [newer, false],
  ] as const) {
    const log = home.log.clone();
    const load = log.loadSnapshot.bind(log);
    let loaded: unknown;
    log.loadSnapshot = (format) => (loaded = load(format));
    const again = openTestKernel({ log, aggregates: others });
    assert.equal(loaded !== undefined, found);
    assert.equal(again.kernel.size("room"), 1);
  }
});

/** Records the timestamps of the snapshots that the kernel writes from now on. */
function snapshotsOf({ log }: TestKernel): readonly number[] {
  const written: number[] = [];
  const save = log.saveSnapshot.bind(log);
  log.saveSnapshot = (snapshot) => {
    written.push(snapshot.timestamp);
    return save(snapshot);
  };
  return written;
}

test("writes a snapshot every `snapshotCommits` commits", async () => {
  const home = openTestKernel({ snapshotCommits: 10 });
  const written = snapshotsOf(home);
  const timestamps: number[] = [];
  for (let index = 0; index < 25; index++) {
    await home.accept({ type: "CMD_ROOM", name: `${index}` });
    timestamps.push(home.kernel.timestamp);
    await home.clock.pass(0);
  }
  assert.deepEqual(written, [timestamps[9], timestamps[19]]);
  assert.deepEqual(imageOf(home.restart()), imageOf(home));
});

test("leaves a snapshot after a start that read many commits, so that the next reads none", async () => {
  const home = openTestKernel();
  for (let i = 0; i < 10; i++) await home.accept({ type: "CMD_ROOM", name: String(i) });
  for (const [snapshotCommits, expected] of [
    [11, 0],
    [10, 1],
  ] as const) {
    const { kernel, log } = home.restart({ snapshotCommits });
    for (let turn = 0; turn < 50; turn++) await setImmediate();
    assert.equal(log.snapshots().length, expected);
    const read: number[] = [];
    openTestKernel({ log: log.clone(), onRead: (timestamp) => read.push(timestamp) });
    assert.equal(read.length, expected === 1 ? 0 : 10);
    assert.equal(kernel.size("room"), 10);
  }
});

test("shares the next snapshot among those who ask while one is being written", async () => {
  const home = openTestKernel();
  const written = snapshotsOf(home);
  await home.accept({ type: "CMD_ROOM", name: "a" });
  const first = home.kernel.sync();
  const at = home.kernel.timestamp;
  await Promise.resolve();
  await home.accept({ type: "CMD_ROOM", name: "b" });
  await Promise.all([first, home.kernel.sync(), home.kernel.sync(), home.kernel.sync()]);
  assert.deepEqual(written, [at, home.kernel.timestamp]);
});

test("refuses to open a log that holds an unknown event", async () => {
  const home = openTestKernel();
  const event = { type: "Unheard", id: "x", version: 1, origin: "system", depth: 0 } as const;
  await home.log.append({ timestamp: 5, events: [event] });
  assert.throws(() => home.restart(), { name: "EvolveError", message: /Unheard at 5: .*newer release/ });
});

test("refuses to open a log that holds a newer version of an event", async () => {
  const home = openTestKernel();
  const id = await home.accept({ type: "CMD_ROOM", name: "Hall" });
  const event = { type: "RoomRenamed", id, name: "Attic", origin: "system", depth: 0 } as const;
  await home.log.append({ timestamp: home.kernel.timestamp + 1, events: [{ ...event, version: 2 }] });
  const message = /RoomRenamed at \d+ has version 2, but this release knows only 1: .*a newer release/;
  assert.throws(() => home.restart(), { name: "EvolveError", message });
});
