import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AdapterError, NativeId } from "@ledge/port";
import { devices } from "@ledge/testkit/zigbee";
import type { Rig } from "../test-rig.ts";
import { passing, startRig } from "../test-rig.ts";

const address = 7;
const groupsCluster = 0x0004;
const onOff = 0x0006;
const lamps = Array.from({ length: 10 }, (_, index) =>
  devices.unknownLamp(`0x000b57fffe0000${(0x10 + index).toString(16)}`),
);
const all = lamps.map(({ ieee }) => ieee);
const [one, two] = lamps;
assert.ok(one && two);
const rest = all.slice(1);

describe("a group of ten lamps", () => {
  let rig: Rig;

  before(async () => {
    // The tests cast more often than a real network passes on.
    rig = await startRig({ broadcastMs: 1 });
    for (const lamp of lamps) await rig.pair(lamp);
  });
  after(() => rig.close());

  const keep = async (...groups: readonly NativeId[][]): Promise<void> =>
    await rig.adapter.groupcast?.keep(
      groups.map((members, index) => ({ id: `g${index}`, address: address + index, members })),
    );

  /** Casts and returns each device's result; missing for a device that has not answered. */
  async function cast(
    natives: readonly NativeId[],
    attributes: Readonly<Record<string, unknown>>,
    signal = new AbortController().signal,
    group = "g0",
  ): Promise<Record<NativeId, string>> {
    const answers: Record<NativeId, string> = {};
    const answered = (native: NativeId, error?: AdapterError): void => {
      assert.ok(!(native in answers), `${native} answered twice`);
      answers[native] = error?.code ?? "taken";
    };
    await rig.adapter.groupcast?.cast(group, natives, { type: "set", attributes }, answered, signal);
    return answers;
  }

  /** Casts until every device is in the group. */
  async function ready(natives: readonly NativeId[]): Promise<void> {
    for (let tries = 0; tries < 600; tries += 1) {
      const code = await cast(natives, { isOn: false }).then(
        (answers) => Object.values(answers).find((answer) => answer !== "taken"),
        (error: unknown) => (error as AdapterError).code,
      );
      if (code === undefined) return;
      await passing(100);
    }
    assert.fail("no cast was accepted by all in time");
  }

  /** Casts to the last group until the answers are as expected: the adapter hears of a full table a bit later. */
  async function answersOf(
    natives: readonly NativeId[],
    areExpected: (answers: readonly string[]) => boolean,
  ): Promise<Record<NativeId, string>> {
    for (let tries = 0; tries < 100; tries += 1) {
      const answers = await cast(natives, { isOn: true }, undefined, "g16");
      if (areExpected(Object.values(answers))) return answers;
      await passing(100);
    }
    return {};
  }

  const taken = (natives: readonly NativeId[]): Record<NativeId, string> =>
    Object.fromEntries(natives.map((native) => [native, "taken"]));
  const isIn = (lamp: (typeof lamps)[number], group = address): boolean => lamp.groupsOf(1).has(group);
  const framesToGroups = (): number => rig.air.log.count({ kind: "group", from: null });
  const framesToLamps = (cluster: number): number =>
    rig.air.log.count({ kind: "unicast", from: null, cluster });

  test("gets its lamps when the hub keeps it", async () => {
    await keep(all);
    await ready(all);
    assert.ok(lamps.every((lamp) => isIn(lamp)));
  });

  test("is switched by one frame, and reports confirm all lamps without a read", async () => {
    // On a machine that stalls for a moment, lamps are read after all.
    for (let tries = 1; tries <= 5; tries += 1) {
      rig.air.log.clear();
      const isOn = tries % 2 === 1;
      assert.deepEqual(await cast(all, { isOn }), taken(all));
      assert.ok(lamps.every((lamp) => lamp.isOn === isOn));
      assert.equal(framesToGroups(), 1);
      if (framesToLamps(onOff) === 0) return;
    }
    assert.fail("lamps were read each time");
  });

  test("is dimmed by one frame, with a fade", async () => {
    rig.air.log.clear();
    assert.deepEqual(await cast(all, { isOn: true, brightness: 0.5 }), taken(all));
    assert.ok(lamps.every(({ level }) => Math.abs(level - 128) < 2));
    assert.equal(framesToGroups(), 1);
    const fade = { isOn: true, brightness: 1, transitionMsec: 60_000 };
    assert.deepEqual(await cast(all, fade), taken(all));
    assert.ok(lamps.every(({ level }) => level > 128 && level < 254));
  });

  test("leaves a stop to single frames, which each cover answers", async () => {
    rig.air.log.clear();
    await assert.rejects(cast(all, { stop: true }), /a frame of its own/);
    assert.equal(framesToGroups(), 0);
  });

  test("is read when its lamps already have the wanted values", async () => {
    rig.air.log.clear();
    assert.deepEqual(await cast(all, { isOn: true }), taken(all));
    assert.deepEqual([framesToGroups(), framesToLamps(onOff)], [1, all.length]);
  });

  test("misses a lamp that was reset by hand and adds it again soon", async () => {
    one.endpoints[0]?.cluster(groupsCluster, "server")?.forget();
    assert.deepEqual(await cast(all, { isOn: false }), { ...taken(all), [one.ieee]: "timeout" });
    assert.deepEqual([one.isOn, two.isOn], [true, false]);
    await ready(all);
    assert.ok(isIn(one));
  });

  test("is not read after a cast was cancelled", async () => {
    rig.air.log.clear();
    const abort = new AbortController();
    rig.air.interference = ({ kind }) => void (kind === "group" && abort.abort());
    await assert.rejects(cast(all, { isOn: false }, abort.signal), { code: "cancelled" });
    rig.air.interference = null;
    await cast(all, { brightness: 0.3 });
    assert.deepEqual([framesToGroups(), framesToLamps(onOff)], [2, 0]);
  });

  test("is remembered over a restart without new frames to its lamps", async () => {
    await rig.restart();
    rig.air.log.clear();
    await keep(all);
    await ready(all);
    assert.equal(framesToLamps(groupsCluster), 0);
  });

  test("refuses casts while a former member cannot be reached", async () => {
    rig.air.power(one.ieee, false);
    await keep(rest);
    await assert.rejects(cast(rest, { isOn: true }), { code: "busy" });
    rig.air.power(one.ieee, true);
    one.onOff.turn(!one.isOn);
    await ready(rest);
    assert.ok(!isIn(one));
  });

  test("adds a lamp once it is reachable again", async () => {
    rig.air.power(one.ieee, false);
    await keep(all);
    assert.deepEqual(await cast(all, { isOn: true }), { ...taken(rest), [one.ieee]: "refused" });
    rig.air.power(one.ieee, true);
    one.onOff.turn(!one.isOn);
    await ready(all);
  });

  test("is cast to without a lamp whose group table is full, until another group is removed", async () => {
    const pair = [one.ieee, two.ieee];
    await keep();
    await rig.until("no groups", () => lamps.every((lamp) => lamp.groupsOf(1).size === 0));
    const full = Array.from({ length: 17 }, () => pair);
    await keep(...full);
    await rig.until("sixteen groups", () => one.groupsOf(1).size === 16 && two.groupsOf(1).size === 16);
    await rig.until("the first group", () => isIn(one));
    const last = await answersOf(pair, (answers) => answers.every((answer) => answer === "refused"));
    assert.deepEqual(last, { [one.ieee]: "refused", [two.ieee]: "refused" });
    await keep(pair);
    await rig.until("one group", () => one.groupsOf(1).size === 1 && two.groupsOf(1).size === 1);
  });

  test("is removed from every lamp when the hub removes it", async () => {
    await keep();
    await rig.until("no lamp in it", () => lamps.every((lamp) => lamp.groupsOf(1).size === 0));
    await assert.rejects(cast(all, { isOn: true }), { code: "refused" });
  });
});
