import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { openTestKernel, type TestKernel } from "@ledge/testkit";
import { createLogger } from "@ledge/host/logger";
import type { SpaceOptions } from "./space.ts";
import { freeBytes, SpaceWatch } from "./space.ts";

function watch(relieve?: NonNullable<SpaceOptions["relieve"]>) {
  const disk: { free: number } = { free: limits.reserveAgainBytes };
  const hub = openTestKernel();
  const space = new SpaceWatch({
    folder: "/nowhere",
    clock: hub.clock,
    logger: createLogger("silent"),
    onFatal: assert.fail,
    free: () => Promise.resolve(disk.free),
    ...(relieve && { relieve }),
  });
  return { ...hub, disk, space };
}

test("turns read-only below the reserve, with a reason, and serves again when there is clearly more", async () => {
  const { kernel, clock, disk, space } = watch();
  await space.watch(kernel);
  for (const [free, state] of [
    [limits.reserveBytes, "serving"],
    [limits.reserveBytes - 1, "read-only"],
    [limits.reserveBytes, "read-only"],
    [limits.reserveAgainBytes - 1, "read-only"],
    [limits.reserveAgainBytes, "serving"],
    [0, "read-only"],
  ] as const) {
    disk.free = free;
    await clock.pass(limits.spaceCheckMs);
    assert.equal(kernel.health.state, state, `${free} bytes`);
  }
  assert.match(kernel.health.reason ?? "", /^the disk is full, 0 MiB are free/);
  space.stop();
  disk.free = limits.reserveAgainBytes;
  await clock.pass(10 * limits.spaceCheckMs);
  assert.equal(kernel.health.state, "read-only");
});

/** Gives the log of a kernel this much spare room. */
function spare({ log }: Pick<TestKernel, "log">, bytes: number): void {
  const stats = log.stats();
  log.stats = () => ({ ...stats, spareBytes: bytes });
}

test("first asks the log to prune, then serves and writes snapshots in the room that it frees", async () => {
  let asked = 0;
  const hub = watch(async () => {
    asked += 1;
    spare(hub, limits.reliefBytes);
  });
  const { kernel, clock, disk, space } = hub;
  const full = limits.reserveBytes - limits.reliefBytes;
  disk.free = full;
  await space.watch(kernel);
  assert.deepEqual([kernel.health.state, asked, await space.hasRoom()], ["serving", 1, true]);
  await clock.pass(limits.spaceCheckMs);
  assert.deepEqual([kernel.health.state, asked], ["serving", 1]);
  disk.free = full - 1;
  await clock.pass(limits.spaceCheckMs);
  assert.deepEqual([kernel.health.state, asked, await space.hasRoom()], ["read-only", 1, false]);
});

test("turns read-only when pruning frees too little, and asks for it once", async () => {
  let asked = 0;
  const hub = watch(async () => spare(hub, ((asked += 1), limits.reliefBytes - 1)));
  const { kernel, clock, disk, space } = hub;
  disk.free = limits.reserveBytes - limits.reliefBytes;
  await space.watch(kernel);
  await clock.pass(limits.spaceCheckMs);
  assert.deepEqual([kernel.health.state, asked], ["read-only", 1]);
});

test("takes failed pruning as no relief, and a failed look at the disk as not full", async () => {
  const failing = watch(() => Promise.reject(new Error("no")));
  failing.disk.free = limits.reserveBytes - 1;
  await failing.space.watch(failing.kernel);
  assert.equal(failing.kernel.health.state, "read-only");

  const { kernel, clock } = openTestKernel();
  const free = (): Promise<number> => Promise.reject(new Error("no"));
  const logger = createLogger("silent");
  const space = new SpaceWatch({ folder: "/nowhere", clock, logger, onFatal: assert.fail, free });
  await space.watch(kernel);
  assert.deepEqual([kernel.health.state, await space.hasRoom()], ["serving", true]);
});

test("measures once before a large write, for all who ask at the same time", async () => {
  const { kernel, disk, space } = watch();
  await space.watch(kernel);
  disk.free = limits.reserveBytes - 1;
  assert.deepEqual(await Promise.all([space.hasRoom(), space.hasRoom()]), [false, false]);
  assert.equal(kernel.health.state, "read-only");
});

test("measures the nearest existing parent of a missing folder", async () => {
  assert.ok((await freeBytes("/nowhere/at/all")) > 0);
});
