import assert from "node:assert/strict";
import test from "node:test";
import { limits } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import type { Supervision, SupervisionEffect, SupervisionInput } from "./supervision.ts";
import { defaultPolicy, supervise, unsupervised } from "./supervision.ts";

/** Runs the policy on a simulated clock, with a process that does what the test says. */
class Bench {
  readonly clock = new SimulatedClock();
  readonly did: [seconds: number, SupervisionEffect][] = [];
  state: Supervision = unsupervised;
  /** Whether the process answers pings. */
  answers = true;
  #disarm = (): void => {};

  feed(input: SupervisionInput): void {
    const { state, effects } = supervise(this.state, input, this.clock.monotonic(), defaultPolicy, 0);
    this.state = state;
    for (const effect of effects) {
      this.did.push([this.clock.monotonic() / 1000, effect]);
      if (effect === "ping" && this.answers) this.clock.after(1, () => this.feed({ type: "pong" }));
    }
    this.#disarm();
    if (state.due === undefined) return;
    this.#disarm = this.clock.after(state.due - this.clock.monotonic(), () => this.feed({ type: "tick" }));
  }

  run(): void {
    this.feed({ type: "start" });
    this.feed({ type: "started" });
  }

  crash(reason = "exit code 1", lasting = false): void {
    this.feed({ type: "failed", reason, failure: "exit", lasting });
  }

  forks(): number[] {
    return this.did.filter(([, effect]) => effect === "fork").map(([seconds]) => seconds);
  }
}

test("pings a healthy adapter every five seconds and leaves it running", () => {
  const bench = new Bench();
  bench.run();
  bench.clock.advance(60_000);
  assert.equal(bench.state.phase, "running");
  assert.deepEqual(bench.did.slice(0, 3), [
    [0, "fork"],
    [5, "ping"],
    [10, "ping"],
  ]);
  assert.equal(bench.did.length, 13);
});

test("kills a silent adapter at the limit, and not before", () => {
  const bench = new Bench();
  bench.answers = false;
  bench.run();
  bench.clock.advance(limits.adapterSilenceMs - 1);
  assert.equal(bench.state.phase, "running");
  bench.clock.advance(1);
  assert.equal(bench.state.phase, "restarting");
  assert.deepEqual(bench.did.at(-1), [20, "kill"]);
  assert.match(String(bench.state.reason), /no sign of life/);
});

test("kills an adapter whose start hangs even though it answers pings", () => {
  const bench = new Bench();
  bench.feed({ type: "start" });
  bench.clock.advance(defaultPolicy.startMs - 1);
  assert.equal(bench.state.phase, "starting");
  bench.clock.advance(1);
  assert.equal(bench.state.phase, "restarting");
});

test("lets a process load its code for as long as a start may take", () => {
  const bench = new Bench();
  bench.answers = false;
  bench.feed({ type: "start" });
  bench.clock.advance(defaultPolicy.startMs - 1);
  assert.equal(bench.state.phase, "starting");
  bench.clock.advance(1);
  assert.deepEqual([bench.state.phase, bench.state.reason], ["restarting", "not started after 120000 ms"]);
});

test("kills an adapter that falls silent in its start after it has answered", () => {
  const bench = new Bench();
  bench.feed({ type: "start" });
  bench.clock.advance(limits.adapterPingMs + 1);
  bench.answers = false;
  bench.clock.advance(limits.adapterSilenceMs - 1);
  assert.equal(bench.state.phase, "starting");
  bench.clock.advance(1);
  assert.match(String(bench.state.reason), /no sign of life/);
});

test("does not blame the adapter for silence while the hub itself stood still", () => {
  const bench = new Bench();
  bench.run();
  bench.answers = false;
  const late = supervise(bench.state, { type: "tick" }, 3_600_000, defaultPolicy, 0);
  assert.deepEqual([late.state.phase, late.effects], ["running", ["ping"]]);
  const dead = supervise(late.state, { type: "tick" }, 3_600_000 + limits.adapterSilenceMs, defaultPolicy, 0);
  assert.equal(dead.state.phase, "running", "late again: still no proof");
  const due = supervise(late.state, { type: "tick" }, (late.state.due ?? 0) + 1, defaultPolicy, 0);
  assert.deepEqual(due.effects, ["ping"]);
});

test("doubles the pause after each failure and rests at the fifth within ten minutes", () => {
  const bench = new Bench();
  bench.feed({ type: "start" });
  for (let failure = 1; failure <= 4; failure += 1) {
    bench.crash();
    assert.deepEqual([bench.state.phase, bench.state.failures.length], ["restarting", failure]);
    bench.clock.advance(bench.state.due === undefined ? 0 : bench.state.due - bench.clock.monotonic());
  }
  assert.deepEqual(bench.forks(), [0, 1, 3, 7, 15]);
  bench.crash("signal SIGSEGV");
  assert.deepEqual([bench.state.phase, bench.state.reason], ["resting", "signal SIGSEGV"]);
  bench.clock.advance(86_400_000);
  assert.equal(bench.forks().length, 5);
});

test("never rests when failures are far apart, and the pause reaches its maximum", () => {
  const bench = new Bench();
  bench.run();
  let longest = 0;
  for (let failure = 0; failure < 20; failure += 1) {
    bench.clock.advance(limits.adapterFailureWindowMs / 3);
    bench.crash();
    assert.equal(bench.state.phase, "restarting");
    const pause = (bench.state.due ?? 0) - bench.clock.monotonic();
    longest = Math.max(longest, pause);
    bench.clock.advance(pause);
    bench.feed({ type: "started" });
  }
  assert.equal(longest, limits.adapterBackoffMaxMs);
});

test("shortens the pause again after a run as long as the failure window", () => {
  const bench = new Bench();
  bench.run();
  for (const ranMs of [1000, 1000, limits.adapterFailureWindowMs]) {
    bench.clock.advance(ranMs);
    bench.crash();
    const pause = (bench.state.due ?? 0) - bench.clock.monotonic();
    assert.equal(
      pause,
      ranMs === limits.adapterFailureWindowMs ? 1000 : 1000 * 2 ** (bench.state.streak - 1),
    );
    bench.clock.advance(pause);
    bench.feed({ type: "started" });
  }
});

test("adds up to a quarter to the pause at random", () => {
  const bench = new Bench();
  bench.run();
  const { state } = supervise(
    bench.state,
    { type: "failed", reason: "x", failure: "exit", lasting: false },
    0,
    defaultPolicy,
    0.999,
  );
  assert.ok((state.due ?? 0) > 1200 && (state.due ?? 0) < 1250, String(state.due));
});

test("rests at once when the settings are wrong; resume starts again with no failures counted", () => {
  const bench = new Bench();
  bench.feed({ type: "start" });
  bench.crash("port: no such port", true);
  assert.deepEqual([bench.state.phase, bench.did.at(-1)?.[1]], ["resting", "kill"]);
  bench.feed({ type: "resume" });
  assert.deepEqual([bench.state.phase, bench.state.failures], ["starting", []]);
  assert.deepEqual(bench.forks(), [0, 0]);
});

test("resume starts the adapter without waiting for the end of the pause", () => {
  const bench = new Bench();
  bench.run();
  bench.crash();
  bench.feed({ type: "resume" });
  bench.clock.advance(60_000);
  assert.deepEqual(bench.forks(), [0, 0]);
});

const ignored: readonly [SupervisionInput["type"], Supervision["phase"]][] = [
  ["start", "running"],
  ["resume", "running"],
  ["resume", "stopped"],
  ["started", "resting"],
  ["pong", "resting"],
  ["tick", "stopped"],
  ["failed", "stopped"],
  ["failed", "restarting"],
];
for (const [type, phase] of ignored) {
  test(`ignores ${type} while ${phase}`, () => {
    const state: Supervision = { ...unsupervised, phase };
    const input =
      type === "failed" ? ({ type, reason: "x", failure: "exit", lasting: false } as const) : { type };
    assert.deepEqual(supervise(state, input, 1, defaultPolicy, 0), { state, effects: [] });
  });
}

test("schedules nothing after a stop", () => {
  const bench = new Bench();
  bench.run();
  bench.feed({ type: "stop" });
  bench.crash();
  bench.clock.advance(86_400_000);
  assert.deepEqual([bench.state.phase, bench.forks().length], ["stopped", 1]);
});
