import { until } from "@ledge/testkit";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DeconzStick } from "@ledge/testkit/zigbee";
import { lineSuite } from "./test-line-suite.ts";
import { stickSuite } from "./test-stick-suite.ts";

stickSuite("deconz");

// A process can run one such stick at a time, because the library keeps its queues in the module.
lineSuite("deconz", 1, (line) => {
  test("commands go on after the stick restarted by itself, with its network", async () => {
    const { home, rig, obeys } = line;
    (home.served.stick as DeconzStick).restart();
    await obeys(true);
    assert.deepEqual(rig.lines("error"), []);
  });

  test("another stick is refused, because the network cannot be put onto it", async (t) => {
    const { home, rig } = line;
    await rig.network.stop();
    const other = await home.plug(home.make({ ieee: "0x00212effff0000ff" }));
    const factory = other.save();
    const second = home.rig();
    t.after(() => second.close());
    await second.network.start();
    await until("the error", () => second.lines("error").length > 0);
    assert.match(second.lines("error").join(), /a network cannot be put onto a deconz stick/);
    assert.deepEqual([other.network, other.save()], [null, factory], "nothing was written to it");
  });
});
