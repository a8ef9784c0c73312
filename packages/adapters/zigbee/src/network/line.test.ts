import { until } from "@ledge/testkit";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { EmberStick } from "@ledge/testkit/zigbee";
import type { Home } from "./test-home.ts";
import { formHome } from "./test-home.ts";
import type { NetworkRig } from "./test-network.ts";

// The line to an ember stick repeats what is lost; the other protocols only notice.
let home: Home;
let rig: NetworkRig;
let stick: EmberStick;
before(async () => {
  home = await formHome("ember");
  stick = home.served.stick as EmberStick;
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
  ["damaged frames of the stick", () => stick.faults.garble(2)],
  ["lost frames of the stick", () => stick.faults.lose(1)],
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

test("the network is back after the stick restarted by itself", async () => {
  const { controller } = rig.network;
  stick.restart();
  await until("it is reopened", () => rig.network.controller && rig.network.controller !== controller);
  await obeys(true);
  assert.deepEqual(rig.lines("error"), []);
});

test("the network is back after the stick restarted in the midst of a command", async () => {
  const { controller } = rig.network;
  const endpoint = controller?.getDeviceByIeeeAddr(home.members[0]?.ieee ?? "")?.getEndpoint(1);
  const failed = assert.rejects(async () => await endpoint?.command("genOnOff", "toggle", {}));
  stick.restart();
  await until("it is reopened", () => rig.network.controller && rig.network.controller !== controller);
  await obeys(false);
  await failed;
});
