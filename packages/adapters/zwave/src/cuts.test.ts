import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type FoundDevice, systemClock } from "@ledge/port";
import { pinOf, plans } from "@ledge/testkit/zwave";
import { type Rig, startRig } from "./test-rig.ts";

/** The library's AddNodeStatus. */
const steps = { "was found": 2, "tells what it is": 3, "is in the network": 5 } as const;

describe("a join that is cut short", () => {
  let home: Rig;
  let lamp = "";
  before(async () => {
    // Nobody has to wait until a stick is tried again.
    const soon = (ms: number, callback: () => void) =>
      systemClock.after(ms < 10_000 ? ms / 10 : ms, callback);
    home = await startRig([], { clock: { now: () => systemClock.now(), after: soon } });
    lamp = await home.pair(plans.lamp());
  });
  after(() => home.close());

  const state = () => home.command("GET_ZWAVE_INCLUSION_STATUS");
  const lastFind = (id: number): FoundDevice | undefined =>
    home.found.findLast(({ native }) => native === home.native(id));

  async function pull(): Promise<void> {
    home.stick.inclusion.onStep = async () => {};
    await home.served.unplug();
    await home.until("an unreachable lamp", () => home.latest(lamp, "reachable") === false);
  }

  async function plug(): Promise<void> {
    await home.served.plug();
    await home.until("a reachable lamp", () => home.latest(lamp, "reachable") === true);
  }

  for (const [what, step] of Object.entries(steps))
    test(`begins anew when the stick is pulled out as the device ${what}`, async () => {
      home.found.length = 0;
      await home.adapter.pairing?.open(60_000);
      const known = new Set(home.stick.nodeIds);
      const pulled = new Promise<void>((resolve, reject) => {
        home.stick.inclusion.onStep = async (status) => {
          if ((status as number) === step) await pull().then(resolve, reject);
        };
      });
      home.stick.inclusion.seek(plans.wallPlug());
      await pulled;
      assert.equal((await state())["status"], "ERROR");
      await plug();
      const joined = (): number => home.stick.nodeIds.find((id) => !known.has(id)) ?? 0;
      await home.until("the description of the plug", () => lastFind(joined())?.status === "COMPLETE");
      const open = new Set(home.found.map(({ native }) => native));
      for (const lost of home.lost) open.delete(lost);
      assert.ok(open.has(home.native(joined())));
      await home.adapter.pairing?.keep(home.native(joined()));
      await home.adapter.pairing?.close();
      await home.set(home.native(joined()), { isOn: true });
      await home.set(lamp, { isOn: true });
    });

  test("says that a device has no keys when the stick was pulled out before its PIN came", async () => {
    home.found.length = 0;
    await home.adapter.pairing?.open(60_000);
    home.stick.inclusion.seek(plans.doorLock());
    const id = (): number => home.stick.nodeIds.at(-1) ?? 0;
    await home.until("the question", () => lastFind(id())?.help === "pairing.zwave-pin");
    const pin = pinOf(home.stick.node(id()));
    await pull();
    assert.equal((await state())["status"], "ERROR");
    await assert.rejects(home.command("ZWAVE_S2_PIN", { pin }), /no device waits/);
    await plug();
    await home.until("what it lacks", () => lastFind(id())?.help === "pairing.zwave-no-keys");
    await home.command("ZWAVE_START_EXCLUSION");
    home.lost.length = 0;
    const native = home.native(id());
    home.stick.inclusion.leave(id());
    await home.until("its end", () => home.lost.includes(native));
  });

  test("leaves a ghost when its device was reset, which is removed and keeps no others from joining", async () => {
    home.found.length = 0;
    // The stick has it, the hub has not heard of it.
    const { id } = await home.stick.place(plans.wallPlug());
    home.stick.powerNode(id, false);
    home.stick.triesMs = 2000;
    await home.restart();
    // Nobody knows of it until the stick has tried it.
    const status = async (): Promise<unknown> =>
      (await home.nodes()).find(({ nodeId }) => nodeId === id)?.["status"];
    assert.equal(await status(), 2);
    await home.adapter.pairing?.open(60_000);
    await home.until("a ghost", () => lastFind(id)?.help === "pairing.zwave-silent");
    assert.deepEqual(
      [lastFind(id)?.status, lastFind(id)?.actionRequired, lastFind(id)?.helpValues],
      ["CONNECTED", true, { node: String(id) }],
    );
    assert.equal(await status(), 1);
    home.stick.triesMs = 0;
    await home.pair(plans.wallPlug());
    assert.equal((await home.command("ZWAVE_REMOVE_FAILED", { nodeId: id }))["status"], 1);
    assert.ok(home.lost.includes(home.native(id)));
    assert.ok(!home.stick.nodeIds.includes(id));
  });

  test("begins before the network is up: the scan waits for the stick, and says so", async () => {
    home.found.length = 0;
    const waiting = { type: "ZWAVE_INCLUSION_STATUS", status: "RUNNING", nodeId: null, waitsFor: "NETWORK" };
    await home.restart(() => home.served.unplug());
    await home.adapter.pairing?.open(60_000);
    assert.deepEqual(await state(), waiting);
    await home.adapter.pairing?.close();
    assert.deepEqual(await state(), { type: "ZWAVE_INCLUSION_STATUS", status: "TIMEOUT", nodeId: null });
    assert.equal((await home.command("ZWAVE_START_INCLUSION"))["status"], "NOT_PAIRING");
    await home.adapter.pairing?.open(60_000);
    assert.deepEqual(await home.command("ZWAVE_START_INCLUSION"), waiting);
    const known = new Set(home.stick.nodeIds);
    home.stick.inclusion.seek(plans.wallPlug());
    await plug();
    const joined = (): number => home.stick.nodeIds.find((id) => !known.has(id)) ?? 0;
    await home.until("the description of the plug", () => lastFind(joined())?.status === "COMPLETE");
    assert.deepEqual(await state(), { type: "ZWAVE_INCLUSION_STATUS", status: "SUCCESS", nodeId: joined() });
    await home.adapter.pairing?.close();
  });
});
