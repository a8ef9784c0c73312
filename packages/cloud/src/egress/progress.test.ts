import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { memoryRegisterStore } from "@ledge/fleet";
import { limits } from "@ledge/model";
import { Progress } from "./progress.ts";

/** A store whose disk a test holds. */
function slowStore() {
  const store = memoryRegisterStore(() => 0);
  const written: number[] = [];
  let held: (() => void)[] | undefined;
  let isBroken = false;
  return {
    store,
    written,
    hold: () => void (held = []),
    release: () => {
      for (const go of held ?? []) go();
      held = undefined;
    },
    break: (broken: boolean) => void (isBroken = broken),
    slow: {
      positionOf: (reader: string) => store.positionOf(reader),
      moveCursor: async (reader: string, from: number, to: number): Promise<boolean> => {
        const waiting = held;
        if (waiting) await new Promise<void>((resolve) => void waiting.push(resolve));
        if (isBroken) throw new Error("the disk is full");
        written.push(to);
        return store.moveCursor(reader, from, to);
      },
    },
  };
}

test("moves on while the store writes, which then writes the last position at once", async () => {
  const disk = slowStore();
  const progress = new Progress(disk.slow, "r");
  assert.equal(await progress.read(), 0);
  disk.hold();
  await Promise.all([1, 2, 3].map((to) => progress.move(to)));
  await setImmediate();
  for (let to = 4; to < 20; to++) await progress.move(to);
  assert.equal(await progress.read(), 19);
  assert.equal(await disk.store.positionOf("r"), 0);
  disk.release();
  await progress.settled();
  assert.deepEqual(disk.written, [3, 19]);
  assert.equal(await disk.store.positionOf("r"), 19);
});

test("waits for the store when it is too far behind", async () => {
  const disk = slowStore();
  const progress = new Progress(disk.slow, "r");
  await progress.read();
  disk.hold();
  await progress.move(1);
  await setImmediate();
  for (let moves = 1; moves < limits.egressMovesAhead; moves++) await progress.move(1 + moves);
  let isDone = false;
  const last = progress.move(1000).then(() => (isDone = true));
  await setImmediate();
  assert.equal(isDone, false);
  disk.release();
  await last;
  assert.equal(await disk.store.positionOf("r"), 1000);
});

test("a store that fails stops the reader until it works again, and nothing is forgotten", async () => {
  const disk = slowStore();
  const progress = new Progress(disk.slow, "r");
  await progress.read();
  disk.break(true);
  await progress.move(5);
  await assert.rejects(progress.settled(), /disk is full/);
  await assert.rejects(progress.read(), /disk is full/);
  disk.break(false);
  assert.equal(await progress.read(), 5);
  assert.equal(await disk.store.positionOf("r"), 5);
});

test("reads the position anew when another reader of that name has moved it", async () => {
  const disk = slowStore();
  const progress = new Progress(disk.slow, "r");
  await progress.read();
  await disk.store.moveCursor("r", 0, 7);
  await progress.move(3);
  await progress.settled();
  assert.equal(await progress.read(), 7);
  await progress.move(8);
  await progress.settled();
  assert.equal(await disk.store.positionOf("r"), 8);
});
