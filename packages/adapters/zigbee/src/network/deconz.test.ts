import { until } from "@ledge/testkit";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { DeconzStick } from "@ledge/testkit/zigbee";
import type { Home } from "./test-home.ts";
import { formHome } from "./test-home.ts";
import { stickSuite } from "./test-stick-suite.ts";
import type { NetworkRig } from "./test-network.ts";

stickSuite("deconz");

// A process can run one such stick at a time, because the library keeps its queues in the module.
describe("a simulated deconz stick", () => {
  let home: Home;
  let rig: NetworkRig;
  let stick: DeconzStick;
  before(async () => {
    home = await formHome("deconz");
    stick = home.served.stick as DeconzStick;
    await home.plug(stick);
    rig = home.rig();
    await rig.up();
  });
  after(async () => {
    await rig.close();
    await home.close();
  });

  /** Switches a device and asserts that it obeys. */
  async function obeys(isOn: boolean): Promise<void> {
    const [member] = home.members;
    const device = (await rig.opened()).getDeviceByIeeeAddr(member?.ieee ?? "");
    await device?.getEndpoint(1)?.command("genOnOff", isOn ? "on" : "off", {});
    assert.equal(member?.isOn, isOn);
  }

  for (const [what, disturb] of [
    ["a damaged frame of the stick", () => stick.faults.garble(1)],
    ["a lost frame of the stick", () => stick.faults.lose(1)],
    ["damaged bytes of the host", () => stick.faults.disturbHost("garbled", 1)],
    [
      "bytes in single pieces",
      () => (stick.faults.pieces = (bytes) => [...bytes].map((byte) => Uint8Array.of(byte))),
    ],
    ["late answers", () => (stick.faults.delayMs = 300)],
  ] as const)
    test(`commands survive ${what}`, async (t) => {
      t.after(() => stick.faults.clear());
      const { controller } = rig.network;
      disturb();
      await obeys(true);
      await obeys(false);
      assert.equal(rig.network.controller, controller, "the stick stays open");
    });

  test("commands go on after the stick restarted by itself, with its network", async () => {
    stick.restart();
    await obeys(true);
    assert.deepEqual(rig.lines("error"), []);
  });

  test("another stick is refused, because the network cannot be put onto it", async (t) => {
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
