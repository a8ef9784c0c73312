import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { CoordinatorStick } from "@ledge/testkit/zigbee";
import { devices, sticks } from "@ledge/testkit/zigbee";
import type { Rig } from "../test-rig.ts";
import { codeOf, completeOf, startRigOn } from "../test-rig.ts";

const lamp = devices.unknownLamp("0x000b57fffe000001");
const former = "0x60a423fffe000001";
const other = "0x60a423fffe0000ff";

let rig: Rig<CoordinatorStick>;
let text = "";
before(async () => {
  rig = await startRigOn("ember");
  await rig.pair(lamp);
});
after(() => rig.close());

const restore = (backup: string, more: object = {}): Promise<unknown> =>
  rig.ask({ type: "RESTORE_ZIGBEE_BACKUP", backup, replace: true, dryRun: false, ...more });

test("the backup of an ember stick names its address and its devices, which the stick does not tell", async () => {
  const answer = (await rig.ask({ type: "GET_ZIGBEE_BACKUP" })) as { text: string; devices: number };
  ({ text } = answer);
  assert.equal(answer.devices, 1);
  const { coordinator_ieee, devices: listed } = JSON.parse(text) as {
    coordinator_ieee: string;
    devices: readonly { ieee_address: string; nwk_address: string }[];
  };
  assert.equal(`0x${coordinator_ieee}`, former);
  assert.deepEqual(
    listed.map(({ ieee_address: ieee, nwk_address: nwk }) => [`0x${ieee}`, Number.parseInt(nwk, 16)]),
    [[lamp.ieee, rig.air.nwkOf(lamp.ieee)]],
  );
});

test("another hub puts it onto another ember stick, and a scan finds the devices without a join", async () => {
  const { network } = rig.served.stick;
  await rig.adapter.stop();
  await rig.served.unplug();
  await rig.served.plug(sticks.ember({ air: rig.air, ieee: other }));
  for (const made of [rig.stored, rig.found, rig.announced, rig.reports]) {
    if (made instanceof Map) made.clear();
    else made.length = 0;
  }
  await rig.start();
  assert.equal(await codeOf(restore(text, { replace: false })), "refused");
  await restore(text);
  assert.deepEqual(rig.served.stick.network?.key, network?.key);
  assert.equal(rig.served.stick.ieee, former);
  const address = rig.air.nwkOf(lamp.ieee);
  await rig.adapter.pairing?.open(60_000);
  await rig.until("the lamp", () => completeOf(rig.found, lamp.ieee).length > 0);
  await rig.adapter.pairing?.close();
  await rig.adapter.pairing?.keep(lamp.ieee);
  await rig.until("its reachability", () => rig.latest(lamp.ieee, "reachable") === true);
  await rig.set(lamp.ieee, { isOn: true });
  assert.ok(lamp.isOn);
  assert.equal(rig.air.nwkOf(lamp.ieee), address);
});

test("finds devices that the file does not list when they are heard in a scan", async () => {
  const stray = devices.unknownLamp("0x000b57fffe000002");
  await rig.pair(stray);
  const { text: whole } = (await rig.ask({ type: "GET_ZIGBEE_BACKUP" })) as { text: string };
  // As zigpy tells the time; it does not tell the version of the stack.
  const internal = { creation_time: new Date().toISOString() };
  const { metadata, ...rest } = JSON.parse(whole) as { metadata: object };
  const backup = JSON.stringify({ metadata: { ...metadata, internal }, ...rest, devices: [] });
  await rig.adapter.stop();
  rig.stored.clear();
  await rig.start();
  for (const made of [rig.found, rig.announced]) made.length = 0;
  await restore(backup);
  await rig.adapter.pairing?.open(60_000);
  await rig.until("the lamp", () => {
    stray.onOff.turn(!stray.isOn);
    return completeOf(rig.found, stray.ieee).length > 0;
  });
  await rig.adapter.pairing?.close();
});
