import assert from "node:assert/strict";
import { test } from "node:test";
import type { Timer } from "@ledge/model";
import { limits } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import fc from "fast-check";
import { CommitClock } from "./clock.ts";
import { Timers } from "./timers.ts";

const day = 86_400_000;
const start = Date.UTC(2026, 0, 15, 10);

/** Creates the timers of one run. `told` holds `<id> <lateMs> at <elapsed ms>` for each timer reported as due. */
function run({ clock = new SimulatedClock(start), last = start - 1, vouched = true } = {}) {
  const source = { vouched };
  const commitClock = new CommitClock(clock, last, () => source.vouched);
  const told: string[] = [];
  const timers = new Timers(clock, commitClock, (due) => {
    for (const { id, lateMs } of due) told.push(`${id} ${lateMs} at ${clock.monotonic()}`);
  });
  commitClock.onChange = () => timers.clockChanged();
  const set = (...list: readonly Timer[]): void => {
    for (const timer of list) timers.put(timer.id, timer);
    timers.arm();
  };
  return { clock, source, commitClock, timers, told, set };
}

const base = { late: "fire", lateMaxMs: 0, generation: 1 } as const;

/** Returns a timer for `ms` from `from` on, as SET_TIMER creates it. */
function relative(id: string, ms: number, from = start, changes: Partial<Timer> = {}): Timer {
  return { ...base, id, due: from + ms, durationMs: ms, ...changes };
}

function absolute(id: string, due: number, changes: Partial<Timer> = {}): Timer {
  return { ...base, id, due, durationMs: null, ...changes };
}

test("fires timers in order, each once", () => {
  const { clock, told, set } = run();
  set(relative("b", 2000), relative("a", 1000), absolute("c", start + 1500));
  clock.advance(999);
  assert.deepEqual(told, []);
  clock.advance(5000);
  assert.deepEqual(told, ["a 0 at 1000", "c 0 at 1500", "b 0 at 2000"]);
});

test("fires an overdue timer at once and reports how late it is", () => {
  const { clock, told, set } = run();
  set(relative("a", -300), absolute("b", start - 700));
  assert.deepEqual(told, [], "not within the call");
  clock.advance(0);
  assert.deepEqual(told, ["b 700 at 0", "a 300 at 0"]);
});

test("counts from the newest setting of a timer, and forgets a cancelled one", () => {
  const { clock, timers, told, set } = run();
  set(relative("a", 1000), relative("b", 1000));
  clock.advance(900);
  set(relative("a", 1000, start + 900, { generation: 2 }));
  timers.put("b", undefined);
  timers.arm();
  clock.advance(999);
  assert.deepEqual(told, []);
  clock.advance(1);
  assert.deepEqual(told, ["a 0 at 1900"]);
});

test("fires timers that are longer than the limit of OS timers", () => {
  const { clock, told, set } = run();
  set(relative("a", 40 * day), absolute("b", start + 400 * day));
  clock.advance(40 * day - 1);
  assert.deepEqual(told, []);
  clock.advance(1);
  assert.deepEqual(told, [`a 0 at ${40 * day}`]);
  clock.advance(360 * day);
  assert.deepEqual(told.at(-1), `b 0 at ${400 * day}`);
});

test("uses one OS timer at a time, and none when nothing is pending", () => {
  const { clock, timers, set } = run();
  assert.equal(clock.waiting, 0);
  set(relative("a", 5000));
  set(relative("b", 3000));
  set(relative("c", 9000));
  assert.equal(clock.waiting, 1);
  clock.advance(60_000);
  assert.equal(clock.waiting, 0);
  set(relative("d", 100_000));
  timers.stop();
  assert.equal(clock.waiting, 0);
  set(relative("e", 1));
  assert.equal(clock.waiting, 0, "stopped for good");
});

test("does not postpone a timer when armed repeatedly", () => {
  const { clock, timers, told, set } = run();
  set(relative("a", 10));
  for (let ms = 0; ms < 10; ms++) {
    clock.advance(1);
    timers.arm();
  }
  assert.deepEqual(told, ["a 0 at 10"]);
});

test("fires each timer once after many replacements", () => {
  const { clock, told, set } = run();
  for (let round = 0; round < 100; round++) {
    set(...Array.from({ length: 50 }, (_, id) => relative(String(id), day, start, { generation: round })));
  }
  clock.advance(day);
  assert.equal(told.length, 50);
});

test("fires thousands of timers in order", () => {
  const { clock, told, set } = run();
  const count = 5000;
  const due = (index: number): number => ((index * 7919) % count) * 10;
  set(...Array.from({ length: count }, (_, index) => relative(`t${index}`, due(index))));
  clock.advance(count * 10);
  const times = told.map((line) => Number(line.split(" ").at(-1)));
  assert.equal(new Set(told.map((line) => line.split(" ")[0])).size, count);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
});

for (const by of [-3_600_000, 3_600_000, 20 * 365 * day]) {
  test(`does not move relative timers of this run when the clock is set by ${by} ms`, () => {
    const { clock, commitClock, told, set } = run();
    set(relative("a", 60_000));
    clock.advance(10_000);
    clock.stepWall(by);
    commitClock.check();
    clock.advance(49_999);
    assert.deepEqual(told, []);
    clock.advance(1);
    assert.deepEqual(told, ["a 0 at 60000"]);
  });
}

test("holds absolute timers while the time is unknown, and fires them late when it is known", () => {
  const { clock, source, commitClock, told, set } = run({ clock: new SimulatedClock(0), vouched: false });
  set(absolute("a", start + 1000), absolute("b", start + day));
  clock.advance(day);
  assert.deepEqual(told, [], "however much time has elapsed");
  clock.stepWall(start);
  source.vouched = true;
  commitClock.check();
  clock.advance(0);
  assert.deepEqual(told, [`a ${day - 1000} at ${day}`, `b 0 at ${day}`]);
});

test("holds absolute timers after a jump until the time source vouches for the new time", () => {
  const { clock, source, commitClock, told, set } = run();
  set(absolute("a", start + 60_000));
  source.vouched = false;
  clock.stepWall(day);
  commitClock.check();
  clock.advance(120_000);
  assert.deepEqual(told, []);
  source.vouched = true;
  commitClock.check();
  clock.advance(0);
  assert.deepEqual(told, [`a ${day + 60_000} at 120000`]);
});

test("does not fire absolute timers after a jump that was not yet checked", () => {
  const { clock, source, timers, told, set } = run();
  set(absolute("a", start + 3_600_000), relative("b", 1000));
  source.vouched = false;
  clock.stepWall(day);
  clock.advance(1000);
  timers.arm();
  clock.advance(1000);
  assert.deepEqual(told, ["b 0 at 1000"]);
});

test("fires absolute timers by the wall clock, including its small steps", () => {
  const { clock, timers, told, set } = run();
  set(absolute("a", start + 60_000), absolute("b", start + 120_000));
  clock.stepWall(30_000);
  timers.arm();
  clock.advance(29_999);
  assert.deepEqual(told, []);
  clock.advance(1);
  assert.deepEqual(told, ["a 0 at 30000"]);
  clock.stepWall(-50_000);
  clock.advance(60_000);
  assert.deepEqual(told.length, 1, "it woke early and checked the clock again");
  clock.advance(50_000);
  assert.deepEqual(told.at(-1), "b 0 at 140000");
});

test("does not fire absolute timers early when the wall clock was set back", () => {
  const { clock, commitClock, told, set } = run();
  set(absolute("a", start + 60_000));
  clock.stepWall(-3_600_000);
  commitClock.check();
  clock.advance(3_659_999);
  assert.deepEqual(told, []);
  clock.advance(1);
  assert.deepEqual(told, ["a 0 at 3660000"]);
});

test("continues timers of an earlier run from the end of the log while the time is unknown", () => {
  const last = start + 20_000;
  const { clock, source, commitClock, timers, told } = run({
    clock: new SimulatedClock(0),
    last,
    vouched: false,
  });
  timers.inherit([relative("a", 60_000), relative("b", 15_000), relative("c", 90_000)]);
  clock.advance(0);
  assert.deepEqual(told, ["b 5000 at 0"]);
  clock.advance(40_000);
  assert.deepEqual(told.at(-1), "a 0 at 40000");
  clock.stepWall(start + 85_000 - clock.wall());
  source.vouched = true;
  commitClock.check();
  clock.advance(5000);
  assert.deepEqual(told.at(-1), "c 0 at 45000", "measured again on the time that is now known");
});

test("does not measure timers of this run again when the time becomes known", () => {
  const last = start;
  const { clock, source, commitClock, timers, told, set } = run({
    clock: new SimulatedClock(0),
    last,
    vouched: false,
  });
  timers.inherit([relative("a", 60_000)]);
  set(relative("a", 60_000, start, { generation: 2 }), relative("b", 60_000));
  clock.stepWall(start + 10 * day);
  source.vouched = true;
  commitClock.check();
  clock.advance(59_999);
  assert.deepEqual(told, []);
  clock.advance(1);
  assert.deepEqual(told, ["a 0 at 60000", "b 0 at 60000"]);
});

test("holds rechecking timers until the radios have reported again", () => {
  const { clock, timers, told, set } = run();
  set(relative("a", 1000, start, { late: "recheck" }), relative("b", 2000, start, { late: "recheck" }));
  clock.advance(5000);
  assert.deepEqual(told, []);
  timers.put("b", undefined);
  timers.settled();
  clock.advance(0);
  assert.deepEqual(told, ["a 4000 at 5000"]);
  set(relative("c", 0, start + 5000, { late: "recheck" }));
  clock.advance(0);
  assert.deepEqual(told.at(-1), "c 0 at 5000", "from then on they do not wait");
  timers.settled();
  clock.advance(10);
  assert.equal(told.length, 2);
});

test("reports due timers again after a refill", () => {
  const { clock, timers, told, set } = run();
  set(relative("a", 1000), absolute("b", start + 1000), relative("c", 1000, start, { late: "recheck" }));
  clock.advance(1000);
  timers.put("a", undefined);
  timers.refill();
  clock.advance(0);
  assert.deepEqual(told, ["a 0 at 1000", "b 0 at 1000", "b 0 at 1000"]);
  timers.settled();
  clock.advance(0);
  assert.equal(told.at(-1), "c 0 at 1000");
});

test("fires every remaining timer at its time after random settings and cancellations", () => {
  const step = fc.record({
    id: fc.constantFrom("a", "b", "c", "d"),
    ms: fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
    isRelative: fc.boolean(),
    elapse: fc.integer({ min: 0, max: 30 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { clock, timers, told, set } = run();
      const expected: string[] = [];
      const pending = new Map<string, number>();
      for (const { id, ms, isRelative, elapse } of steps) {
        const now = clock.monotonic();
        if (ms === undefined) {
          pending.delete(id);
          timers.put(id, undefined);
          timers.arm();
        } else {
          pending.set(id, now + ms);
          set(isRelative ? relative(id, ms, start + now) : absolute(id, start + now + ms));
        }
        clock.advance(elapse);
        for (const [other, due] of [...pending].filter(([, at]) => at <= now + elapse)) {
          pending.delete(other);
          timers.put(other, undefined);
          expected.push(`${other} 0 at ${due}`);
        }
      }
      assert.deepEqual(told.toSorted(), expected.toSorted());
    }),
  );
});

test("limits each wait to what an OS timer can hold", () => {
  assert.ok(limits.osTimerMs < 2 ** 31);
});
