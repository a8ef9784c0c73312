import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { longRangeKeyOf, type NodePlan, plans, ZWaveStick } from "@ledge/testkit/zwave";
import { codeOf, type Rig, startRig } from "./test-rig.ts";

/** The first id of a node with Long Range. */
const first = 256;

const ascending = (one: number, other: number): number => one - other;

type Said = Readonly<Record<string, unknown>>;

describe("devices with Long Range", () => {
  let home: Rig;
  let qr = "";
  before(async () => {
    home = await startRig([], { series: 800, hasMemory: true });
  });
  after(() => home.close());

  const list = async () => (await home.command("ZWAVE_SMARTSTART_GET_LIST")) as unknown as readonly Said[];
  const nodeOf = async (id: number) => (await home.nodes()).find(({ nodeId }) => nodeId === id);
  const air = async () => {
    const { longRange, region } = await home.command("GET_ZWAVE_STATISTICS");
    return { longRange, region };
  };
  /**
   * Enters a device with both protocols, and gives it power when the stick listens. Returns the code that it was entered by
   * and the id that it gets by Long Range.
   */
  async function enter(
    plan: NodePlan,
    fields: object,
    by: "qr" | "dsk" = "qr",
  ): Promise<{ readonly code: string; readonly id: number }> {
    const { label, node, far } = await home.stick.inclusion.smart(plan);
    await home.command("ZWAVE_SMARTSTART_ADD", { [by]: label[by], ...fields });
    await home.until("a stick that listens", () => home.stick.inclusion.mode === "listening");
    home.stick.inclusion.powerOn(node);
    return { code: label[by], id: far?.id ?? 0 };
  }
  const untilKept = (id: number): Promise<void> =>
    home.until("its description", () => home.announced.some(({ native }) => native === home.native(id)));
  /** Dims a lamp, and waits until it says so. */
  async function dim(id: number, brightness: number): Promise<void> {
    await home.set(home.native(id), { brightness });
    const said = (): number => Number(home.latest(home.native(id), "brightness"));
    // Levels of Z-Wave have 99 steps.
    await home.until(`a lamp at ${brightness}`, () => Math.abs(said() - brightness) < 0.01);
  }

  test("turns Long Range on when the region of the stick has it", async () => {
    assert.deepEqual(await air(), { longRange: true, region: "EU_LR" });
  });

  test("joins one by Long Range when somebody chooses that, with a key of Long Range", async () => {
    ({ code: qr } = await enter(plans.lampWithLongRange(), { protocol: "longRange" }));
    await untilKept(first);
    await dim(first, 0.5);
    const [entry] = await list();
    assert.deepEqual(
      { ...entry, dsk: "" },
      {
        type: "ZWAVE_SMARTSTART",
        dsk: "",
        securityClasses: ["S2_Authenticated"],
        longRange: true,
        protocol: "longRange",
        status: "JOINED",
        nodeId: first,
      },
    );
    const node = await nodeOf(first);
    assert.deepEqual([node?.["longRange"], node?.["securityKeys"]], [true, "S2_Authenticated"]);
    const keys = home.stored.get("keys") as Readonly<Record<string, string>>;
    const held = Buffer.from(longRangeKeyOf(home.stick.node(first))).toString("hex");
    assert.equal(held, keys["LongRange_S2_Authenticated"]);
    assert.notEqual(keys["LongRange_S2_Authenticated"], keys["S2_Authenticated"]);
  });

  test("joins one by the mesh when nobody chooses", async () => {
    await enter(plans.lampWithLongRange(), {});
    await home.until("a node of the mesh", () => home.stick.nodeIds.some((id) => id < first));
    const id = Math.min(...home.stick.nodeIds);
    await untilKept(id);
    await dim(id, 0.4);
    const [, entry] = await list();
    assert.deepEqual([entry?.["protocol"], entry?.["longRange"], entry?.["nodeId"]], ["mesh", true, id]);
    assert.deepEqual(entry?.["securityClasses"], ["S2_Unauthenticated", "S2_Authenticated"]);
    assert.equal((await nodeOf(id))?.["longRange"], false);
  });

  test("sends no frame to many when one device is of Long Range and the other of the mesh", async () => {
    const natives = home.stick.nodeIds.map((id) => home.native(id));
    const answers: string[] = [];
    const cast = home.adapter.groupcast?.cast(
      "1",
      natives,
      { type: "set", attributes: { brightness: 0.3 } },
      (native, error) => answers.push(`${native} ${error?.code ?? "done"}`),
      new AbortController().signal,
    );
    await cast;
    assert.deepEqual(answers.toSorted(), natives.map((native) => `${native} refused`).toSorted());
    assert.equal(home.stick.broadcasts, 0);
  });

  test("reaches both again after a restart, and after the stick was pulled out", async () => {
    await home.restart();
    for (const id of home.stick.nodeIds) {
      await home.untilReported(home.native(id), "reachable", true);
      await dim(id, 0.6);
    }
    await home.served.unplug();
    await home.untilReported(home.native(first), "reachable", false);
    await home.served.plug();
    await home.untilReported(home.native(first), "reachable", true);
    await dim(first, 0.7);
    assert.deepEqual(
      (await list()).map(({ status, nodeId }) => [status, nodeId]),
      [
        ["JOINED", first],
        ["JOINED", Math.min(...home.stick.nodeIds)],
      ],
    );
  });

  test("takes both along when another stick gets the memory of the first", async () => {
    const old = home.stick;
    await home.command("ZWAVE_BACK_UP");
    assert.deepEqual((await home.command("GET_ZWAVE_BACKUP"))["nodes"], old.nodeIds.toSorted(ascending));
    const next = await ZWaveStick.create({
      series: 800,
      homeId: 0xc0de_0003,
      hasMemory: true,
      beside: old,
    });
    await home.served.unplug();
    await home.untilReported(home.native(first), "reachable", false);
    await home.served.plug(next);
    const untilRestore = async (status: string): Promise<void> => {
      let now: Said = {};
      await home.until(status, () => {
        home.command("GET_ZWAVE_RESTORE_STATUS").then(
          (told) => (now = told),
          () => undefined,
        );
        return now["status"] === status;
      });
    };
    await untilRestore("OFFERED");
    const { confirm } = await home.command("ZWAVE_RESTORE");
    assert.equal((await home.command("ZWAVE_RESTORE", { confirm }))["done"], true);
    await untilRestore("DONE");
    assert.deepEqual(next.nodeIds.toSorted(ascending), old.nodeIds.toSorted(ascending));
    await home.untilReported(home.native(first), "reachable", true);
    await dim(first, 0.2);
  });

  test("rebuilds no routes where there are none", async () => {
    assert.equal(await codeOf(home.command("ZWAVE_HEAL", { nodeId: first })), "refused");
    await home.command("ZWAVE_HEAL");
    let now: Said = {};
    await home.until("the end of the rebuild", () => {
      void home.command("GET_ZWAVE_HEAL_STATUS").then((told) => (now = told));
      return now["status"] === "DONE";
    });
    assert.deepEqual(now["nodes"], [{ nodeId: Math.min(...home.stick.nodeIds), status: "done" }]);
    const { statistics } = (await nodeOf(first)) as { readonly statistics: Said };
    assert.deepEqual(statistics["repeaters"], []);
  });

  test("removes one that has failed, and lets nothing take its place", async () => {
    const about = async (type: string): Promise<Said> => home.command(type, { nodeId: String(first) });
    assert.equal((await about("ZWAVE_CHECK_FAILED"))["isFailed"], false);
    assert.equal((await about("ZWAVE_REMOVE_FAILED"))["status"], 0);
    home.stick.powerNode(first, false);
    assert.equal((await about("ZWAVE_CHECK_FAILED"))["isFailed"], true);
    const { status, reason } = await about("ZWAVE_REPLACE_FAILED");
    assert.equal(status, 2);
    assert.match(String(reason), /Long Range/);
    assert.equal((await about("ZWAVE_REMOVE_FAILED"))["status"], 1);
    assert.ok(!home.stick.nodeIds.includes(first));
    await home.untilReported(home.native(first), "reachable", false);
    assert.deepEqual(
      (await list()).map(({ status: now }) => now),
      ["INACTIVE", "JOINED"],
    );
  });

  test("excludes one whose button is pressed, and keeps what somebody chose since it joined", async () => {
    const { code: dsk, id } = await enter(plans.lampWithLongRange(), { protocol: "longRange" }, "dsk");
    await untilKept(id);
    assert.equal((await list()).at(-1)?.["longRange"], true, "it has joined by it");
    const chosen = async (): Promise<unknown> => (await list()).at(-1)?.["protocol"];
    await home.command("ZWAVE_SMARTSTART_ADD", { dsk, protocol: "mesh" });
    assert.equal(await chosen(), "longRange");
    await home.command("ZWAVE_START_EXCLUSION");
    home.stick.inclusion.leave(id);
    await home.untilReported(home.native(id), "reachable", false);
    assert.ok(!home.stick.nodeIds.includes(id));
    assert.equal(await chosen(), "mesh");
  });

  test("refuses a choice that a device does not have", async () => {
    const { label } = await home.stick.inclusion.smart(plans.doorLock());
    const refused = (fields: object) => codeOf(home.command("ZWAVE_SMARTSTART_ADD", fields));
    assert.equal(await refused({ qr: label.qr, protocol: "longRange" }), "settings");
    assert.equal(await refused({ qr, protocol: "far" }), "settings");
    const unauthenticated = { dsk: label.dsk, securityClasses: ["S2_Unauthenticated"] };
    assert.equal(await refused({ ...unauthenticated, protocol: "longRange" }), "settings");
    assert.equal((await list()).length, 3);
  });

  test("lets one join by the mesh with a stick whose region has no Long Range", async () => {
    await home.command("ZWAVE_SMARTSTART_ADD", { qr, protocol: "longRange" });
    const chosen = async (): Promise<unknown> => (await list()).at(-1)?.["protocol"];
    assert.equal(await chosen(), "longRange");
    await home.served.unplug();
    await home.served.plug(
      await ZWaveStick.create({ series: 800, region: "australia", homeId: 0xc0de_0002 }),
    );
    await home.until("another network", () => home.stick.inclusion.mode === "listening");
    assert.deepEqual(await air(), { longRange: false, region: "ANZ" });
    assert.equal(await chosen(), "mesh");
    assert.equal(
      await codeOf(home.command("ZWAVE_SMARTSTART_ADD", { qr, protocol: "longRange" })),
      "unsupported",
    );
  });
});
