import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { longRangeKeyOf, plans, ZWaveStick } from "@ledge/testkit/zwave";
import { eventually } from "../testdata/hub-process.ts";
import { type Shown, ZWaveHome } from "../testdata/zwave-home.ts";

const zwave = new ZWaveHome({ hasMemory: true });
const { home } = zwave;

interface Restore {
  readonly status: string;
  readonly network: string | null;
  readonly stick: string | null;
  readonly missing: readonly string[];
  readonly confirm: string | null;
}

const restoreIs = (wanted: string): Promise<Restore> =>
  eventually(`the status ${wanted}`, async () => {
    const { json } = await zwave.command("GET_ZWAVE_RESTORE_STATUS");
    return (json as Restore).status === wanted ? (json as Restore) : undefined;
  });
const swaps = () => zwave.alarms("STICK_SWAPPED");
const lampIs = (reachable: boolean) =>
  zwave.shown(lamp, `a lamp that is reachable: ${reachable}`, (state) => state["reachable"] === reachable);

let lamp = "";
let first: ZWaveStick;
const network = ({ homeId }: ZWaveStick): string => homeId.toString(16).padStart(8, "0");

async function swap(to: ZWaveStick): Promise<void> {
  await zwave.served.unplug();
  await lampIs(false);
  await zwave.served.plug(to);
}

test("another stick opens an alarm, and gets the network of the old one when somebody confirms it", async () => {
  await zwave.choose();
  lamp = await zwave.pair(plans.lamp());
  // A busy machine reads for longer than a request lasts; the next one waits for the same backup.
  const backedUp = await eventually("a backup", async () => {
    const answer = await zwave.command("ZWAVE_BACK_UP");
    return answer.status === 504 ? undefined : answer;
  });
  assert.equal(backedUp.status, 200, JSON.stringify(backedUp.json));
  first = zwave.served.stick;
  const second = await ZWaveStick.create({ homeId: 0xc0de_0002, hasMemory: true, beside: first });
  await swap(second);
  const { network: offered, stick, missing } = await restoreIs("OFFERED");
  assert.deepEqual([offered, stick, missing], [network(first), "c0de0002", []]);
  await eventually("an alarm", async () => (await swaps()).find(({ closed }) => !closed));
  const ask = (await zwave.command("ZWAVE_RESTORE")).json as Restore;
  assert.equal((await zwave.command("ZWAVE_RESTORE", { confirm: ask.confirm })).status, 200);
  assert.equal((await restoreIs("DONE")).stick, network(first));
  assert.equal(second.homeId, first.homeId);
  await lampIs(true);
  assert.equal((await zwave.set(lamp, { isOn: true })).status, 200);
  await zwave.shown(lamp, "a lamp that is on", ({ isOn }) => isOn === true);
  await eventually("the end of the alarm", async () => (await swaps()).find(({ closed }) => closed));
});

test("the swap is taken back over a kill of the hub: the first stick has its devices", async () => {
  await home.hub.kill();
  await zwave.served.unplug();
  await zwave.served.plug(first);
  await home.start();
  await eventually("a network", async () => ((await zwave.inclusion()) === "IDLE" ? true : undefined));
  await lampIs(true);
  await zwave.set(lamp, { isOn: false });
  await zwave.shown(lamp, "a lamp that is off", ({ isOn }) => isOn === false);
  assert.equal((await restoreIs("IDLE")).stick, network(first));
  assert.deepEqual(
    (await swaps()).map(({ count, closed }) => [count, closed]),
    [[1, true]],
  );
});

interface Leaving {
  readonly status: string;
  readonly network: string | null;
  readonly isMember: boolean | null;
}

const other = "ab12cd34";
const leavingIs = (status: string, isMember: boolean): Promise<Leaving> =>
  eventually(`the status ${status}`, async () => {
    const now = (await zwave.command("GET_ZWAVE_LEAVING_STATUS")).json as Leaving;
    return now.status === status && now.isMember === isMember ? now : undefined;
  });

async function leave(): Promise<void> {
  const { json } = await zwave.command("ZWAVE_START_LEAVING");
  const { confirm, network: left } = json as { confirm: string; network: string };
  assert.equal(left, other);
  const { status, json: begun } = await zwave.command("ZWAVE_START_LEAVING", { confirm });
  assert.deepEqual([status, (begun as { done: boolean }).done], [200, true]);
  assert.ok(zwave.served.stick.learnMode.isOn);
}

test("a stick of another network leaves it when it is asked twice, also after a kill, and takes devices", async () => {
  assert.equal((await zwave.command("ZWAVE_START_LEAVING")).status, 422);
  await swap(await ZWaveStick.create({ homeId: 0xc0de_0003, memberOf: Number.parseInt(other, 16) }));
  const idle = { type: "ZWAVE_LEAVING_STATUS", status: "IDLE", network: null, isMember: true };
  assert.deepEqual(await leavingIs("IDLE", true), idle);
  const { stick } = zwave.served;
  assert.equal((await zwave.command("ZWAVE_START_LEAVING", { confirm: "yes" })).status, 422);
  assert.equal(stick.learnMode.isOn, false);
  await leave();
  assert.equal(((await zwave.command("ZWAVE_CANCEL_LEAVING")).json as Leaving).status, "CANCEL");
  await leave();
  await home.hub.kill();
  await home.start();
  assert.equal((await leavingIs("ERROR", true)).network, other);
  await leave();
  await stick.learnMode.remove();
  assert.equal((await leavingIs("SUCCESS", false)).network, other);
  const plug = await zwave.pair(plans.wallPlug());
  await zwave.set(plug, { isOn: true });
  await zwave.shown(plug, "a plug that is on", ({ isOn }) => isOn === true);
});

test("a lamp joins by Long Range, works after a kill, is found again by a scan, and leaves as a ghost", async () => {
  await swap(await ZWaveStick.create({ homeId: 0xc0de_0004, series: 800, region: "usa" }));
  await eventually("Long Range", async () => {
    const { json } = await zwave.command("GET_ZWAVE_STATISTICS");
    const { longRange, region } = json as { longRange?: boolean; region?: string };
    return longRange === true && region === "US_LR" ? true : undefined;
  });
  const { stick } = zwave.served;
  const { label, node, far } = await stick.inclusion.smart(plans.lampWithLongRange());
  const had = new Set((await home.all<Shown>("/devices")).map(({ id }) => id));
  const entry = await zwave.command("ZWAVE_SMARTSTART_ADD", { qr: label.qr, protocol: "longRange" });
  assert.equal((entry.json as { protocol: string }).protocol, "longRange");
  await eventually("a stick that listens", async () =>
    stick.inclusion.mode === "listening" ? true : undefined,
  );
  stick.inclusion.powerOn(node);
  const { id } = await eventually("a new lamp", async () =>
    (await home.all<Shown>("/devices")).find((each) => !had.has(each.id)),
  );
  const dims = async (which: string, brightness: number): Promise<void> => {
    assert.equal((await zwave.set(which, { isOn: true, brightness })).status, 200);
    // Levels of Z-Wave have 99 steps.
    const isAt = (said: unknown): boolean => Math.abs(Number(said) - brightness) < 0.01;
    await zwave.shown(which, `a lamp at ${brightness}`, (state) => isAt(state["brightness"]));
  };
  await dims(id, 0.5);
  await home.hub.kill();
  await home.start();
  await eventually("a network", async () => ((await zwave.inclusion()) === "IDLE" ? true : undefined));
  await zwave.shown(id, "a reachable lamp", ({ reachable }) => reachable === true);
  await dims(id, 0.3);
  assert.equal((await home.call("DELETE", "/devices", [id])).json, true);
  const again = await zwave.pairNext();
  await dims(again, 0.6);
  const nodeId = far?.id ?? 0;
  const ghost = async (type: string): Promise<unknown> =>
    ((await zwave.command(type, { nodeId: String(nodeId) })).json as { status: unknown }).status;
  stick.powerNode(nodeId, false);
  assert.equal(await ghost("ZWAVE_REPLACE_FAILED"), 2);
  assert.equal(await ghost("ZWAVE_REMOVE_FAILED"), 1);
  assert.deepEqual(stick.nodeIds, []);
  await zwave.shown(again, "an unreachable lamp", ({ reachable }) => reachable === false);
  const key = Buffer.from(far ? longRangeKeyOf(far) : []);
  assert.equal(key.length, 16);
  const files = readdirSync(home.folder, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  const forms = [key, Buffer.from(key.toString("hex")), Buffer.from(key.toString("base64").slice(0, 21))];
  for (const file of files) {
    const bytes = readFileSync(join(file.parentPath, file.name));
    assert.ok(!forms.some((form) => bytes.includes(form)), `${file.name} holds a key`);
  }
});
