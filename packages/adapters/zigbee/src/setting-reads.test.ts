import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Ieee, LoggedFrame } from "@ledge/testkit/zigbee";
import { devices } from "@ledge/testkit/zigbee";
import type { Rig } from "./test-rig.ts";
import { startRig } from "./test-rig.ts";

const [onOff, doorLock] = [0x0006, 0x0101];
/** The status of a frame that no device has acknowledged. */
const noAck = 0xe9;

/** Whether a frame asks a device for an attribute (a read: frame control, sequence, 0, identifiers). */
function asks({ from, cluster, payload }: LoggedFrame, of: number, attribute: number): boolean {
  const [, , command, ...ids] = payload;
  const wanted = Buffer.from([attribute & 0xff, attribute >> 8]);
  return from === null && cluster === of && command === 0 && Buffer.from(ids).includes(wanted);
}

describe("settings that a definition can read", () => {
  const lamp = devices.lamp("0x000b57fffe000001");
  const lock = devices.lock("0x000b57fffe000002");
  const sleeper = devices.lock("0x000b57fffe000003");
  let rig: Rig;

  before(async () => {
    rig = await startRig();
  });
  after(() => rig.close());

  const value = (ieee: Ieee, name: string): unknown =>
    rig.announced.findLast(({ native }) => native === ieee)?.configuration?.values?.[name];

  test("are read when a device is set up, although it refuses others", async () => {
    await rig.pairAll([lamp, lock]);
    await rig.until("the lamp's", () => value(lamp.ieee, "power_on_behavior") === "previous");
    await rig.until("the lock's", () => value(lock.ieee, "auto_relock_time") === 0);
    assert.equal(value(lock.ieee, "sound_volume"), undefined);
  });

  test("are known after a restart without being read again", async () => {
    rig.announced.length = 0;
    rig.air.log.clear();
    await rig.restart();
    assert.equal(value(lamp.ieee, "power_on_behavior"), "previous");
    await rig.until("a read of the lamp", () => rig.air.log.frames.some((frame) => asks(frame, onOff, 0)));
    assert.ok(!rig.air.log.frames.some((frame) => asks(frame, onOff, 0x4003)));
  });

  test("are read of a sleeping device once it is heard again, also after a restart", async () => {
    let lost = 0;
    rig.air.interference = (frame) => {
      const isAsked = frame.to === sleeper.ieee && asks(frame, doorLock, 0x0023);
      if (isAsked) lost += 1;
      return isAsked ? noAck : undefined;
    };
    await rig.pair(sleeper);
    await rig.until("a question", () => lost > 0);
    await rig.restart();
    const earlier = lost;
    await rig.until("another question", () => {
      sleeper.lock.turn(!sleeper.isLocked);
      return lost > earlier;
    });
    assert.equal(value(sleeper.ieee, "auto_relock_time"), undefined);
    rig.air.interference = null;
    await rig.until("the answer", () => {
      sleeper.lock.turn(!sleeper.isLocked);
      return value(sleeper.ieee, "auto_relock_time") === 0;
    });
  });
});
