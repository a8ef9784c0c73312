import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { FoundDevice } from "@ledge/port";
import { systemClock } from "@ledge/port";
import { pinOf, plans, timesSaid } from "@ledge/testkit/zwave";
import { codeOf, type Rig, startRig } from "./test-rig.ts";

describe("a device that joins with S2", () => {
  let home: Rig;
  /** Ends the time in which users must answer. */
  let beLate = (): void => {};
  const clock = {
    now: () => systemClock.now(),
    after: (ms: number, callback: () => void) => {
      if (ms > 200_000) beLate = callback;
      return systemClock.after(ms, callback);
    },
  };
  before(async () => {
    home = await startRig([], { clock });
  });
  after(() => home.close());

  const state = () => home.command("GET_ZWAVE_INCLUSION_STATUS");
  const lastFind = (id: number): FoundDevice | undefined =>
    home.found.findLast(({ native }) => native === home.native(id));
  const newest = (): number => home.stick.nodeIds.at(-1) ?? 0;

  /** Lets a lock join until it asks something; returns its node id. */
  async function joins(help: string, fields: object = {}): Promise<number> {
    home.found.length = 0;
    await home.adapter.pairing?.open(60_000);
    assert.equal((await home.command("ZWAVE_START_INCLUSION", fields))["status"], "RUNNING");
    home.stick.inclusion.seek(plans.doorLock());
    await home.until(help, () => lastFind(newest())?.help === help);
    assert.equal(lastFind(newest())?.actionRequired, true);
    return newest();
  }

  /** Waits until a lock is in the network without its keys, and takes it out. */
  async function failed(id: number, help: string, status: string, reason: string): Promise<void> {
    await home.until("a find that says what went wrong", () => lastFind(id)?.status === "CONNECTED");
    assert.deepEqual([lastFind(id)?.help, lastFind(id)?.actionRequired], [help, true]);
    assert.deepEqual(await state(), { type: "ZWAVE_INCLUSION_STATUS", status, nodeId: id, reason });
    await home.command("ZWAVE_START_EXCLUSION");
    home.stick.inclusion.leave(id);
    await home.until("its end", () => home.lost.includes(home.native(id)));
  }

  async function joined(id: number): Promise<void> {
    await home.until("its description", () => home.completed(home.native(id)) !== undefined);
    assert.equal((await state())["status"], "SUCCESS");
    assert.equal(lastFind(id)?.help, null);
  }

  test("says the rest of its key, and joins in spite of a PIN that comes late", async () => {
    const id = await joins("pairing.zwave-pin");
    const { dsk } = lastFind(id)?.helpValues ?? {};
    assert.match(String(dsk), /^-\d{5}(?:-\d{5}){6}$/);
    assert.equal((await state())["dsk"], dsk);
    await home.until("a device that repeats itself", () => timesSaid(home.stick.node(id)) > 1);
    await home.command("ZWAVE_S2_PIN", { pin: pinOf(home.stick.node(id)) });
    await joined(id);
  });

  test("says that its PIN was wrong", async () => {
    const id = await joins("pairing.zwave-pin");
    const wrong = String((Number(pinOf(home.stick.node(id))) + 1) % 65_536).padStart(5, "0");
    await home.command("ZWAVE_S2_PIN", { pin: wrong });
    await failed(id, "pairing.zwave-wrong-pin", "ERROR", "WRONG_PIN");
  });

  test("says that nobody has entered its PIN", async () => {
    const id = await joins("pairing.zwave-pin");
    beLate();
    await failed(id, "pairing.zwave-late", "TIMEOUT", "NOT_ANSWERED");
  });

  test("says which keys it asks for, and that it was granted none", async () => {
    const id = await joins("pairing.zwave-keys", { askKeys: true });
    assert.deepEqual(lastFind(id)?.helpValues, { keys: "S2_Authenticated, S2_AccessControl" });
    const asked = await state();
    assert.deepEqual(
      [asked["keysRequired"], asked["securityClasses"]],
      [true, ["S2_Authenticated", "S2_AccessControl"]],
    );
    assert.equal(await codeOf(home.command("ZWAVE_S2_PIN", { pin: "12345" })), "refused");
    for (const securityClasses of [undefined, "S0_Legacy", ["S9"]])
      assert.equal(await codeOf(home.command("ZWAVE_S2_KEYS", { securityClasses })), "settings");
    assert.equal(await home.command("ZWAVE_S2_KEYS", { securityClasses: [] }), true);
    await failed(id, "pairing.zwave-no-keys", "CANCEL", "REFUSED");
  });

  test("gets only the key that it was granted", async () => {
    const id = await joins("pairing.zwave-keys", { askKeys: true });
    await home.command("ZWAVE_S2_KEYS", { securityClasses: ["S2_Authenticated"] });
    await home.until("the question for its PIN", () => lastFind(id)?.help === "pairing.zwave-pin");
    await home.command("ZWAVE_S2_PIN", { pin: pinOf(home.stick.node(id)) });
    await joined(id);
    const nodes = await home.nodes();
    assert.equal(nodes.find(({ nodeId }) => nodeId === id)?.["securityKeys"], "S2_Authenticated");
    assert.equal(await codeOf(home.command("ZWAVE_S2_KEYS", { securityClasses: ["S0_Legacy"] })), "refused");
  });

  test("joins with S2 in the scan that follows one without security", async () => {
    await home.adapter.pairing?.open(60_000);
    await home.command("ZWAVE_START_INCLUSION", { security: "insecure" });
    await home.adapter.pairing?.close();
    await home.adapter.pairing?.open(60_000);
    home.stick.inclusion.seek(plans.doorLock());
    await home.until("the question for its PIN", () => lastFind(newest())?.help === "pairing.zwave-pin");
    await home.command("ZWAVE_S2_PIN", { pin: pinOf(home.stick.node(newest())) });
    await joined(newest());
  });

  test("ends with the scan, and is shown by the next one, which lets others join", async () => {
    const id = await joins("pairing.zwave-pin");
    await home.adapter.pairing?.close();
    let ended: unknown;
    await home.until("the end of its join", () => {
      void state().then(({ nodeId }) => (ended = nodeId));
      return ended === id;
    });
    assert.equal((await state())["status"], "TIMEOUT");
    await home.restart();
    home.found.length = 0;
    const native = await home.pair(plans.wallPlug());
    assert.equal(lastFind(id)?.help, "pairing.zwave-no-keys");
    assert.equal(lastFind(id)?.status, "CONNECTED");
    await home.untilReported(native, "reachable", true);
  });
});
