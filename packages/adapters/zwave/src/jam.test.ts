import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { systemClock } from "@ledge/port";
import { plans } from "@ledge/testkit/zwave";
import { calmMs } from "./jam.ts";
import { codeOf, type Rig, startRig } from "./test-rig.ts";

describe("a jammed stick", () => {
  let home: Rig;
  let lamp = "";
  before(async () => {
    // Nobody has to wait until the air counts as free.
    const soon = (ms: number, callback: () => void) =>
      systemClock.after(ms === calmMs ? calmMs / 100 : ms, callback);
    home = await startRig([], { clock: { now: () => systemClock.now(), after: soon } });
    lamp = await home.pair(plans.lamp());
  });
  after(() => home.close());

  const status = async (): Promise<unknown> => (await home.command("GET_ZWAVE_STATISTICS"))["status"];

  test("carries out what it was told when the air is free again, and says it once", async () => {
    home.stick.isJammed = true;
    const done = home.set(lamp, { isOn: true });
    await home.until("a trouble", () => home.troubles.length > 0);
    assert.equal(await status(), "JAMMED");
    home.stick.isJammed = false;
    await done;
    await home.untilReported(lamp, "isOn", true);
    await home.until("its end", () => home.troubles.length > 1);
    assert.deepEqual(home.troubles.splice(0), ["jammed", null]);
    assert.equal(await status(), "READY");
  });

  test("fails a command when the air stays full, says so, and works afterwards", async () => {
    home.stick.isJammed = true;
    await assert.rejects(home.set(lamp, { isOn: false }), { code: "busy", message: /the air is jammed/ });
    assert.notEqual(home.latest(lamp, "reachable"), false);
    home.stick.isJammed = false;
    assert.equal(await codeOf(home.set(lamp, { isOn: false })), undefined);
    await home.untilReported(lamp, "isOn", false);
    await home.until("its end", () => home.troubles.at(-1) === null);
    assert.deepEqual(home.troubles, ["jammed", null]);
  });
});
