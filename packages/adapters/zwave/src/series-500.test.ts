import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { plans, reports } from "@ledge/testkit/zwave";
import { codeOf, type Rig, startRig } from "./test-rig.ts";

/** How long the port of a stick is gone after a reset: longer than the library waits before it looks. */
const goneMs = 2500;

describe("a stick of the 500 series", () => {
  let home: Rig;
  let plug = "";
  let sensor = 0;
  before(async () => {
    home = await startRig([], { series: 500 });
    plug = await home.pair(plans.wallPlug());
    await home.pair(plans.motionSensor());
    sensor = home.stick.nodeIds.at(-1) ?? 0;
    await home.until("sleep", () => home.stick.isAsleep(sensor));
  });
  after(() => home.close());

  const silentNode = (): number => Number(plug.split("/")[1]);

  test("lets devices join without a word that it has started, and commands them", async () => {
    await home.set(plug, { isOn: true });
    await home.untilReported(plug, "isOn", true);
    assert.equal((await home.command("GET_ZWAVE_STATISTICS"))["status"], "READY");
  });

  test("has neither a memory to back up nor a bootloader, and says so", async () => {
    const { isSupported, isDue } = await home.command("GET_ZWAVE_BACKUP");
    assert.deepEqual([isSupported, isDue], [false, true]);
    assert.equal(await codeOf(home.command("ZWAVE_BACK_UP")), "unsupported");
    assert.equal(await codeOf(home.command("ZWAVE_UPGRADE_STICK", { file: "stick.gbl" })), "unsupported");
  });

  test("counts a silent device as dead and a sleeping one as reachable, while it tries them for seconds", async () => {
    home.stick.triesMs = 1500;
    home.stick.powerNode(silentNode(), false);
    const failing = codeOf(home.set(plug, { isOn: false }));
    // The stick is busy with the silent one meanwhile, and still hears the others.
    await home.stick.says(sensor, reports.motion(true));
    const native = home.native(sensor);
    await home.untilReported(native, "motion", true);
    assert.equal(await failing, "unreachable");
    await home.untilReported(plug, "reachable", false);
    home.stick.triesMs = 0;
    assert.equal(await codeOf(home.set(native, { isOn: true })), "asleep");
    const status = async (id: number): Promise<unknown> =>
      (await home.nodes()).find(({ nodeId }) => nodeId === id)?.["status"];
    assert.deepEqual([await status(silentNode()), await status(sensor)], [1, 0]);
    assert.equal(home.latest(native, "reachable"), true);
    home.stick.powerNode(silentNode(), true);
    await home.stick.says(silentNode(), reports.battery(100));
    await home.untilReported(plug, "reachable", true);
  });

  test("is waited for when its port is gone after its reset, and is not reset again", async () => {
    let resets = 0;
    home.stick.onReset = async () => {
      resets += 1;
      if (resets > 1) return;
      await home.served.unplug();
      await sleep(goneMs);
      await home.served.plug();
    };
    await home.restart();
    await home.set(plug, { isOn: false });
    await home.untilReported(plug, "isOn", false);
    assert.deepEqual([resets, home.complaints.filter((each) => each.includes("stick failed"))], [1, []]);
  });
});
