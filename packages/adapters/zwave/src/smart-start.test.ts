import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { plans } from "@ledge/testkit/zwave";
import { codeOf, type Rig, startRig } from "./test-rig.ts";

/** Of the library's AddNodeStatus: the stick has the device in its network; it has no keys yet. */
const protocolDone = 5;

describe("devices that join by themselves", () => {
  let home: Rig;
  before(async () => {
    home = await startRig();
  });
  after(() => home.close());

  const list = async () =>
    (await home.command("ZWAVE_SMARTSTART_GET_LIST")) as unknown as readonly Readonly<
      Record<string, unknown>
    >[];
  const statuses = async () => (await list()).map(({ status }) => status);
  /** A device that announces itself to a stick that does not listen yet says it again much later. */
  async function powerOn(node: Parameters<typeof home.stick.inclusion.powerOn>[0]): Promise<void> {
    await home.until("a stick that listens", () => home.stick.inclusion.mode === "listening");
    home.stick.inclusion.powerOn(node);
  }
  const untilAnnounced = (id: number): Promise<void> =>
    home.until("its description", () => home.announced.some(({ native }) => native === home.native(id)));

  test("joins one by the text of its QR code, without a scan", async () => {
    const { label, node } = await home.stick.inclusion.smart(plans.doorLock());
    const added = await home.command("ZWAVE_SMARTSTART_ADD", { qr: ` ${label.qr}\n` });
    assert.deepEqual(added, {
      type: "ZWAVE_SMARTSTART",
      dsk: label.dsk,
      securityClasses: ["S2_Authenticated", "S2_AccessControl"],
      longRange: false,
      protocol: "mesh",
      status: "WAITING",
      nodeId: null,
    });
    await powerOn(node);
    await untilAnnounced(node.id);
    const native = home.native(node.id);
    await home.set(native, { locked: true });
    await home.untilReported(native, "locked", true);
    const nodes = await home.nodes();
    assert.equal(nodes.find(({ nodeId }) => nodeId === node.id)?.["securityKeys"], "S2_AccessControl");
    assert.deepEqual(await list(), [{ ...added, status: "JOINED", nodeId: node.id }]);
    assert.deepEqual(home.found, []);
  });

  test("keeps the list in the log, and joins one by its key after the cache was lost", async () => {
    const { label, node } = await home.stick.inclusion.smart(plans.doorLock());
    await home.command("ZWAVE_SMARTSTART_ADD", { dsk: label.dsk, securityClasses: ["S2_Authenticated"] });
    await home.restart(async () => {
      const files = (await readdir(home.folder)).filter((name) => name.endsWith(".jsonl"));
      const cached = await Promise.all(files.map((name) => readFile(join(home.folder, name), "utf8")));
      assert.ok(cached.length > 0 && !cached.some((text) => text.includes(label.dsk)));
      await rm(home.folder, { recursive: true });
      await mkdir(home.folder);
    });
    assert.deepEqual(await statuses(), ["JOINED", "WAITING"]);
    await powerOn(node);
    await untilAnnounced(node.id);
    const nodes = await home.nodes();
    assert.equal(nodes.find(({ nodeId }) => nodeId === node.id)?.["securityKeys"], "S2_Authenticated");
  });

  test("does not join one again that was excluded, until it is entered anew", async () => {
    const [, { dsk, nodeId } = {}] = await list();
    await home.command("ZWAVE_START_EXCLUSION");
    home.stick.inclusion.leave(Number(nodeId));
    await home.until("its end", () => home.latest(home.native(Number(nodeId)), "reachable") === false);
    assert.deepEqual(await statuses(), ["JOINED", "INACTIVE"]);
    await home.command("ZWAVE_SMARTSTART_ADD", { dsk });
    assert.deepEqual(await statuses(), ["JOINED", "WAITING"]);
  });

  test("ignores one that is not in the list any more", async () => {
    const [, { dsk } = {}] = await list();
    assert.equal(await home.command("ZWAVE_SMARTSTART_REMOVE", { dsk }), true);
    assert.deepEqual(await statuses(), ["JOINED"]);
    assert.equal(await codeOf(home.command("ZWAVE_SMARTSTART_REMOVE", { dsk })), "refused");
    await home.until("a stick that does not listen", () => home.stick.inclusion.mode === "idle");
  });

  test("lets others join after one has lost its power before it got its keys", async () => {
    const { label, node } = await home.stick.inclusion.smart(plans.doorLock());
    await home.command("ZWAVE_SMARTSTART_ADD", { dsk: label.dsk });
    let isOut = false;
    home.stick.inclusion.onStep = async (status) => {
      isOut = (status as number) === protocolDone;
      if (isOut) home.stick.powerNode(node, false);
    };
    await powerOn(node);
    await home.until("its removal", () => isOut && !home.stick.nodeIds.includes(node.id));
    home.stick.inclusion.onStep = async () => {};
    await home.command("ZWAVE_SMARTSTART_REMOVE", { dsk: label.dsk });
    await home.untilReported(await home.pair(plans.wallPlug()), "reachable", true);
  });

  test("knows one again of which the log has not heard", async () => {
    const { label, node } = await home.stick.inclusion.smart(plans.doorLock());
    await home.command("ZWAVE_SMARTSTART_ADD", { dsk: label.dsk, securityClasses: ["S2_Authenticated"] });
    const put = home.stored.set.bind(home.stored);
    home.stored.set = (key, value) => {
      if (key === "smartStart") throw new Error("the disk is full");
      return put(key, value);
    };
    await powerOn(node);
    await untilAnnounced(node.id);
    home.stored.set = put;
    await home.restart();
    assert.deepEqual(await statuses(), ["JOINED", "JOINED"]);
    assert.match(home.complaints.join(" "), /the disk is full/);
  });

  test("waits for all again after the stick was reset", async () => {
    const { confirm } = await home.command("ZWAVE_HARD_RESET");
    assert.equal((await home.command("ZWAVE_HARD_RESET", { confirm }))["done"], true);
    await home.until("a stick that listens", () => home.stick.inclusion.mode === "listening");
    assert.deepEqual(await statuses(), ["WAITING", "WAITING"]);
  });

  for (const fields of [
    {},
    { dsk: "12345" },
    { dsk: 5 },
    { dsk: "00001-00002-00003-00004-00005-00006-00007-00008", securityClasses: [] },
    { dsk: "00001-00002-00003-00004-00005-00006-00007-00008", securityClasses: ["S9"] },
    { qr: "90" },
    { qr: 5 },
    { qr: "9".repeat(1001) },
  ])
    test(`refuses ${JSON.stringify(fields).slice(0, 60)}`, async () => {
      assert.equal(await codeOf(home.command("ZWAVE_SMARTSTART_ADD", fields)), "settings");
    });
});
