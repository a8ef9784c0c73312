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
  /** Its adapter says so. */
  readonly say: (upgrade: object) => Promise<unknown>;
  /** The state of the upgrade, and the alerts that there are. */
  readonly shown: () => readonly [status: string, ...alerts: string[]];
}

const installing = { ...upgradeAvailable, status: "INSTALLING", pctComplete: 1 };

/** A device whose upgrade a user has just asked for. */
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

describe("an upgrade of which nothing is heard", () => {
  test("has failed after a while, at its edge, and an alert says so until it is asked for again", async () => {
    const { accept, clock, id, shown } = await requested();
    await clock.pass(limits.upgradeSilentMs - 1000);
    assert.deepEqual(shown(), ["REQUESTED"]);
    await clock.pass(1100);
    assert.deepEqual(shown(), ["FAILED", "UPGRADE_FAILED"]);
    await accept({ type: "CMD_START_UPGRADE", id });
    assert.deepEqual(shown(), ["REQUESTED"]);
  });

  test("has not failed while it goes on, however long it takes", async () => {
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

  test("is waited for over a restart of the hub", async () => {
    const bench = await requested();
    await bench.clock.pass(limits.upgradeSilentMs - 1000);
    const again = bench.restart();
    again.kernel.settled();
    assert.deepEqual(shownIn(again, bench.id), ["REQUESTED"]);
    await bench.clock.pass(2000);
    assert.deepEqual(shownIn(again, bench.id), ["FAILED", "UPGRADE_FAILED"]);
  });

  test("leaves nothing behind with its device", async () => {
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
  test(`what an adapter was installing has failed when it ${what}; another's has not`, async () => {
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

test("one that its device says has failed is an alert, and an old one that is heard of first is none", async () => {
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
