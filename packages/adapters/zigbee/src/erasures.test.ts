import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { devices } from "@ledge/testkit/zigbee";
import type { Rig } from "./test-rig.ts";
import { completeOf, startRig } from "./test-rig.ts";

const lampIeee = "0x000b57fffe000001";
const otherIeee = "0x000b57fffe000002";
const lamp = devices.unknownLamp(lampIeee);
const other = devices.unknownLamp(otherIeee);
let rig: Rig;
before(async () => {
  rig = await startRig();
  await rig.pair(lamp);
  await rig.pair(other);
  const group = { id: "both", address: 7, members: [lampIeee, otherIeee] };
  await rig.adapter.groupcast?.keep([group]);
  for (const { ota } of [lamp, other]) ota.query();
  for (const ieee of [lampIeee, otherIeee])
    await rig.until("all rows", () => [`node/${ieee}`, `groups/${ieee}`, `firmware/${ieee}`].every(isStored));
});
after(() => rig.close());

const isStored = (key: string): boolean => (rig.stored.get(key) ?? null) !== null;
const rowsOf = (ieee: string): readonly string[] =>
  [...rig.stored.keys()].filter((key) => key.includes(ieee) && isStored(key));
const isIndexed = (ieee: string): boolean => (rig.stored.get("nodes") as string[]).includes(ieee);

test("erases all stored data of a removed device", async () => {
  await rig.adapter.forget?.(otherIeee);
  assert.deepEqual(rowsOf(otherIeee), []);
  assert.ok(!isIndexed(otherIeee));
  assert.deepEqual(rig.stored.get("forgotten"), []);
});

test("removes a device although the store refuses, and erases its data once the store accepts", async () => {
  const rows = rowsOf(lampIeee);
  rig.refused = /./;
  await rig.adapter.forget?.(lampIeee);
  assert.equal(rig.air.nwkOf(lampIeee), undefined);
  assert.deepEqual(rowsOf(lampIeee), rows);
  rig.hurry();
  assert.deepEqual(rowsOf(lampIeee), rows);
  rig.refused = undefined;
  await rig.until("another try", () => {
    rig.hurry();
    return rowsOf(lampIeee).length === 0 && !isIndexed(lampIeee);
  });
});

test("does not erase a device that was paired again before the store accepted its removal", async () => {
  rig.found.length = 0;
  await rig.pair(other);
  rig.refused = /./;
  await rig.adapter.forget?.(otherIeee);
  rig.refused = undefined;
  rig.found.length = 0;
  await rig.pair(other);
  rig.hurry();
  await rig.until("its set-up", () => isStored(`node/${otherIeee}`) && isIndexed(otherIeee));
  await rig.restart();
  assert.ok(rig.announced.some(({ native }) => native === otherIeee));
});

test("stores nothing of a device that the hub never kept", async () => {
  const guest = devices.unknownLamp("0x000b57fffe000003");
  rig.air.add(guest);
  await rig.adapter.pairing?.open(60_000);
  rig.air.join(guest.ieee);
  await rig.until("a find", () => completeOf(rig.found, guest.ieee).length > 0);
  guest.ota.query();
  await rig.until("its answer", () => rig.air.log.count({ to: guest.ieee, cluster: 0x19 }) > 0);
  rig.air.leave(guest.ieee);
  await rig.until("its loss", () => rig.lost.includes(guest.ieee));
  await rig.adapter.pairing?.close();
  assert.deepEqual(rowsOf(guest.ieee), []);
});
