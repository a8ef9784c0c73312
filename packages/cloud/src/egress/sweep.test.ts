import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { memoryRegisterStore } from "@ledge/fleet";
import { limits } from "@ledge/model";
import { SimulatedClock, until } from "@ledge/testkit";
import type { DeadLetter, Egress, EgressTarget } from "../model/egress-state.ts";
import { EgressFigures } from "./figures.ts";
import { readerOf } from "./lane.ts";
import { Sweep } from "./sweep.ts";

const target = (id: string, more: Partial<EgressTarget> = {}): EgressTarget => {
  const rest = { method: "POST", headers: {}, requestTimeoutSeconds: null } as const;
  return {
    id,
    settings: { url: "https://hooks.example/", ...rest, fetchMaxEvents: 10, fetchWaitMaxMs: 10 },
    isEnabled: true,
    secret: "",
    former: null,
    stop: null,
    failingSince: null,
    deadLetters: [],
    since: 0,
    ...more,
  };
};

/** A site with an outbox. */
function sweeping(context: TestContext, ...targets: readonly EgressTarget[]) {
  const clock = new SimulatedClock();
  const store = memoryRegisterStore(() => clock.now());
  const figures = new EgressFigures();
  const notes: object[] = [];
  const told: string[] = [];
  const egress: Egress = {
    id: "s",
    targets: Object.fromEntries(targets.map((each) => [each.id, each])),
    timestamp: 0,
  };
  const states = new Map([["s", egress]]);
  let after: string | null = null;
  let sweep: Sweep | undefined;
  let isReached = true;
  const put = async (count: number, at = clock.now(), text = ""): Promise<void> => {
    const body = { at, ...(text !== "" && { text }) };
    const outbox = Array.from({ length: count }, (_, ref) => ({ topic: "s", ref: `${ref}`, body }));
    const upto = `${after}+`;
    await store.apply({ source: "log", generation: 1, after, upto, upserts: [], removals: [], outbox });
    after = upto;
    sweep?.grown(outbox);
  };
  const left = async (): Promise<number[]> =>
    (await store.outbox("s", 0, 1e6)).map(({ position }) => position);
  const move = (id: string, to: number): Promise<boolean> => store.moveCursor(readerOf("s", id), 0, to);
  /** Sweeps once. */
  const run = async (): Promise<void> => {
    const before = clock.waiting;
    if (sweep !== undefined) await clock.pass(limits.egressSweepMs);
    sweep ??= new Sweep({
      kernel: {
        all: () => states.entries(),
        get: (_: string, id: string) => states.get(id),
      } as never,
      store,
      tellOwners: async (_, { id }) => {
        if (isReached) told.push(id);
        return isReached;
      },
      note: async (siteId, targetId, note) => void notes.push({ siteId, targetId, ...note }),
      figures,
      now: () => clock.now(),
      clock,
      logger: { warn: () => {} },
    });
    await until("the end of the sweep", () => clock.waiting > before || clock.waiting > 0);
  };
  context.after(() => sweep?.stop());
  return {
    store,
    states,
    figures,
    clock,
    notes,
    told,
    put,
    left,
    move,
    run,
    closed: (id: string) => sweep?.closed(id),
    unreach: () => (isReached = false),
  };
}

const letter = (first: number, last: number, at: number): DeadLetter => {
  return { batchId: `b${first}`, first, last, events: last - first + 1, reason: "", at, isReplayed: false };
};

test("keeps what a target waits for, and deletes what all have", async (t) => {
  const stopped = target("stopped", { isEnabled: false, stop: { reason: "gone", isTold: true } });
  const world = sweeping(t, target("a"), stopped, target("off", { isEnabled: false }));
  await world.put(10);
  await world.move("a", 8);
  await world.move("stopped", 5);
  await world.run();
  assert.deepEqual(await world.left(), [6, 7, 8, 9, 10]);
  assert.equal(world.figures.lost, 0);
  world.states.clear();
  world.closed("s");
  await world.run();
  assert.deepEqual(await world.left(), []);
});

test("keeps the events of dead letters for as long as these are kept", async (t) => {
  const now = new SimulatedClock().now();
  const letters = [letter(3, 4, now), letter(7, 7, now - limits.egressKeptMs - 1)];
  const world = sweeping(t, target("a", { deadLetters: letters }));
  await world.put(10);
  await world.move("a", 10);
  await world.run();
  assert.deepEqual(await world.left(), [3, 4, 5, 6, 7, 8, 9, 10]);
  assert.deepEqual(world.notes, [
    { siteId: "s", targetId: "a", type: "DROP_DEAD_LETTERS", batchIds: ["b7"] },
  ]);
});

test("keeps as many events of a site as the limit says, and counts those that are lost", async (t) => {
  const world = sweeping(t, target("a"));
  await world.put(limits.egressKeptEvents);
  await world.run();
  assert.equal((await world.left()).length, limits.egressKeptEvents);
  await world.put(2);
  await world.run();
  const left = await world.left();
  assert.deepEqual([left.length, left[0], world.figures.lost], [limits.egressKeptEvents, 3, 2]);
});

test("keeps as many bytes of events of a site as the limit says", async (t) => {
  const world = sweeping(t, target("a"));
  const text = "x".repeat(limits.egressKeptBytes / 8);
  await world.put(7, undefined, text);
  await world.run();
  assert.equal((await world.left()).length, 7);
  await world.put(3, undefined, text);
  await world.run();
  assert.deepEqual([await world.left(), world.figures.lost], [[4, 5, 6, 7, 8, 9, 10], 3]);
});

test("deletes what a site has too much at once when it gets many events", async (t) => {
  const world = sweeping(t, target("a"));
  await world.put(limits.egressKeptEvents);
  await world.run();
  await world.put(limits.egressSweepEvents - 1);
  await world.put(1);
  await until("the end of the trimming", () => world.figures.lost === limits.egressSweepEvents);
  assert.equal((await world.left()).length, limits.egressKeptEvents);
});

test("keeps events for as long as the limit says", async (t) => {
  const world = sweeping(t, target("a"));
  const now = world.clock.now();
  await world.put(1500, now - limits.egressKeptMs - 1);
  await world.put(3, now - limits.egressKeptMs);
  await world.put(2, now);
  await world.run();
  assert.deepEqual([(await world.left()).length, world.figures.lost], [5, 1500]);
});

test("tells owners of a target that the cloud has disabled, until they know", async (t) => {
  const told = target("told", { isEnabled: false, stop: { reason: "gone", isTold: true } });
  const news = target("news", { isEnabled: false, stop: { reason: "failing", isTold: false } });
  const world = sweeping(t, told, news);
  await world.run();
  assert.deepEqual(world.told, ["news"]);
  assert.deepEqual(world.notes, [{ siteId: "s", targetId: "news", type: "NOTE_EGRESS_OWNERS_TOLD" }]);
  world.unreach();
  await world.run();
  assert.equal(world.notes.length, 1);
});
