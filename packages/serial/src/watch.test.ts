import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { limits } from "@ledge/model";
import { SimulatedClock, sticks, TestMachine } from "@ledge/testkit";
import { PortWatch } from "./watch.ts";

interface Bench {
  readonly machine: TestMachine;
  readonly clock: SimulatedClock;
  /** Product ids of the ports, once per change. */
  readonly seen: (string | null)[][];
  readonly watch: PortWatch;
  /** What a listener throws from now on. */
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

/** The system has told of something: a look is due besides the regular one. */
async function told({ clock }: Bench): Promise<void> {
  for (let tries = 0; clock.waiting < 2; tries++) {
    assert.ok(tries < 6000, "the system has told nothing");
    await sleep(10);
  }
}

/** What it then sees, when no more comes. */
async function settled(bench: Bench): Promise<void> {
  await told(bench);
  // What else of the same change is told keeps it waiting.
  await sleep(20);
  bench.clock.advance(limits.serialSettleMs);
  await bench.watch.look();
}

test("the first stick is seen when it comes although there was no folder for it, and so is the next", async (t) => {
  const world = await follow(t);
  assert.deepEqual(world.seen, [[]]);
  world.machine.plug(sticks.dongleP);
  await settled(world);
  world.machine.plug(sticks.conbee);
  await settled(world);
  assert.deepEqual(world.seen, [[], ["ea60"], ["ea60", "0030"]]);
});

test("sticks are seen to go, and to come back after the folder went with the last of them", async (t) => {
  const world = await follow(t, (machine) => machine.plug(sticks.dongleP));
  world.machine.unplug(sticks.dongleP);
  await settled(world);
  world.machine.plug(sticks.dongleP);
  await settled(world);
  assert.deepEqual(world.seen, [["ea60"], [], ["ea60"]]);
});

test("what comes bit by bit is looked at once", async (t) => {
  const world = await follow(t, (machine) => machine.plug(sticks.adapter));
  world.machine.plug(sticks.dongleP);
  await told(world);
  world.clock.advance(limits.serialSettleMs - 1);
  world.machine.plug(sticks.conbee);
  await settled(world);
  assert.equal(world.seen.length, 2);
  assert.equal(world.seen[1]?.length, 3);
});

test("where nothing is told, a look now and then sees it", async (t) => {
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

test("a port that flaps without rest does not keep the others from being seen", async (t) => {
  const world = await follow(t, (machine) => machine.plug(sticks.dongleP));
  world.machine.plug(sticks.conbee);
  await told(world);
  for (let ms = 0; ms < limits.serialRescanMs; ms += limits.serialSettleMs - 1) {
    world.machine.link("dev/serial/by-id/usb-flapping-if00", "dev/ttyUSB9");
    await sleep(5);
    world.clock.advance(limits.serialSettleMs - 1);
  }
  await world.watch.look();
  assert.equal(world.seen.at(-1)?.length, 2);
});

test("a machine without /dev is no error, and one that has been stopped says nothing more", async (t) => {
  const world = await follow(t, (machine) => rmSync(machine.path("dev"), { recursive: true }));
  assert.deepEqual(world.seen, [[]]);
  world.watch.stop();
  assert.equal(world.clock.waiting, 0);
  world.machine.plug(sticks.dongleP);
  await world.watch.look();
  assert.deepEqual(world.seen, [[]]);
});

test("a listener that throws is said, and called again with the next look", async (t) => {
  const world = await follow(t);
  const fault = new Error("no");
  world.fault = fault;
  world.machine.plug(sticks.dongleP);
  await world.watch.look();
  assert.deepEqual(world.watch.ports.length, 1);
  assert.deepEqual(world.failures, [fault]);
  world.fault = undefined;
  await world.watch.look();
  await world.watch.look();
  assert.deepEqual(world.seen, [[], ["ea60"], ["ea60"]]);
  assert.equal(world.failures.length, 1);
});
