import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { devices, type Ieee } from "@ledge/testkit/zigbee";
import type { Rig } from "./test-rig.ts";
import { completeOf, startRig } from "./test-rig.ts";

const basic = 0x0000;
const [readAttributes, general] = [0x00, 0x00];
const lampIeee = "0x000b57fffe000031";
const mutedIeee = "0x000b57fffe000032";

/** Returns the attributes that each read of the basic cluster of a device has asked for. */
function readsOf({ air }: Rig, ieee: Ieee): readonly (readonly number[])[] {
  return air.log.of({ from: null, to: ieee, cluster: basic }).flatMap(({ payload }) => {
    const [control = 0, , command, ...rest] = payload;
    if ((control & 3) !== general || command !== readAttributes) return [];
    return [Array.from({ length: rest.length / 2 }, (_, at) => Buffer.from(rest).readUInt16LE(2 * at))];
  });
}

describe("an interview", () => {
  let rig: Rig;
  before(async () => {
    rig = await startRig();
  });
  after(() => rig.close());

  async function found(lamp: ReturnType<typeof devices.unknownLamp>): Promise<void> {
    rig.air.add(lamp);
    await rig.adapter.pairing?.open(60_000);
    assert.ok(rig.air.join(lamp.ieee));
    await rig.until("it is found", () => completeOf(rig.found, lamp.ieee).length > 0);
  }

  test("reads what a device is by two frames, and asks alone for what it refuses", async () => {
    await found(devices.unknownLamp(lampIeee, { softwareBuild: null }));
    assert.deepEqual(readsOf(rig, lampIeee), [[5, 7, 0, 1, 2, 3], [4, 6, 0x4000], [0x4000]]);
    const { description } = rig.found.findLast(({ native }) => native === lampIeee) ?? {};
    assert.deepEqual([description?.manufacturer, description?.model], ["Nobody", "GenericLamp1"]);
  });

  test("asks a device for one attribute at a time that does not answer several", async () => {
    const lamp = devices.unknownLamp(mutedIeee);
    // Such as a device whose firmware has no room for the answer.
    rig.air.interference = ({ to, cluster, payload }) => {
      if (to === mutedIeee && cluster === basic && payload.length > 5) return 0xe9;
      return undefined;
    };
    await found(lamp);
    rig.air.interference = null;
    const reads = readsOf(rig, mutedIeee).map((read) => read.length);
    assert.deepEqual(reads, [6, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1]);
    const { description } = rig.found.findLast(({ native }) => native === mutedIeee) ?? {};
    assert.deepEqual([description?.manufacturer, description?.model], ["Nobody", "GenericLamp1"]);
  });
});
