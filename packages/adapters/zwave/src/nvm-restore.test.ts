import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { plans, ZWaveStick } from "@ledge/testkit/zwave";
import { codeOf, type Rig, startRig } from "./test-rig.ts";

describe("a stick that is swapped for another", () => {
  let home: Rig;
  let first: ZWaveStick;
  let second: ZWaveStick;
  let plug = "";
  const hex = ({ homeId }: ZWaveStick): string => homeId.toString(16).padStart(8, "0");
  const state = () => home.command("GET_ZWAVE_RESTORE_STATUS");
  const status = async (): Promise<unknown> => (await state())["status"];
  async function untilStatus(wanted: string): Promise<Readonly<Record<string, unknown>>> {
    let now: Readonly<Record<string, unknown>> = {};
    await home.until(`the status ${wanted}`, () => {
      state().then(
        (told) => (now = told),
        () => undefined,
      );
      return now["status"] === wanted;
    });
    return now;
  }
  async function swap(to: ZWaveStick): Promise<void> {
    await home.served.unplug();
    await home.untilReported(plug, "reachable", false);
    await home.served.plug(to);
  }
  async function restore(fields: object = {}): Promise<void> {
    const { confirm } = await home.command("ZWAVE_RESTORE", fields);
    assert.equal((await home.command("ZWAVE_RESTORE", { ...fields, confirm }))["done"], true);
  }

  before(async () => {
    home = await startRig([], { hasMemory: true });
    first = home.stick;
    second = await ZWaveStick.create({ homeId: 0xc0de_0002, hasMemory: true, beside: first });
    plug = await home.pair(plans.wallPlug());
  });
  after(() => home.close());

  test("offers nothing while the stick is that of the devices", async () => {
    await home.command("ZWAVE_BACK_UP");
    assert.equal(await status(), "IDLE");
    assert.equal(await codeOf(home.command("ZWAVE_RESTORE")), "refused");
    assert.equal(await codeOf(home.command("ZWAVE_RESTORE", { network: "cafe0000" })), "refused");
    assert.equal(await codeOf(home.command("ZWAVE_RESTORE", { network: 7 })), "settings");
  });

  test("is recognised, gets the network when somebody confirms it, and is verified", async () => {
    const late = home.native(Number((await home.pair(plans.lamp())).split("/")[1]));
    await swap(second);
    const offered = await untilStatus("OFFERED");
    assert.deepEqual(home.troubles.splice(0), ["swapped"]);
    const facts = { network: hex(first), stick: "c0de0002", missing: [late] };
    assert.deepEqual(offered, {
      type: "ZWAVE_RESTORE_STATUS",
      status: "OFFERED",
      ...facts,
      pctComplete: null,
      reason: null,
    });
    assert.match(home.complaints.join(" "), /another network than the hub's devices/);
    assert.equal(await codeOf(home.command("ZWAVE_RESTORE", { confirm: "yes" })), "refused");
    assert.equal(second.nodeIds.length, 0);
    const memory = await first.readMemory();
    await restore();
    assert.equal(await codeOf(home.command("ZWAVE_RESTORE")), "busy");
    const done = await untilStatus("DONE");
    assert.deepEqual(home.troubles.splice(0), [null]);
    assert.deepEqual([done["network"], done["stick"], done["reason"]], [hex(first), hex(first), null]);
    assert.equal(hex(second), hex(first));
    assert.notDeepEqual(await second.readMemory(), memory);
    await home.untilReported(plug, "reachable", true);
    await home.set(plug, { isOn: true });
    await home.untilReported(plug, "isOn", true);
    const { backups } = await home.command("GET_ZWAVE_BACKUP");
    const networks = (backups as readonly { readonly network: string }[]).map(({ network }) => network);
    assert.deepEqual(networks.toSorted(), ["c0de0002", hex(first)]);
  });

  test("is taken back: it gets what it had, and the first stick has its devices again", async () => {
    await restore({ network: "c0de0002" });
    assert.equal((await untilStatus("DONE"))["network"], "c0de0002");
    assert.equal(hex(second), "c0de0002");
    await swap(first);
    await home.untilReported(plug, "reachable", true);
    assert.equal(await status(), "IDLE");
    await home.set(plug, { isOn: false });
    await home.untilReported(plug, "isOn", false);
  });

  test("is not said to be done when the hub was stopped meanwhile, and can be repeated", async () => {
    await swap(second);
    await untilStatus("OFFERED");
    const cut = new Promise<void>((resolve) => {
      second.onWrite = (offset) => {
        if (offset === 0) return;
        second.onWrite = () => {};
        resolve(home.restart());
      };
    });
    await restore();
    await cut;
    assert.match(String((await untilStatus("FAILED"))["reason"]), /has the network c0de0002 afterwards/);
    await restore();
    await untilStatus("DONE");
    await home.untilReported(plug, "reachable", true);
  });

  test("has to be a stick that takes a memory", async () => {
    await swap(await ZWaveStick.create({ homeId: 0xc0de_0003 }));
    await untilStatus("OFFERED");
    assert.equal(await codeOf(home.command("ZWAVE_RESTORE")), "unsupported");
    await home.served.unplug();
    await home.until("no stick", () => home.complaints.at(-1)?.includes("failed") === true);
    assert.equal(await codeOf(home.command("ZWAVE_RESTORE")), "unreachable");
  });
});
