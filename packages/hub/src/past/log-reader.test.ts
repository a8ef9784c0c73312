import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { type Asker, answerPast, rows } from "@ledge/api";
import { logFolder } from "@ledge/host/folder";
import { type Kernel, openKernel } from "@ledge/kernel";
import { type BlockLog, openLmdbLog } from "@ledge/log";
import { type Command, idsOf, limits, roles, upcasters } from "@ledge/model";
import { commandOf, type Move, moveNames, SimulatedClock, temporaryFolder } from "@ledge/testkit";
import fc from "fast-check";
import { eventually } from "../testdata/hub-process.ts";
import { kernelParts } from "../start/kernel-parts.ts";
import { LogReader } from "./log-reader.ts";
import { HistoryPruned } from "./reader.ts";
import { portsAt } from "./tasks/row.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const version = "1.14.15.1";

interface Home {
  readonly log: BlockLog;
  readonly kernel: Kernel;
  readonly clock: SimulatedClock;
  readonly hubId: string;
  readonly folder: string;
}

async function openHome(context?: TestContext): Promise<Home> {
  const folder = temporaryFolder();
  const log = await openLmdbLog({ folder: logFolder(folder.path), upcasters });
  const clock = new SimulatedClock();
  const kernel = openKernel({
    ...kernelParts,
    log,
    clock,
    timeTrusted: () => true,
    onFatal: (error) => assert.fail(error),
    retention: { telemetryMs: 1e12, logBytes: 1e12, onNote: () => {}, onDamaged: (why) => assert.fail(why) },
  });
  const command = { type: "CREATE_HUB", name: "Cabin", timezone: "Europe/Helsinki" } as Command;
  const outcome = await kernel.submit({ commands: [command], origin: "system" });
  assert.ok(outcome.accepted);
  const [result] = outcome.results;
  const hubId = (result as { id: string }).id;
  const home = { log, kernel, clock, hubId, folder: folder.path };
  context?.after(async () => {
    await kernel.close();
    folder.remove();
  });
  return home;
}

let elapsed = 0;
function readerOf({ log, hubId }: Home, isGivenUp = (): boolean => false): LogReader {
  const reader = new LogReader({ log, hubId, version, monotonic: () => elapsed, isGivenUp });
  reader.begin(Infinity);
  return reader;
}

const askers: readonly Asker[] = [roles.USER_ADMIN, roles.GUEST].map((role) => ({
  viewer: { role, user: "user-1", since: 0 },
  language: "fi",
}));

/** The answers of all rows that can show the past. */
async function answersOf(kernel: Kernel, { hubId }: Home, at: number): Promise<unknown[]> {
  const ports = portsAt(kernel, { hubId, version }, at);
  const answers: unknown[] = [];
  const devices = idsOf("device", kernel).map((deviceId) => ({ deviceId }));
  const scenes = idsOf("scene", kernel).map((sceneId) => ({ sceneId }));
  for (const { past, method, path } of rows) {
    if (past === undefined) continue;
    const queries = path.endsWith("/configuration") ? devices : path.endsWith("/outcome") ? scenes : [{}];
    for (const asker of askers)
      for (const query of queries) {
        const args = { row: `${method} ${path}`, query, at, listener: "local", id: "r" } as const;
        const answer = await answerPast(rows, args, asker, ports);
        const bytes = answer instanceof Uint8Array ? answer : Buffer.from(JSON.stringify(answer));
        answers.push([args.row, query, JSON.parse(Buffer.from(bytes).toString())]);
      }
  }
  return answers;
}

const move: fc.Arbitrary<Move> = fc.record({
  name: fc.constantFrom(...moveNames, "report", "report"),
  pick: fc.nat(20),
  value: fc.nat(200),
});
interface Step {
  readonly moves: readonly Move[];
  readonly advance: number;
  /** Ends a block, so that the log can be pruned up to it. */
  readonly ends: boolean;
}
const step: fc.Arbitrary<Step> = fc.record({
  moves: fc.array(move, { minLength: 1, maxLength: 5 }),
  advance: fc.constantFrom(0, 1, 300, 5000),
  ends: fc.boolean(),
});

test(`answers about the past equal the answers of that time, also after pruning (SEED=${seed})`, async () => {
  let pruned = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 25, size: "max" }),
      fc.array(fc.nat(1000), { minLength: 1, maxLength: 6 }),
      async (steps, picks) => {
        const home = await openHome();
        const { kernel, clock, log } = home;
        const lived: { readonly at: number; readonly answers: unknown[] }[] = [];
        for (const { moves, advance, ends } of steps) {
          const commands = moves.flatMap((one) => commandOf(one, kernel) ?? []);
          await kernel.submit({ commands, origin: "system", each: true });
          lived.push({ at: kernel.timestamp, answers: await answersOf(kernel, home, kernel.timestamp) });
          if (ends) await log.move();
          await clock.pass(advance);
        }
        const reader = readerOf(home);
        const asked = picks.map((pick) => lived[pick % lived.length] as (typeof lived)[number]);
        const compare = async (): Promise<void> => {
          for (const { at, answers } of asked) {
            if (at < log.horizon) {
              assert.throws(() => reader.stateAt(at), { name: "HistoryPruned", oldest: log.horizon });
              pruned++;
              continue;
            }
            assert.deepEqual(await answersOf(reader.kernelAt(at), home, at), answers);
          }
        };
        await compare();
        await kernel.relieve();
        await compare();
        await kernel.close();
      },
    ),
    { seed, numRuns: 15, endOnFailure: true },
  );
  assert.ok(pruned > 0, "some of it was pruned");
});

test("refuses times before the hub, and names the oldest possible one", async (context) => {
  const home = await openHome(context);
  const born = home.kernel.timestamp;
  const reader = readerOf(home);
  assert.equal(reader.kernelAt(born).size("hub"), 1);
  assert.throws(() => reader.stateAt(born - 1), new HistoryPruned(born));
});

test("keeps the progress of a question that ran out of time, and continues from there", async (context) => {
  const home = await openHome(context);
  const { kernel, log } = home;
  for (let i = 0; i < 50; i++)
    await kernel.submit({ commands: [{ type: "CMD_ROOM", name: `${i}` } as Command], origin: "system" });
  elapsed = 0;
  let reads = 0;
  const reader = readerOf(home, () => {
    reads++;
    elapsed++;
    return false;
  });
  let failed = 0;
  for (let tries = 0; tries < 10; tries++) {
    reader.begin(9);
    try {
      const past = reader.stateAt(log.last);
      assert.equal([...past.projection.read.all("room")].length, 50);
      break;
    } catch (error) {
      assert.equal((error as Error).name, "BudgetSpent");
      failed++;
    }
  }
  assert.deepEqual([failed, reads], [4, 47]);
  assert.equal([...reader.stateAt(log.last).projection.read.all("room")].length, 50);
  assert.equal(reads, 47, "what is held is not read again");
  const given = readerOf(home, () => true);
  assert.throws(() => given.stateAt(log.last), { name: "BudgetSpent" });
});

test("caches a limited number of past states, the most recently used ones", async (context) => {
  const home = await openHome(context);
  const { kernel } = home;
  const times: number[] = [];
  for (let i = 0; i <= limits.pastsHeld; i++) {
    await kernel.submit({ commands: [{ type: "CMD_ROOM", name: `${i}` } as Command], origin: "system" });
    times.push(kernel.timestamp);
  }
  const reader = readerOf(home);
  // Backwards, because no cached state can be advanced to an earlier one.
  const [newest = 0, ...older] = times.toReversed();
  const first = reader.stateAt(newest);
  const rooms = older.map((at) => {
    const past = reader.stateAt(at);
    assert.equal(reader.stateAt(at), past);
    return [...past.projection.read.all("room")].length;
  });
  assert.deepEqual(
    rooms,
    older.map((_, index) => older.length - index),
  );
  assert.notEqual(reader.stateAt(newest), first, "one more than are held");
  assert.equal(reader.stateAt(newest), reader.stateAt(newest));
});

test("bases limit how much is read for a time, however long the log", async (context) => {
  const home = await openHome(context);
  const { clock, log } = home;
  const per = 5000;
  const [first] = [...log.read()];
  assert.ok(first !== undefined);
  for (let i = 1; i <= (2.5 * limits.baseEvents) / per; i++) {
    const events = Array.from({ length: per }, (_, n) => {
      return {
        type: "ColorsSet",
        id: home.hubId,
        colors: [color(n)],
        version: 1,
        origin: "system",
        depth: 0,
      } as const;
    });
    await log.append({ timestamp: first.timestamp + i, events });
  }
  await clock.pass(limits.retentionCheckMs);
  await eventually("two bases", async () => (log.bases().length === 2 ? true : undefined));
  const timestamps = [...log.read()].map(({ timestamp }) => timestamp);
  for (const at of timestamps.filter((_, index) => index % 7 === 0)) {
    let events = 0;
    const reader = readerOf(home);
    const read = log.read.bind(log);
    log.read = function* (after, until) {
      for (const commit of read(after, until)) {
        if (until === at) events += commit.events.length;
        yield commit;
      }
    };
    reader.stateAt(at);
    log.read = read;
    assert.ok(events <= limits.baseEvents + per, `${events} events for ${at}`);
  }
});

function color(index: number): string {
  return `#${(index % 0xffffff).toString(16).toUpperCase().padStart(6, "0")}`;
}
