import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import fc from "fast-check";
import type { ClockJump } from "./clock.ts";
import { CommitClock, systemClock } from "./clock.ts";

const start = Date.UTC(2026, 0, 15, 10);

/** Returns a commit clock over a simulated clock. Set `source.vouched` to change what the time source says. */
function clockAt(wall: number, last: number, vouched = true) {
  const clock = new SimulatedClock(wall);
  const source = { vouched };
  const commitClock = new CommitClock(clock, last, () => source.vouched);
  let changes = 0;
  commitClock.onChange = () => {
    changes++;
  };
  return { clock, source, commitClock, changes: () => changes };
}

function timestampOf(commitClock: CommitClock): number {
  const next = commitClock.next();
  assert.ok("timestamp" in next, "no wait is needed");
  return next.timestamp;
}

test("takes the wall clock's time, or the last timestamp plus one", () => {
  const { clock, commitClock } = clockAt(start, start - 1000);
  assert.equal(timestampOf(commitClock), start);
  assert.equal(timestampOf(commitClock), start + 1);
  assert.equal(timestampOf(commitClock), start + 2);
  clock.advance(100);
  assert.equal(timestampOf(commitClock), start + 100);
});

test("starts an empty log at the wall clock's time, trusted or not", () => {
  assert.equal(timestampOf(clockAt(start, 0).commitClock), start);
  assert.equal(timestampOf(clockAt(start, 0, false).commitClock), start);
});

test("reuses a released timestamp only if it is the newest", () => {
  const { commitClock } = clockAt(start, 0);
  const first = timestampOf(commitClock);
  commitClock.release(first);
  assert.equal(timestampOf(commitClock), first);
  const second = timestampOf(commitClock);
  commitClock.release(first);
  assert.equal(timestampOf(commitClock), second + 1);
});

test("lets commits lead the clock by at most a second, then makes the next one wait", () => {
  const { clock, commitClock } = clockAt(start, 0);
  for (let step = 0; step <= limits.clockLeadMs; step++) assert.equal(timestampOf(commitClock), start + step);
  assert.deepEqual(commitClock.next(), { waitMs: 1 });
  clock.advance(1);
  assert.equal(timestampOf(commitClock), start + limits.clockLeadMs + 1);
  assert.deepEqual(commitClock.next(), { waitMs: 1 });
});

test("catches up a small step back at half speed and keeps trusting the clock", () => {
  const { clock, commitClock, changes } = clockAt(start, 0);
  clock.stepWall(-10_000);
  assert.equal(commitClock.now(), start);
  clock.advance(1000);
  assert.equal(commitClock.now(), start + 500);
  clock.advance(19_000);
  assert.equal(commitClock.now(), start + 10_000, "the wall clock has caught up");
  clock.advance(1000);
  assert.equal(commitClock.now(), clock.wall());
  assert.deepEqual([commitClock.trusted, changes()], [true, 0]);
});

test("trusts a step forward of up to a minute at once", () => {
  const { clock, commitClock, changes } = clockAt(start, 0);
  clock.stepWall(limits.clockJumpMs);
  assert.equal(commitClock.now(), start + limits.clockJumpMs);
  assert.deepEqual([commitClock.trusted, changes()], [true, 0]);
});

for (const [name, by] of [
  ["ahead", limits.clockJumpMs + 1],
  ["far ahead", 50 * 365 * 86_400_000],
  ["back", -limits.clockJumpMs - 1],
] as const) {
  test(`does not trust a jump ${name} and continues on elapsed time`, () => {
    const { clock, source, commitClock, changes } = clockAt(start, 0);
    source.vouched = false;
    clock.advance(5000);
    clock.stepWall(by);
    assert.equal(commitClock.now(), start + 5000);
    clock.advance(700);
    assert.equal(commitClock.now(), start + 5700);
    assert.deepEqual([commitClock.trusted, changes()], [false, 1]);
    commitClock.check();
    assert.equal(commitClock.trusted, false);
  });
}

test("adopts a jump ahead once the time source vouches for it", () => {
  const { clock, source, commitClock, changes } = clockAt(start, 0);
  source.vouched = false;
  clock.stepWall(3_600_000);
  commitClock.check();
  source.vouched = true;
  assert.equal(commitClock.now(), start, "the time source was not asked yet");
  commitClock.check();
  assert.equal(commitClock.now(), start + 3_600_000);
  assert.deepEqual([commitClock.trusted, changes()], [true, 2]);
});

test("never steps back, even when the time source vouches for a jump back", () => {
  const { clock, commitClock } = clockAt(start, 0);
  clock.stepWall(-3_600_000);
  commitClock.check();
  assert.equal(commitClock.trusted, true);
  assert.equal(commitClock.now(), start);
  clock.advance(1000);
  assert.equal(commitClock.now(), start + 500);
});

test("counts on from the log on a board that starts in 1970, until the time is known", () => {
  const { clock, source, commitClock, changes } = clockAt(12_000, start, false);
  assert.equal(timestampOf(commitClock), start + 1);
  clock.advance(60_000);
  assert.equal(timestampOf(commitClock), start + 60_000);
  clock.stepWall(start + 7 * 86_400_000);
  source.vouched = true;
  commitClock.check();
  assert.equal(timestampOf(commitClock), clock.wall());
  assert.deepEqual([commitClock.trusted, changes()], [true, 2]);
});

test("continues a log from the future in single steps or at half speed", () => {
  const future = start + 86_400_000;
  const { clock, commitClock } = clockAt(start, future);
  assert.equal(timestampOf(commitClock), future + 1);
  clock.advance(100);
  assert.equal(timestampOf(commitClock), future + 50);
  clock.advance(2 * 86_400_000);
  assert.equal(timestampOf(commitClock), clock.wall());
});

const hour = 3_600_000;
const year = 365 * 24 * hour;

for (const [what, by] of [
  ["back by an hour", -hour],
  ["ahead by a year", year],
] as const) {
  test(`reports a clock that steps ${what} once, at the next check`, () => {
    const { clock, commitClock, source } = clockAt(start, start - 1000);
    const jumps: ClockJump[] = [];
    commitClock.onJump = (jump) => jumps.push(jump);
    clock.advance(1000);
    clock.stepWall(by);
    commitClock.next();
    clock.advance(1000);
    commitClock.check();
    commitClock.check();
    assert.deepEqual(jumps, [{ from: start + 1000, to: start + 1000 + by, trusted: true }]);
    source.vouched = false;
    clock.stepWall(-by);
    commitClock.check();
    assert.equal(jumps[1]?.trusted, false);
    const steps = limits.clockJumpMs;
    clock.stepWall(steps);
    commitClock.check();
    assert.equal(jumps.length, 2, "a step of up to a minute is not a jump");
  });
}

test("reports a jump from the carried-on time once a board that started in 1970 knows the time", () => {
  const { clock, commitClock, source } = clockAt(0, start, false);
  const jumps: ClockJump[] = [];
  commitClock.onJump = (jump) => jumps.push(jump);
  clock.advance(5000);
  commitClock.check();
  assert.deepEqual(jumps, []);
  clock.stepWall(start + year);
  commitClock.check();
  source.vouched = true;
  clock.advance(5000);
  commitClock.check();
  assert.deepEqual(jumps, [
    { from: 5000, to: start + year + 5000, trusted: false },
    { from: start + 10_000, to: start + year + 10_000, trusted: true },
  ]);
});

test("reports a clock that was set back while the hub was down as a jump at the start", () => {
  const { commitClock } = clockAt(start - hour, start);
  const jumps: ClockJump[] = [];
  commitClock.onJump = (jump) => jumps.push(jump);
  commitClock.check();
  commitClock.check();
  assert.deepEqual(jumps, [{ from: start, to: start - hour, trusted: true }]);
  const fine = clockAt(start - limits.clockJumpMs, start).commitClock;
  fine.onJump = () => assert.fail("a step of up to a minute is not a jump");
  fine.check();
});

test("raises every later timestamp above the floor", () => {
  const { commitClock } = clockAt(start, 0);
  commitClock.raise(start + 500_000);
  assert.equal(timestampOf(commitClock), start + 500_001);
  commitClock.raise(start);
  assert.equal(timestampOf(commitClock), start + 500_002);
});

test("keeps timestamps rising, time from stepping back, and the lead within its limit", () => {
  const step = fc.oneof(
    fc.record({ elapse: fc.integer({ min: 0, max: 3000 }) }),
    fc.record({ stepWall: fc.integer({ min: -200_000, max: 200_000 }) }),
    fc.record({ commits: fc.integer({ min: 1, max: 800 }) }),
    fc.record({ vouched: fc.boolean() }),
    fc.record({ check: fc.constant(true) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { clock, source, commitClock } = clockAt(start, 0);
      let before = commitClock.now();
      let last = 0;
      for (const it of steps) {
        if ("elapse" in it) clock.advance(it.elapse);
        if ("stepWall" in it) clock.stepWall(it.stepWall);
        if ("vouched" in it) source.vouched = it.vouched;
        if ("check" in it) commitClock.check();
        const commits = "commits" in it ? it.commits : 0;
        for (let left = commits; left > 0; left--) {
          const next = commitClock.next();
          if ("waitMs" in next) {
            assert.ok(next.waitMs > 0);
            break;
          }
          assert.ok(next.timestamp > last && Number.isSafeInteger(next.timestamp));
          last = next.timestamp;
        }
        const now = commitClock.now();
        assert.ok(now >= before, `time went from ${before} to ${now}`);
        before = now;
        assert.ok(last <= Math.floor(now) + limits.clockLeadMs);
      }
    }),
  );
});

test("the system clock tells the time, elapses, and calls back unless cancelled", async () => {
  assert.ok(Math.abs(systemClock.wall() - Date.now()) < 10_000);
  const before = systemClock.monotonic();
  const called: string[] = [];
  const cancel = systemClock.after(1, () => called.push("cancelled"));
  cancel();
  await new Promise<void>((resolve) => {
    systemClock.after(5, () => {
      called.push("after");
      resolve();
    });
  });
  assert.deepEqual(called, ["after"]);
  assert.ok(systemClock.monotonic() > before);
});
