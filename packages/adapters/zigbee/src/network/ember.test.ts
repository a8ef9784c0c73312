import { until } from "@ledge/testkit";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { EmberStick } from "@ledge/testkit/zigbee";
import type { Home } from "./test-home.ts";
import { formHome, memberEndpoint } from "./test-home.ts";
import { stickSuite } from "./test-stick-suite.ts";
import type { NetworkRig } from "./test-network.ts";

stickSuite("ember");

let home: Home;
before(async () => {
  home = await formHome("ember");
});
after(() => home.close());

const other = "0x60a423fffe0000ff";
const setTokenData = 0x103;
const badArgument = 2;

/** Switches a device of a home. Returns whether it is on. */
async function toggle(rig: NetworkRig, of: Home): Promise<boolean | undefined> {
  await memberEndpoint(of, await rig.opened())?.command("genOnOff", "toggle", {});
  return of.members[0]?.isOn;
}

test("restores the network and the address of the old stick onto another one, which devices obey", async (t) => {
  const stick = await home.plug(home.make({ ieee: other }));
  const rig = home.rig();
  t.after(() => rig.close());
  const controller = await rig.up();
  const { networkKey, panId, channel } = rig.stored.get("network") as Record<string, unknown>;
  assert.deepEqual(
    [stick.network?.key, stick.network?.panId, stick.network?.channel],
    [networkKey, panId, channel],
  );
  assert.equal(stick.ieee, "0x60a423fffe000001");
  assert.equal(controller.getDevicesByType("Coordinator")[0]?.ieeeAddr, stick.ieee);
  assert.equal(await toggle(rig, home), true);
  assert.equal((rig.stored.get("missing") as string[]).length, 2);
  assert.deepEqual(rig.lines("error"), []);
  assert.deepEqual(rig.lines("warn"), []);
});

test("warns when the other stick cannot take the address", async (t) => {
  const stick = home.make({ ieee: other }) as EmberStick;
  stick.faults.refuse(0, setTokenData, badArgument);
  await home.plug(stick);
  const rig = home.rig();
  t.after(() => rig.close());
  await rig.up();
  assert.equal(stick.ieee, other);
  assert.equal(rig.lines("warn").filter((line) => /kept its own address/.test(line)).length, 1);
});

test("a returning stick continues after the frames that another has sent meanwhile", async (t) => {
  // Its own home, because devices of the shared one have seen frames of other sticks.
  const own = await formHome("ember");
  t.after(() => own.close());
  const first = own.served.stick;
  await own.plug(own.make({ ieee: other }));
  const rig = own.rig();
  t.after(() => rig.close());
  await rig.up();
  const states = [await toggle(rig, own)];
  await until("a backup of the other stick", () => rig.puts.includes("backup"));
  await rig.network.stop();
  await own.plug(first);
  await rig.restart();
  states.push(await toggle(rig, own));
  await rig.restart();
  states.push(await toggle(rig, own));
  assert.deepEqual(states, [true, false, true]);
  assert.equal(rig.lines("info").filter((line) => /put onto another stick/.test(line)).length, 2);
});

test("without a backup forms no new network over a known one", async (t) => {
  const stick = await home.plug(home.make({ ieee: other }));
  const rig = home.rig((stored) => stored.delete("backup"));
  t.after(() => rig.close());
  await rig.network.start();
  await until("the error", () => rig.lines("error").length > 0);
  assert.match(rig.lines("error").join(), /there is no backup/);
  assert.equal(stick.network, null);
});
