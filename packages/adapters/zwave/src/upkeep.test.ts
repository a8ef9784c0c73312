import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { systemClock } from "@ledge/port";
import { pinOf, plans } from "@ledge/testkit/zwave";
import { codeOf, type Rig, startRig } from "./test-rig.ts";

describe("the upkeep of a network", () => {
  let home: Rig;
  let lamp = 0;
  /** Ends the time in which a device may take the place of another. */
  let beLate = (): void => {};
  before(async () => {
    const clock = {
      now: () => systemClock.now(),
      after: (ms: number, callback: () => void) => {
        const cancel = systemClock.after(ms, callback);
        if (ms !== 120_000) return cancel;
        beLate = callback;
        return () => {
          beLate = () => {};
          cancel();
        };
      },
    };
    home = await startRig([], { clock });
    lamp = Number((await home.pair(plans.lamp())).split("/")[1]);
  });
  after(() => home.close());

  const state = () => home.command("GET_ZWAVE_INCLUSION_STATUS");
  const replace = async (nodeId: number): Promise<unknown> =>
    (await home.command("ZWAVE_REPLACE_FAILED", { nodeId: String(nodeId) }))["status"];
  async function untilState(
    what: string,
    is: (now: Readonly<Record<string, unknown>>) => boolean,
  ): Promise<void> {
    let holds = false;
    await home.until(what, () => {
      void state().then((now) => (holds = is(now)));
      return holds;
    });
  }

  test("rebuilds the routes of all nodes and of one, and says how far it is", async () => {
    const progress = async () => await home.command("GET_ZWAVE_HEAL_STATUS");
    assert.deepEqual(await progress(), { type: "ZWAVE_HEAL_STATUS", status: "IDLE", nodes: [] });
    const isDone = async (status: string): Promise<void> => {
      let now: Readonly<Record<string, unknown>> = {};
      await home.until("the end of the rebuild", () => {
        void progress().then((told) => (now = told));
        return now["status"] === "DONE";
      });
      assert.deepEqual(now["nodes"], [{ nodeId: lamp, status }]);
    };
    for (const fields of [{}, { nodeId: String(lamp) }]) {
      assert.equal(await home.command("ZWAVE_HEAL", fields), true);
      assert.equal((await progress())["status"], "RUNNING");
      await isDone("done");
    }
    assert.equal(await codeOf(home.command("ZWAVE_HEAL", { nodeId: 99 })), "refused");
    assert.equal(await codeOf(home.command("ZWAVE_HEAL", { nodeId: "all" })), "settings");
    home.stick.powerNode(lamp, false);
    await home.command("ZWAVE_HEAL", { nodeId: lamp });
    await isDone("failed");
    home.stick.powerNode(lamp, true);
  });

  test("refuses to back up a stick that keeps its memory to itself", async () => {
    assert.equal(await codeOf(home.command("ZWAVE_BACK_UP")), "unsupported");
    assert.equal((await home.command("GET_ZWAVE_BACKUP"))["isSupported"], false);
  });

  test("replaces a failed node: the device of the hub stays, and other hardware answers for it", async () => {
    const native = await home.pair(plans.wallPlug());
    const id = Number(native.split("/")[1]);
    assert.equal(await replace(99), 0xff);
    assert.equal(await replace(id), 0);
    home.stick.powerNode(id, false);
    assert.equal(await replace(id), 1);
    assert.equal((await state())["status"], "RUNNING");
    beLate();
    await untilState("a late end", ({ status }) => status === "TIMEOUT");
    assert.equal(await replace(id), 1);
    home.stick.powerNode(id, true);
    const old = home.stick.node(id);
    home.stick.inclusion.seek(plans.wallPlug());
    await untilState("a successor", ({ status, nodeId }) => status === "SUCCESS" && nodeId === id);
    assert.notEqual(home.stick.node(id), old);
    await home.untilReported(native, "reachable", true);
    await home.set(native, { isOn: true });
    await home.untilReported(native, "isOn", true);
  });

  test("asks for the PIN of the successor of a lock", async () => {
    await home.adapter.pairing?.open(60_000);
    home.stick.inclusion.seek(plans.doorLock());
    await untilState("the question", ({ pinRequired }) => pinRequired === true);
    const id = home.stick.nodeIds.at(-1) ?? 0;
    await home.command("ZWAVE_S2_PIN", { pin: pinOf(home.stick.node(id)) });
    await home.keep(home.native(id));
    home.stick.powerNode(id, false);
    assert.equal(await replace(id), 1);
    home.stick.powerNode(id, true);
    home.stick.inclusion.seek(plans.doorLock());
    await untilState("the question", ({ pinRequired }) => pinRequired === true);
    beLate();
    assert.equal((await state())["status"], "RUNNING");
    await home.command("ZWAVE_S2_PIN", { pin: pinOf(home.stick.node(id)) });
    await untilState("a successor", ({ status, nodeId }) => status === "SUCCESS" && nodeId === id);
    await home.until("a ready lock", () => home.latest(home.native(id), "reachable") === true);
  });

  test("tells nobody the keys of the network", async () => {
    const keys = Object.values(home.stored.get("keys") as Readonly<Record<string, string>>);
    const types = Object.keys(home.adapter.protocolCommands ?? {}).filter((type) => type.includes("GET"));
    const answers = await Promise.all(
      types.map((type) =>
        home.command(type, { nodeId: lamp, parameter: 1 }).catch((error: unknown) => error),
      ),
    );
    const told = JSON.stringify([answers, home.complaints, home.found, home.announced]).toLowerCase();
    assert.ok(types.length >= 8 && told.includes("zwave_node"));
    for (const key of keys) {
      assert.ok(!told.includes(key));
      assert.ok(!told.includes(Buffer.from(key, "hex").toString("base64").toLowerCase()));
    }
  });

  test("resets the stick only when it is asked twice", async () => {
    assert.equal(await codeOf(home.command("ZWAVE_HARD_RESET", { confirm: "yes" })), "refused");
    const asked = await home.command("ZWAVE_HARD_RESET");
    assert.equal(asked["done"], false);
    assert.equal(await codeOf(home.command("ZWAVE_HARD_RESET", { confirm: "yes" })), "refused");
    const { homeId } = home.stick;
    const native = home.native(lamp);
    const { confirm } = asked;
    assert.equal((await home.command("ZWAVE_HARD_RESET", { confirm }))["done"], true);
    await home.untilReported(native, "reachable", false);
    assert.notEqual(home.stick.homeId, homeId);
    await home.set(await home.pair(plans.wallPlug()), { isOn: true });
    assert.equal(await codeOf(home.command("ZWAVE_HARD_RESET", { confirm })), "refused");
  });
});
