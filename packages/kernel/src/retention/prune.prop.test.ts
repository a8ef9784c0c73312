import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { MemoryLog } from "@ledge/log";
import { aggregates, type Cause, categories, EpochOpened, eventRef, indexIn, limits } from "@ledge/model";
import type { Move, TestKernel } from "@ledge/testkit";
import { addLamp, commandOf, homeReactions, imageOf, moveNames, openTestKernel } from "@ledge/testkit";
import fc from "fast-check";
import { Deciders } from "../decide.ts";
import { Projection } from "../projection.ts";
import { snapshotFormat } from "../snapshot.ts";
import { Past, type PastParts } from "./past.ts";
import { layBases, prune } from "./prune.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const everything = Number.MAX_SAFE_INTEGER;

/** The moves of one submission, the earlier event that caused it if any, and how much time passes then. */
interface Step {
  readonly moves: readonly Move[];
  readonly cause: number;
  readonly advance: number;
  /** How late (ms) an accompanying report comes, and how many pulses were lost. */
  readonly late: number;
  readonly dropped: number;
}
/** Telemetry is more frequent than other events. */
const busy = [
  "report",
  "report",
  "report",
  "switch group",
  "settle command",
  "set timer",
  "cancel timer",
] as const;
const move: fc.Arbitrary<Move> = fc.record({
  name: fc.constantFrom(...moveNames, ...busy, ...busy),
  pick: fc.nat(20),
  value: fc.nat(200),
});
const step: fc.Arbitrary<Step> = fc.record({
  moves: fc.array(move, { minLength: 1, maxLength: 5 }),
  // Most have no earlier cause.
  cause: fc.nat(150),
  advance: fc.constantFrom(0, 1, 300, 5000),
  late: fc.constantFrom(0, 0, 0, 400, 9000),
  dropped: fc.constantFrom(0, 0, 0, 2),
});
/** Parts of the log. fast-check's doubles are mostly close to 0. */
const part = fc.nat(100).map((percent) => percent / 100);
const horizons = fc.array(part, { minLength: 1, maxLength: 3 });

/** How many bytes before the horizon are rewritten, in how many histories, and how many events these must remove in all. */
const rewritings = [
  { windows: [Infinity], lives: 120, removes: 300 },
  { windows: [600, 3000], lives: 80, removes: 40 },
] as const;

const tombstones = 3;

function partsOf(): PastParts {
  return {
    aggregates,
    deciders: new Deciders(aggregates, [], () => assert.fail("nothing is decided")),
    newProjection: () => new Projection(aggregates, categories, EpochOpened.type, tombstones),
    format: snapshotFormat(aggregates, "test"),
  };
}

/** Plays a random history, in which any event may have caused a later one. */
async function live(steps: readonly Step[]): Promise<TestKernel> {
  const home = openTestKernel({ tombstones, reactions: homeReactions });
  home.kernel.settled();
  const refs: Cause[] = [];
  home.kernel.subscribe({
    published: ({ timestamp, events }) => refs.push(...events.map((_, index) => eventRef(timestamp, index))),
  });
  for (let value = 0; value < 4; value++) {
    const begun = (["add device", "add room", "add user"] as const).map((name) => ({
      name,
      pick: value,
      value,
    }));
    await home.submit(begun.flatMap((it) => commandOf(it, home.kernel) ?? []));
  }
  await home.submit(commandOf({ name: "add group", pick: 0, value: 15 }, home.kernel) ?? []);
  for (const { moves, cause, advance, late, dropped } of steps) {
    const commands = moves.flatMap((it) => commandOf(it, home.kernel) ?? []);
    if (dropped > 0) commands.push({ type: "NOTE_DROPPED", id: "sim", dropped });
    const [id] = [...home.kernel.all("device")].at(late % 7) ?? [];
    const at = home.kernel.timestamp - late;
    if (late > 0) commands.push({ type: "REPORT_DEVICE", id, attributes: { isOn: late > 400 }, at });
    const led = cause < 30 ? refs.at(-1 - cause) : undefined;
    await home.submit(commands, {
      each: true,
      ...(led !== undefined && { cause: led, root: led, depth: 1 }),
    });
    await home.clock.pass(advance);
  }
  return home;
}

/** Returns the whole content of a past, with unordered parts sorted. */
function imageAt(past: Past): unknown {
  const rows = JSON.parse(JSON.stringify([...past.base().rows])) as [{ lastEvents: number }, ...unknown[]];
  const [{ lastEvents }, ...rest] = rows;
  const table = rest.splice(0, lastEvents).map((row) => {
    const { events, ...object } = row as { events: unknown[] };
    return { ...object, events: events.toSorted(byText) };
  });
  const [head, ...others] = rest as [{ entries: number }, ...unknown[]];
  const list = others.splice(0, head.entries);
  return { head, list, table: table.toSorted(byText), others: others.toSorted(byText) };
}

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

/** Returns images of a replay from the beginning: at the horizon and at every later commit. */
function replay(log: MemoryLog, horizon: number): unknown[] {
  const past = new Past(partsOf());
  for (const commit of log.read(0, horizon)) past.apply(commit);
  const images = [imageAt(past)];
  for (const commit of log.read(horizon)) {
    past.apply(commit);
    images.push(imageAt(past));
  }
  return images;
}

/** Returns the cause of each event by reference; undefined for an event without a cause. */
function causesIn(log: MemoryLog): Map<string, Cause | undefined> {
  const causes = new Map<string, Cause | undefined>();
  for (const commit of log.read()) {
    for (const [place, { cause }] of commit.events.entries()) {
      causes.set(eventRef(commit.timestamp, indexIn(commit, place)), cause);
    }
  }
  return causes;
}

/**
 * Checks that the chains of causes are complete for the newest events of existing objects and all events after
 * the horizon.
 */
function assertChains(before: MemoryLog, after: MemoryLog): void {
  const [whole, left] = [causesIn(before), causesIn(after)];
  const past = new Past(partsOf());
  for (const commit of after.read(0, after.horizon)) past.apply(commit);
  const behind = [...whole.keys()].filter((ref) => Number(ref.split("-")[0]) > after.horizon);
  for (const first of [...past.lastEvents.refs(), ...behind]) {
    let ref: string | undefined = first;
    for (let links = 0; ref !== undefined && whole.has(ref) && links <= limits.causeLinks; links++) {
      assert.ok(left.has(ref), `${ref}, ${links} before ${first}, is gone`);
      ref = whole.get(ref);
    }
  }
}

for (const { windows, lives, removes } of rewritings) {
  test(`a compacted log replays as the whole log does; rewrites ${windows.join(" or ")} bytes (SEED=${seed})`, async () => {
    let removed = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 40, size: "max" }),
        horizons,
        fc.constantFrom(...windows),
        async (steps, places, rewriteBytes) => {
          const home = await live(steps);
          const whole = home.log.clone();
          const log = home.log.clone();
          const first = whole.read().next().value?.timestamp ?? 0;
          for (const place of places.toSorted((a, b) => a - b)) {
            const until = Math.floor(first + place * (log.last - first));
            const horizon = await log.boundary(until, everything, setImmediate);
            if (horizon <= log.horizon) continue;
            removed += (await prune(log, horizon, partsOf(), setImmediate, rewriteBytes)).removedEvents;
            assert.deepEqual(log.verify().damage, []);
            assertChains(whole, log);
            const images = replay(whole, horizon);
            assert.deepEqual(replay(log, horizon), images, "from the log alone");
            const based = new Past(partsOf(), log.loadBase(log.bases()[0]?.format ?? ""));
            assert.deepEqual(imageAt(based), images[0], "from the base alone");
          }
          const image = imageOf(openTestKernel({ log: log.clone(), tombstones, release: "another" }));
          const based = openTestKernel({ log: log.clone(), tombstones });
          assert.deepEqual(imageOf(based), image);
        },
      ),
      { seed, numRuns: lives },
    );
    assert.ok(removed > removes, `only ${removed} events were removed`);
  });
}

test("keeps the causes of an event that arrives during the compaction", async () => {
  const home = openTestKernel();
  const device = await home.accept(addLamp());
  const refs: string[] = [];
  for (let i = 0; i < 60; i++) {
    await home.submit({ type: "REPORT_DEVICE", id: device, attributes: { isOn: i % 2 === 0 }, at: i });
    refs.push(eventRef(home.kernel.timestamp, 0));
  }
  const { log } = home;
  const horizon = await log.boundary(Number(refs[50]?.split("-")[0]), everything, setImmediate);
  const [gone, late] = [refs[10], refs[20] as Cause];
  const compact = log.compact.bind(log);
  let rounds = 0;
  log.compact = async ({ isCurrent = assert.fail, ...options }) => {
    const keep: typeof options.keep = (...event) => options.keep(...event);
    const checked = (): boolean => {
      rounds += 1;
      return isCurrent();
    };
    await home.submit({ type: "CMD_ROOM", name: "late" }, { cause: late, root: late, depth: 1 });
    return compact({ ...options, keep, isCurrent: checked });
  };
  await prune(log, horizon, partsOf(), setImmediate);
  const left = causesIn(log);
  assert.deepEqual([rounds, left.has(late), left.has(gone ?? "")], [2, true, false]);
  assert.deepEqual(log.verify().damage, []);
});

test("writes bases so close that at most `events` events lie between two", async () => {
  const home = openTestKernel();
  const id = await home.accept({ type: "CMD_ROOM", name: "a" });
  for (let i = 1; i < 30; i++) await home.accept({ type: "CMD_ROOM", id, name: `a${i}` });
  const log = home.log.clone();
  const commits = [...log.read()].map(({ timestamp }) => timestamp);
  const lay = (events: number): Promise<number> => layBases(log, partsOf(), setImmediate, events);
  const places = (): number[] => log.bases().map(({ timestamp }) => commits.indexOf(timestamp) + 1);
  assert.deepEqual([await lay(30), places()], [30, []]);
  assert.deepEqual([await lay(29), places()], [1, [29]]);
  assert.deepEqual([await lay(29), places()], [1, [29]]);
  const other = home.log.clone();
  assert.equal(await layBases(other, partsOf(), setImmediate, 10), 10);
  assert.deepEqual(
    other.bases().map(({ timestamp }) => commits.indexOf(timestamp) + 1),
    [10, 20],
  );
  for (const { timestamp, format } of other.bases()) {
    const past = new Past(partsOf(), other.loadBase(format, timestamp));
    for (const commit of other.read(timestamp)) past.apply(commit);
    assert.deepEqual(imageAt(past), replay(home.log, 0).at(-1));
  }
  assert.equal(other.loadBase(other.bases()[0]?.format ?? "", commits[9])?.timestamp, commits[9]);
});
