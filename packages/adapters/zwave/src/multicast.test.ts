import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { plans } from "@ledge/testkit/zwave";
import { type Rig, startRig } from "./test-rig.ts";

describe("a frame to many", () => {
  let home: Rig;
  let lamps: readonly string[] = [];
  before(async () => {
    home = await startRig();
    lamps = [await home.pair(plans.lamp()), await home.pair(plans.lamp()), await home.pair(plans.lamp())];
  });
  after(() => home.close());

  const level = (native: string): unknown =>
    home.stick.node(Number(native.split("/")[1])).state.get("MultilevelSwitch_currentValue");

  async function cast(natives: readonly string[], brightness: number): Promise<Record<string, unknown>> {
    const answers: Record<string, unknown> = {};
    const command = { type: "set", attributes: { isOn: true, brightness } } as const;
    await home.adapter.groupcast?.cast(
      "g",
      natives,
      command,
      (native, error) => {
        answers[native] = error?.message;
      },
      new AbortController().signal,
    );
    return answers;
  }

  const unsaid = "the device has not said that it has done it";
  const deaf = "the device hears no frames to many";

  test("reaches all lamps at once, and claims of none that it has said so", async () => {
    assert.deepEqual(home.adapter.groupcast?.radios, ["zwave"]);
    const answers = await cast(lamps, 0.5);
    assert.deepEqual(answers, Object.fromEntries(lamps.map((lamp) => [lamp, unsaid])));
    await home.until("three lamps at half", () => lamps.every((lamp) => level(lamp) === 50));
    assert.deepEqual(home.stick.multicasts.splice(0), [lamps.map((lamp) => Number(lamp.split("/")[1]))]);
  });

  test("leaves out a device that sleeps, and one that is not there", async () => {
    const sensor = await home.pair(plans.motionSensor());
    const [one = "", two = ""] = lamps;
    const answers = await cast([one, sensor, "00000000/9", two], 0.2);
    assert.deepEqual(answers, { [one]: unsaid, [sensor]: deaf, "00000000/9": deaf, [two]: unsaid });
    await home.until("two lamps", () => [one, two].every((lamp) => level(lamp) === 20));
  });

  test("sends nothing for one device alone", async () => {
    home.stick.multicasts.length = 0;
    const [one = ""] = lamps;
    assert.deepEqual(await cast([one], 0.7), { [one]: unsaid });
    assert.deepEqual(home.stick.multicasts, []);
    assert.equal(level(one), 20);
  });

  test("is encrypted for lamps with S2, each of which then says that it has done it", async () => {
    const secure = [await home.pair(plans.lampWithS2()), await home.pair(plans.lampWithS2())];
    const nodes = await home.nodes();
    for (const native of secure) {
      const id = Number(native.split("/")[1]);
      assert.equal(nodes.find(({ nodeId }) => nodeId === id)?.["securityKeys"], "S2_Unauthenticated");
    }
    const all = (message: string | undefined) => Object.fromEntries(secure.map((lamp) => [lamp, message]));
    assert.deepEqual(await cast(secure, 0.4), all(undefined));
    assert.deepEqual([secure.map(level), home.stick.broadcasts], [[40, 40], 1]);
    // One that does not answer leaves open what the library says of all as one.
    home.stick.powerNode(Number(secure[1]?.split("/")[1]), false);
    assert.deepEqual(await cast(secure, 0.6), all(unsaid));
    assert.deepEqual(secure.map(level), [59, 40]);
  });
});
