import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { devices } from "@ledge/testkit/zigbee";
import type { Rig } from "./test-rig.ts";
import { codeOf, startRig } from "./test-rig.ts";

describe("two lamps", () => {
  const lamp = devices.unknownLamp("0x000b57fffe000001");
  const liar = devices.unknownLamp("0x000b57fffe000002");
  let rig: Rig;

  before(async () => {
    rig = await startRig();
    await rig.pairAll([lamp, liar]);
  });
  after(() => rig.close());

  const warnings = (): number =>
    rig.complaints.filter((each) => each.includes("announce the same network address")).length;
  /** Switches one lamp and returns which lamps are on. */
  async function turnedOn(ieee: string): Promise<readonly string[]> {
    for (const each of [lamp, liar]) each.onOff.turn(false);
    await rig.until("both off", () => [lamp, liar].every((each) => rig.latest(each.ieee, "isOn") === false));
    await rig.set(ieee, { isOn: true });
    await rig.until("its report", () => rig.latest(ieee, "isOn") === true);
    return [lamp, liar].filter(({ isOn }) => isOn).map((each) => each.ieee);
  }

  for (const [who, one] of [
    ["the announced lamp", lamp],
    ["the lamp that announced it", liar],
  ] as const)
    test(`obey their own commands although one announced the other's address: ${who}`, async () => {
      const earlier = warnings();
      rig.air.announce(liar.ieee, rig.air.nwkOf(lamp.ieee));
      await rig.until("the warning", () => warnings() > earlier);
      assert.deepEqual(await turnedOn(one.ieee), [one.ieee]);
      const other = one === lamp ? liar : lamp;
      assert.equal(rig.latest(other.ieee, "isOn"), false, "the other one is shown off");
    });

  test("get no command while both answer from one address, and obey again when one has moved", async () => {
    const [earlier, address] = [warnings(), rig.air.nwkOf(lamp.ieee) ?? 0];
    for (const each of [lamp, liar]) each.onOff.turn(false);
    rig.air.readdress(liar.ieee, address);
    await rig.until("the warning", () => warnings() > earlier);
    const orders = [lamp, liar].map(({ ieee }) => codeOf(rig.set(ieee, { isOn: true })));
    assert.deepEqual(await Promise.all(orders), ["unreachable", "unreachable"]);
    assert.ok(!lamp.isOn && !liar.isOn);
    rig.air.rejoin(liar.ieee);
    await rig.until("its return", () => rig.latest(liar.ieee, "isOn") === false);
    for (const each of [lamp, liar]) assert.deepEqual(await turnedOn(each.ieee), [each.ieee]);
  });

  test("obey after a restart that finds one address for both in the library's table", async () => {
    const earlier = warnings();
    rig.air.announce(liar.ieee, rig.air.nwkOf(lamp.ieee));
    await rig.until("the warning", () => warnings() > earlier);
    await rig.restart();
    for (const each of [lamp, liar]) assert.deepEqual(await turnedOn(each.ieee), [each.ieee]);
  });

  test("do not let one take the coordinator's address", async () => {
    const earlier = warnings();
    rig.air.announce(liar.ieee, 0);
    await rig.until("the warning", () => warnings() > earlier);
    assert.deepEqual(await turnedOn(liar.ieee), [liar.ieee]);
    assert.deepEqual(await turnedOn(lamp.ieee), [lamp.ieee]);
  });
});
