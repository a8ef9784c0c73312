import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { limits, upgradeInfo } from "@ledge/model";
import type { TestKernel } from "@ledge/testkit";
import { contentOf, openTestKernel, upgradeAvailable } from "@ledge/testkit";
import { reactions } from "./index.ts";

const device = {
  type: "ADD_DEVICE",
  name: "Lamp",
  protocol: "sim",
  native: "l",
  radio: "air",
  ...contentOf("LIGHT", ["DEVICE", "UPGRADE"]),
};

interface Bench extends TestKernel {
  readonly id: string;
  /** A report of the device's adapter. */
  readonly say: (upgrade: object) => Promise<unknown>;
  /** The state of the upgrade, and the open alerts. */
  readonly shown: () => readonly [status: string, ...alerts: string[]];
}

const installing = { ...upgradeAvailable, status: "INSTALLING", pctComplete: 1 };

/** A device whose upgrade a user has just started. */
async function requested(): Promise<Bench> {
  const hub = openTestKernel({ reactions });
  hub.kernel.settled();
  const id = await hub.accept(device);
  const say = (upgrade: object): Promise<unknown> => hub.accept({ type: "NOTE_UPGRADE", id, upgrade });
  await say(upgradeAvailable);
  await hub.accept({ type: "CMD_START_UPGRADE", id });
  return { ...hub, id, say, shown: () => shownIn(hub, id) };
}

function shownIn({ kernel }: Pick<TestKernel, "kernel">, id: string): readonly [string, ...string[]] {
  const alerts = [...kernel.all("alert")].map(([, { msg_id, sourceId }]) => {
    assert.equal(sourceId, id);
    return msg_id;
  });
  return [upgradeInfo(id, kernel.get("upgrade", id)).status, ...alerts];
}

describe("an upgrade without news", () => {
  test("fails after a while and raises an alert, until a user starts it again", async () => {
    const { accept, clock, id, shown } = await requested();
    await clock.pass(limits.upgradeSilentMs - 1000);
    assert.deepEqual(shown(), ["REQUESTED"]);
    await clock.pass(1100);
    assert.deepEqual(shown(), ["FAILED", "UPGRADE_FAILED"]);
    await accept({ type: "CMD_START_UPGRADE", id });
    assert.deepEqual(shown(), ["REQUESTED"]);
  });

  test("does not fail while it makes progress, however long it takes", async () => {
    const { clock, say, shown } = await requested();
    for (let pctComplete = 1; pctComplete < 10; pctComplete++) {
      await say({ ...installing, pctComplete });
      await clock.pass(limits.upgradeSilentMs - 1000);
      assert.deepEqual(shown(), ["INSTALLING"]);
    }
    await clock.pass(1100);
    assert.deepEqual(shown(), ["FAILED", "UPGRADE_FAILED"]);
    await say({ ...installing, pctComplete: 11 });
    assert.deepEqual(shown(), ["INSTALLING"]);
    await say({ ...upgradeAvailable, status: "UP_TO_DATE" });
    await clock.pass(limits.upgradeSilentMs);
    assert.deepEqual(shown(), ["UP_TO_DATE"]);
  });

  test("keeps its timer over a restart of the hub", async () => {
    const bench = await requested();
    await bench.clock.pass(limits.upgradeSilentMs - 1000);
    const again = bench.restart();
    again.kernel.settled();
    assert.deepEqual(shownIn(again, bench.id), ["REQUESTED"]);
    await bench.clock.pass(2000);
    assert.deepEqual(shownIn(again, bench.id), ["FAILED", "UPGRADE_FAILED"]);
  });

  test("leaves no timer and no alert when its device is removed", async () => {
    const { accept, id, kernel } = await requested();
    await accept({ type: "REMOVE_DEVICE", id });
    assert.deepEqual([kernel.size("timer"), kernel.size("alert"), kernel.size("upgrade")], [0, 0, 0]);
  });
});

for (const [what, command] of [
  ["fails", { type: "NOTE_ADAPTER", state: "failed", reason: "it was killed" }],
  ["rests", { type: "NOTE_ADAPTER", state: "resting", reason: "too often" }],
  ["stops", { type: "NOTE_ADAPTER", state: "stopped", reason: null }],
  ["is away", { type: "NOTE_ADAPTER_AWAY", reason: null, at: 1, spared: [] }],
] as const) {
  test(`an upgrade under way fails when its adapter ${what}, but not when another one does`, async () => {
    const { accept, say, shown } = await requested();
    await say(installing);
    for (const id of ["sim", "modbus"])
      await accept({ type: "NOTE_ADAPTER", id, state: "running", reason: null });
    await accept({ ...command, id: "modbus" });
    assert.deepEqual(shown(), ["INSTALLING"]);
    await accept({ ...command, id: "sim" });
    assert.deepEqual(shown(), ["FAILED", "UPGRADE_FAILED"]);
  });
}

test("an upgrade that waits for its device and fails raises an alert, until it waits again", async () => {
  const { clock, say, shown } = await requested();
  const waiting = { ...upgradeAvailable, status: "REQUESTED", message: "the device sleeps" };
  await say(waiting);
  await clock.pass(limits.upgradeSilentMs + 1000);
  assert.deepEqual(shown(), ["REQUESTED"]);
  await say({ ...upgradeAvailable, status: "FAILED", message: "it has not asked for 14 days" });
  assert.deepEqual(shown(), ["FAILED", "UPGRADE_FAILED"]);
  await say(waiting);
  assert.deepEqual(shown(), ["REQUESTED"]);
});

test("a device that reports a failed upgrade raises an alert; an old failure reported first does not", async () => {
  const { say, shown } = await requested();
  await say(installing);
  await say({ ...upgradeAvailable, status: "FAILED", message: "checksum" });
  assert.deepEqual(shown(), ["FAILED", "UPGRADE_FAILED"]);
  const hub = openTestKernel({ reactions });
  const id = await hub.accept(device);
  const upgrade = { ...upgradeAvailable, status: "FAILED", message: "checksum" };
  await hub.accept({ type: "NOTE_UPGRADE", id, upgrade });
  assert.deepEqual(shownIn(hub, id), ["FAILED"]);
});
