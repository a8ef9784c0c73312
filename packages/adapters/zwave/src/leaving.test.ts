import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { systemClock } from "@ledge/port";
import { plans } from "@ledge/testkit/zwave";
import { codeOf, type Rig, startRig } from "./test-rig.ts";

describe("a stick in the network of another controller", () => {
  const network = "ab12cd34";
  let home: Rig;
  /** Ends the time in which the other controller may remove the stick. */
  let beLate = (): void => {};
  before(async () => {
    const clock = {
      now: () => systemClock.now(),
      after: (ms: number, callback: () => void) => {
        if (ms === 120_000) beLate = callback;
        return systemClock.after(ms, callback);
      },
    };
    home = await startRig([], { clock, memberOf: Number.parseInt(network, 16) });
  });
  after(() => home.close());

  const state = () => home.command("GET_ZWAVE_LEAVING_STATUS");
  async function untilState(status: string, isMember: boolean | null): Promise<void> {
    let now: Readonly<Record<string, unknown>> = {};
    await home.until(`the status ${status}`, () => {
      void state().then((told) => (now = told));
      return now["status"] === status && now["isMember"] === isMember;
    });
  }
  async function leave(): Promise<void> {
    const { confirm } = await home.command("ZWAVE_START_LEAVING");
    assert.equal((await home.command("ZWAVE_START_LEAVING", { confirm }))["done"], true);
    assert.equal((await state())["status"], "RUNNING");
    assert.ok(home.stick.learnMode.isOn);
  }

  test("says so, and leaves only when it is asked twice", async () => {
    assert.match(home.complaints.join(" "), /in the network of another controller/);
    const idle = { type: "ZWAVE_LEAVING_STATUS", status: "IDLE", network: null, isMember: true };
    assert.deepEqual(await state(), idle);
    const asked = await home.command("ZWAVE_START_LEAVING");
    assert.deepEqual([asked["done"], asked["network"]], [false, network]);
    assert.equal(await codeOf(home.command("ZWAVE_START_LEAVING", { confirm: "yes" })), "refused");
    assert.ok(!home.stick.learnMode.isOn);
  });

  test("says that it is about to leave once the other controller can remove it", async () => {
    const { confirm } = await home.command("ZWAVE_START_LEAVING");
    const begun = home.command("ZWAVE_START_LEAVING", { confirm });
    while ((await state())["status"] !== "RUNNING") await setImmediate();
    assert.ok(home.stick.learnMode.isOn);
    await begun;
    await home.command("ZWAVE_CANCEL_LEAVING");
  });

  test("stays when somebody cancels, and when nobody removes it in time", async () => {
    await leave();
    assert.equal(await codeOf(home.command("ZWAVE_START_LEAVING")), "busy");
    const cancelled = { type: "ZWAVE_LEAVING_STATUS", status: "CANCEL", network, isMember: true };
    assert.deepEqual(await home.command("ZWAVE_CANCEL_LEAVING"), cancelled);
    assert.ok(!home.stick.learnMode.isOn);
    await leave();
    beLate();
    await untilState("TIMEOUT", true);
    await home.until("the end of learn mode", () => !home.stick.learnMode.isOn);
  });

  test("stays when the other controller cannot remove it", async () => {
    await leave();
    await home.stick.learnMode.fail();
    await untilState("ERROR", true);
  });

  test("stays when it is pulled out, and when the adapter ends meanwhile", async () => {
    await leave();
    await home.served.unplug();
    await untilState("ERROR", null);
    await home.served.plug(home.stick);
    await untilState("ERROR", true);
    await leave();
    await home.restart();
    assert.deepEqual([(await state())["status"], (await state())["network"]], ["ERROR", network]);
    assert.ok(!home.stick.learnMode.isOn);
  });

  test("has a network of its own once it was removed, which devices join", async () => {
    await leave();
    await home.stick.learnMode.remove();
    await untilState("SUCCESS", false);
    assert.deepEqual([(await state())["network"], home.stick.nodeIds], [network, []]);
    const plug = await home.pair(plans.wallPlug());
    assert.ok(!plug.startsWith(network));
    await home.set(plug, { isOn: true });
    await home.untilReported(plug, "isOn", true);
    assert.equal(await codeOf(home.command("ZWAVE_START_LEAVING")), "refused");
  });
});
