import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { GreenPowerSwitch, ProxyLamp } from "@ledge/testkit/zigbee";
import type { Rig } from "./test-rig.ts";
import { completeOf, isSetUp, startRig } from "./test-rig.ts";

const product = { manufacturer: "Nobody", model: "Proxy1" };
const proxy = new ProxyLamp({ ieee: "0x000b57fffe000001", manufacturerCode: 0x1037, product });
/** EnOcean's PTM 215Z, by its source id. */
const wall = new GreenPowerSwitch(0x0171_2345, randomBytes(16));
const native = "0x0000000001712345";

let rig: Rig;
before(async () => {
  rig = await startRig();
  await rig.pair(proxy);
});
after(() => rig.close());

test("a Green Power switch is found in a window and becomes a remote control", async () => {
  wall.commission(proxy);
  assert.deepEqual(completeOf(rig.found, native), [], "no window is open");
  await rig.adapter.pairing?.open(60_000);
  await rig.until("the proxy's commissioning mode", () => proxy.proxy.isCommissioning);
  wall.commission(proxy);
  await rig.until("the switch", () => completeOf(rig.found, native).length > 0);
  await rig.adapter.pairing?.close();
  await rig.adapter.pairing?.keep(native);
  const device = rig.announced.findLast((each) => each.native === native);
  assert.ok(device);
  assert.equal(device.class, "REMOTE_CONTROL");
  assert.ok(JSON.stringify(device.extras).includes("buttons"));
  assert.ok(proxy.proxy.paired.has(wall.sourceId));
  await rig.until("its reachability", () => rig.latest(native, "reachable") === true);
});

test("its presses are reported, each one once", async () => {
  const presses = (): number =>
    rig.reports.filter((each) => each.native === native && "button" in each.attributes).length;
  wall.press(proxy, 0x10);
  await rig.until("a press", () => presses() === 1);
  wall.press(proxy, 0x13);
  await rig.until("another press", () => presses() === 2);
});

test("it stays reachable while nobody presses it, and after a restart", async () => {
  await rig.until("its set-up", () => isSetUp(rig.stored, native));
  await rig.restart();
  await rig.until("its reachability", () => rig.latest(native, "reachable") === true);
});

test("a switch whose source id ends with the address of a lamp hinders neither", async () => {
  const twin = new GreenPowerSwitch(0x0171_0000 + proxy.nwk, randomBytes(16));
  const its = `0x${twin.sourceId.toString(16).padStart(16, "0")}` as const;
  await rig.adapter.pairing?.open(60_000);
  await rig.until("the proxy's commissioning mode", () => proxy.proxy.isCommissioning);
  twin.commission(proxy);
  await rig.until("the switch", () => completeOf(rig.found, its).length > 0);
  await rig.adapter.pairing?.close();
  await rig.adapter.pairing?.keep(its);
  twin.press(proxy, 0x10);
  await rig.until("its press", () => rig.latest(its, "button") !== undefined);
  for (const isOn of [true, false]) {
    await rig.set(proxy.ieee, { isOn });
    await rig.until("the report of the lamp", () => rig.latest(proxy.ieee, "isOn") === isOn);
  }
});

test("a switch that the hub removes is unpaired from its proxies", async () => {
  await rig.adapter.forget?.(native);
  await rig.until("its removal", () => !proxy.proxy.paired.has(wall.sourceId));
  assert.equal(rig.stored.get(`node/${native}`), null);
  assert.deepEqual(rig.stored.get("forgotten") ?? [], [], "it needs no leave request");
});
