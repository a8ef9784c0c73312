import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { limits } from "@ledge/model";
import { SimulatedClock, sticks, TestMachine, until } from "@ledge/testkit";
import { PortWatch } from "./watch.ts";

interface Bench {
  readonly machine: TestMachine;
  readonly clock: SimulatedClock;
  /** The product ids of the ports after each change. */
  readonly seen: (string | null)[][];
  readonly watch: PortWatch;
  /** The error that the listener throws from now on. */
  fault: Error | undefined;
  readonly failures: unknown[];
}

async function follow(t: TestContext, prepare: (machine: TestMachine) => void = () => {}): Promise<Bench> {
  const machine = new TestMachine();
  prepare(machine);
  const clock = new SimulatedClock();
  const seen: (string | null)[][] = [];
  const watch = new PortWatch({
    root: machine.root,
    clock,
    changed: (ports) => {
      seen.push(ports.map(({ productId }) => productId));
      if (bench.fault) throw bench.fault;
    },
    failed: (error) => bench.failures.push(error),
  });
  const bench: Bench = { machine, clock, seen, watch, fault: undefined, failures: [] };
  await watch.start();
  t.after(() => {
    watch.stop();
    machine.remove();
  });
  return bench;
}

/** Waits until the system has reported a change: then another look is scheduled besides the regular one. */
async function told({ clock }: Bench): Promise<void> {
  for (let tries = 0; clock.waiting < 2; tries++) {
    assert.ok(tries < 6000, "the system has told nothing");
    await sleep(10);
  }
}

/** Waits for a reported change and lets the watch settle and look. */
async function settled(bench: Bench): Promise<void> {
  await told(bench);
  // Further reports of the same change restart the wait.
  await sleep(20);
  bench.clock.advance(limits.serialSettleMs);
  await bench.watch.look();
}

test("sees the first stick although its folder did not exist, and the next one", async (t) => {
  const world = await follow(t);
  assert.deepEqual(world.seen, [[]]);
  world.machine.plug(sticks.dongleP);
  await settled(world);
  world.machine.plug(sticks.conbee);
  await settled(world);
  assert.deepEqual(world.seen, [[], ["ea60"], ["ea60", "0030"]]);
});

test("sees sticks vanish, and return after the folder vanished with the last one", async (t) => {
  const world = await follow(t, (machine) => machine.plug(sticks.dongleP));
  world.machine.unplug(sticks.dongleP);
  await settled(world);
  world.machine.plug(sticks.dongleP);
  await settled(world);
  assert.deepEqual(world.seen, [["ea60"], [], ["ea60"]]);
});

test("looks once at changes that arrive in pieces", async (t) => {
  const world = await follow(t, (machine) => machine.plug(sticks.adapter));
  world.machine.plug(sticks.dongleP);
  await told(world);
  world.clock.advance(limits.serialSettleMs - 1);
  world.machine.plug(sticks.conbee);
  await settled(world);
  assert.equal(world.seen.length, 2);
  assert.equal(world.seen[1]?.length, 3);
});

test("a regular look finds changes that the system does not report", async (t) => {
  const world = await follow(t, (machine) => machine.plug(sticks.dongleP));
  writeFileSync(world.machine.path("sys/devices/usb1/ttyUSB0-1/product"), "Other");
  await sleep(20);
  world.clock.advance(limits.serialRescanMs - 1);
  await sleep(20);
  assert.equal(world.seen.length, 1);
  world.clock.advance(1);
  await world.watch.look();
  assert.equal(world.seen.length, 2);
});

test("a port that flaps constantly does not hide other changes", async (t) => {
  const world = await follow(t, (machine) => machine.plug(sticks.dongleP));
  world.machine.plug(sticks.conbee);
  await told(world);
  for (let ms = 0; ms < limits.serialRescanMs; ms += limits.serialSettleMs - 1) {
    world.machine.link("dev/serial/by-id/usb-flapping-if00", "dev/ttyUSB9");
    await sleep(5);
    world.clock.advance(limits.serialSettleMs - 1);
  }
  await until("the other change", () => world.seen.at(-1)?.length === 2);
});

test("runs without /dev, and reports nothing after a stop", async (t) => {
  const world = await follow(t, (machine) => rmSync(machine.path("dev"), { recursive: true }));
  assert.deepEqual(world.seen, [[]]);
  world.watch.stop();
  assert.equal(world.clock.waiting, 0);
  world.machine.plug(sticks.dongleP);
  await world.watch.look();
  assert.deepEqual(world.seen, [[]]);
});

test("reports an error of the listener and calls it again after the next look", async (t) => {
  const world = await follow(t);
  const fault = new Error("no");
  world.fault = fault;
  world.machine.plug(sticks.dongleP);
  await world.watch.look();
  assert.deepEqual(world.watch.ports?.length, 1);
  assert.deepEqual(world.failures, [fault]);
  world.fault = undefined;
  await world.watch.look();
  await world.watch.look();
  assert.deepEqual(world.seen, [[], ["ea60"], ["ea60"]]);
  assert.equal(world.failures.length, 1);
});
