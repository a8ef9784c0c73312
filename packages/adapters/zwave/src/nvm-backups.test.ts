import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { inflateSync } from "node:zlib";
import { systemClock, TextStore } from "@ledge/port";
import { until } from "@ledge/testkit";
import { networkIn, plans, type StickNetwork } from "@ledge/testkit/zwave";
import type { NvmBackup } from "./nvm-backups.ts";
import { codeOf, type Rig, startRig } from "./test-rig.ts";

describe("backups of a stick's memory", () => {
  let home: Rig;
  /** Ends the time in which a stick must give its memory away. */
  let beLate = (): void => {};
  let isLimited = false;
  const clock = {
    now: () => systemClock.now(),
    after: (ms: number, callback: () => void) => {
      if (ms === 300_000) [beLate, isLimited] = [callback, true];
      return systemClock.after(ms, callback);
    },
  };
  before(async () => {
    home = await startRig([], { hasMemory: true, clock });
    await networkIsUp();
  });
  after(() => home.close());

  const backup = () => home.command("GET_ZWAVE_BACKUP");
  /** A start ends without the network when the stick is slow to answer, as on a busy machine. */
  const networkIsUp = (): Promise<boolean> =>
    until("the network", async () => (await backup())["isSupported"] !== null);
  const network = (): string => home.stick.homeId.toString(16);

  /** What the log has. */
  async function kept(): Promise<StickNetwork | undefined> {
    const text = new TextStore({ get: (key) => home.stored.get(key), put: async () => {} }).get("nvm");
    return await networkIn(inflateSync(Buffer.from((JSON.parse(text ?? "") as NvmBackup).data, "base64")));
  }

  test("are made before each device joins, and hold the network of before", async () => {
    const none = await backup();
    assert.deepEqual([none["network"], none["isSupported"], none["isDue"]], [null, true, true]);
    const first = Number((await home.pair(plans.wallPlug())).split("/")[1]);
    assert.deepEqual(await kept(), { homeId: home.stick.homeId, nodeIds: [] });
    assert.equal((await backup())["isDue"], true);
    await home.adapter.pairing?.open(60_000);
    const second = Number((await home.pair(plans.wallPlug())).split("/")[1]);
    assert.deepEqual(await kept(), { homeId: home.stick.homeId, nodeIds: [first] });
    // In one window, too.
    await home.adapter.pairing?.open(60_000);
    home.stick.inclusion.seek(plans.wallPlug());
    home.stick.inclusion.seek(plans.wallPlug());
    let joined: unknown;
    await home.until("two more", () => {
      void home.command("GET_ZWAVE_INCLUSION_STATUS").then(({ nodeId }) => (joined = nodeId));
      return home.stick.nodeIds.length === 4 && joined === home.stick.nodeIds.at(-1);
    });
    await home.adapter.pairing?.close();
    const [, , third = 0] = home.stick.nodeIds;
    assert.deepEqual(await kept(), { homeId: home.stick.homeId, nodeIds: [first, second, third] });
    const { at, ...facts } = await backup();
    assert.equal(typeof at, "number");
    const { length: bytes } = await home.stick.readMemory();
    const held = { network: network(), nodes: [first, second, third], bytes };
    assert.deepEqual(facts, {
      type: "ZWAVE_BACKUP",
      ...held,
      isSupported: true,
      isDue: true,
      backups: [{ ...held, at }],
    });
  });

  test("are made when they are asked for, and last", async () => {
    const made = await home.command("ZWAVE_BACK_UP");
    assert.deepEqual([made["nodes"], made["isDue"]], [home.stick.nodeIds, false]);
    await home.restart();
    await networkIsUp();
    assert.deepEqual(await backup(), made);
    assert.deepEqual(home.complaints, []);
  });

  test("are read again when the machine stood still, and the library asked the stick twice for a piece", async () => {
    const offsets: number[] = [];
    home.stick.onRead = (offset) => {
      offsets.push(offset);
      // For longer than the library waits for an acknowledgement.
      if (offsets.length === 10) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1700);
    };
    await home.command("ZWAVE_BACK_UP");
    home.stick.onRead = () => {};
    assert.equal(offsets[10], offsets[9], "it asked twice");
    assert.deepEqual(await kept(), { homeId: home.stick.homeId, nodeIds: home.stick.nodeIds });
  });

  test("leave a stick alone that never ends, and let devices join all the same", async () => {
    await home.pair(plans.wallPlug());
    home.stick.givesMemory = false;
    isLimited = false;
    const opening = home.adapter.pairing?.open(60_000);
    await home.until("a stick that is read", () => isLimited);
    isLimited = false;
    beLate();
    await opening;
    await home.until("a stick that lets devices join", () => home.stick.inclusion.mode === "adding");
    assert.match(home.complaints.join(" "), /does not give its memory away/);
    await home.pair(plans.wallPlug());
    assert.equal(isLimited, false);
    home.stick.givesMemory = true;
    assert.equal((await home.command("ZWAVE_BACK_UP"))["isDue"], false);
    isLimited = false;
    await home.pair(plans.wallPlug());
    await home.pair(plans.wallPlug());
    assert.equal(isLimited, true);
    await home.command("ZWAVE_BACK_UP");
  });

  test("do without the stick when it is pulled out, and say so", async () => {
    await home.served.unplug();
    await home.until("no network", () =>
      home.announced.every(({ native }) => home.latest(native, "reachable") === false),
    );
    assert.equal(await codeOf(home.command("ZWAVE_BACK_UP")), "unreachable");
    const { isSupported, nodes } = await backup();
    assert.deepEqual([isSupported, nodes], [null, home.stick.nodeIds]);
  });
});
