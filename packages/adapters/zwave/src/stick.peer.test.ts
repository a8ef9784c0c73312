import assert from "node:assert/strict";
import { test } from "node:test";
import { plans, servePty, ZWaveStick } from "@ledge/testkit/zwave";
import { startRig } from "./test-rig.ts";

test("uses a stick at a serial port, also after it was pulled out", async () => {
  const stick = await ZWaveStick.create();
  const { id } = await stick.place(plans.wallPlug());
  const served = await servePty(stick);
  const home = await startRig([], { pathOf: () => served.path });
  try {
    const native = `${stick.homeId.toString(16)}/${id}`;
    await home.keepAndReplug(native, served);
    await home.set(native, { isOn: false });
    await home.untilReported(native, "isOn", false);
    assert.equal((await home.command("GET_ZWAVE_STATISTICS"))["status"], "READY");
  } finally {
    await home.close();
    await served.close();
  }
});
