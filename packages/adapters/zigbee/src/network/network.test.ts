import { until } from "@ledge/testkit";
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { createServer } from "node:net";
import { setTimeout as passing } from "node:timers/promises";
import { after, before, test } from "node:test";
import { devices, FrameReader, serveStick, SimulatedAir, Stick, subsystem } from "@ledge/testkit/zigbee";
import type { Home } from "./test-home.ts";
import { formHome, join } from "./test-home.ts";
import { NetworkRig } from "./test-network.ts";

let home: Home;
before(async () => {
  home = await formHome();
});
after(() => home.close());

const addressesIn = (rig: NetworkRig): string[] =>
  rig.network.controller?.getDevices().map(({ ieeeAddr }) => ieeeAddr) ?? [];

test("stores a network before forming it, with random keys", async (t) => {
  const served = await serveStick(new Stick({ air: new SimulatedAir() }));
  t.after(() => served.close());
  const rig = new NetworkRig({ radio: { path: served.path, stick: "zstack" }, channel: 24 });
  t.after(() => rig.close());
  const onAir: boolean[] = [];
  rig.onPut = (key) => void (key === "network" && onAir.push(served.stick.network !== null));
  await rig.up();
  assert.deepEqual(onAir, [false, true]);
  const { networkKey, extendedPanId, panId, formedAt } = rig.stored.get("network") as Record<string, unknown>;
  assert.deepEqual(served.stick.network, { key: networkKey, extendedPanId, panId, channel: 24 });
  assert.ok(Number(formedAt) > 0);
  assert.notEqual(networkKey, "01030507090b0d0f00020406080a0c0d");
  assert.doesNotMatch(String(extendedPanId), /^(?:dd)+$/);
  await until("its first backup", () => rig.stored.get("backup"));
  const answers = [await rig.ask({ type: "GET_ZIGBEE_STATUS" }), await rig.ask({ type: "GET_ZIGBEE_MAP" })];
  assert.doesNotMatch(JSON.stringify([rig.logged, rig.said, answers]), new RegExp(String(networkKey)));
});

test("reads the tables of a stick once, when the library has formed a network on it", async (t) => {
  const served = await serveStick(new Stick({ air: new SimulatedAir() }));
  t.after(() => served.close());
  const reader = new FrameReader();
  let reads = 0;
  served.stick.onRequest = (chunk) => {
    // Only backups read the seed of the link keys (SYS_OSAL_NV_READ_EXT of the item 0x0101).
    for (const { subsystem: system, id, data } of reader.push(chunk))
      if (system === subsystem.sys && id === 0x1c && data[0] === 1 && data[1] === 1) reads += 1;
  };
  const rig = new NetworkRig({ radio: { path: served.path, stick: "zstack" }, channel: 24 });
  t.after(() => rig.close());
  // The hub stores a value a while after it was given.
  rig.onPut = () => passing(5);
  await rig.up();
  // It waits for any that is being made.
  await rig.network.backUp();
  assert.equal(reads, 1);
});

test("a new network uses the quietest channel that the stick finds", async (t) => {
  const air = new SimulatedAir();
  for (const channel of [11, 15, 20]) air.energy.set(channel, 200);
  const served = await serveStick(new Stick({ air }));
  t.after(() => served.close());
  const rig = new NetworkRig({ radio: { path: served.path, stick: "zstack" } });
  t.after(() => rig.close());
  await rig.up();
  assert.equal(served.stick.network?.channel, 25);
  assert.equal((await rig.ask({ type: "GET_ZIGBEE_STATUS" }))["channel"], 25);
});

test("resumes the network, also after the folder is lost", async (t) => {
  const stick = await home.plug();
  const rig = home.rig();
  t.after(() => rig.close());
  await rig.up();
  const all = addressesIn(rig).toSorted();
  for (const { ieee } of home.members) assert.ok(all.includes(ieee));
  await rig.network.stop();
  rmSync(rig.folder, { recursive: true });
  await rig.restart();
  const controller = await rig.opened();
  assert.deepEqual(addressesIn(rig).toSorted(), all);
  const [{ ieee }] = home.members as [Home["members"][number]];
  const device = controller.getDeviceByIeeeAddr(ieee);
  assert.equal(device?.modelID, "SP 120");
  await device?.getEndpoint(1)?.command("genOnOff", "on", {});
  assert.ok(home.members[0]?.isOn);
  const kept = rig.stored.get("network") as Record<string, unknown>;
  assert.equal(stick.network?.key, kept["networkKey"]);
  assert.deepEqual(rig.lines("error"), []);
});

test("asks a stick behind a network port at once, without waking a bootloader", async (t) => {
  const served = await serveStick(new Stick({ air: new SimulatedAir() }));
  t.after(() => served.close());
  const written: Uint8Array[] = [];
  served.stick.onRequest = (chunk) => void written.push(chunk);
  const rig = new NetworkRig({ radio: { path: served.path, stick: "zstack" }, channel: 24 });
  t.after(() => rig.close());
  await rig.up();
  const start = Buffer.concat(written);
  // A ping: no data, SYS, command 1 (Z-Stack Monitor and Test API 3.12.1.2).
  assert.equal(start.subarray(0, 5).toString("hex"), "fe00210120");
});

test("the folder may vanish while the network is up", async (t) => {
  await home.plug();
  const rig = home.rig();
  t.after(() => rig.close());
  await rig.up();
  rmSync(rig.folder, { recursive: true });
  await rig.network.membersChanged();
  assert.deepEqual(rig.lines("error"), []);
  await rig.restart();
  await rig.opened();
  for (const { ieee } of home.members) assert.ok(addressesIn(rig).includes(ieee));
});

test("stores that a device exists, but not its values", async (t) => {
  await home.plug();
  const rig = home.rig();
  t.after(() => rig.close());
  const controller = await rig.up();
  const lamp = devices.socket("0x000d6f0000000003");
  home.air.add(lamp);
  await join(home.air, controller, lamp);
  await rig.network.membersChanged();
  const already = rig.puts.length;
  const endpoint = controller.getDeviceByIeeeAddr(lamp.ieee)?.getEndpoint(1);
  for (const command of ["on", "off", "on"] as const) {
    await endpoint?.command("genOnOff", command, {});
    await endpoint?.read("genOnOff", ["onOff"]);
    // Makes the library write its file.
    await controller.backup();
    await rig.network.membersChanged();
  }
  const written = rig.puts.slice(already).filter((key) => !/backup/.test(key));
  assert.equal(written.length, 1, "once, because onOff is a new attribute");
  home.air.leave(lamp.ieee);
  await until("it has left", () => !addressesIn(rig).includes(lamp.ieee));
  await rig.network.membersChanged();
});

test("reopens a stick that was removed and plugged in again", async (t) => {
  await home.plug();
  const rig = home.rig();
  t.after(() => rig.close());
  await rig.up();
  const pulled = home.served.unplugMidFrame();
  void rig.network.controller
    ?.getDevices()[1]
    ?.getEndpoint(1)
    ?.read("genOnOff", ["onOff"])
    .catch(() => {});
  await pulled;
  await until("the stick is gone", () => rig.network.controller === undefined);
  const status = await rig.ask({ type: "GET_ZIGBEE_STATUS" });
  assert.deepEqual([status["connected"], status["has_network"]], [false, true]);
  assert.ok(typeof status["problem"] === "string" && status["problem"] !== "");
  await assert.rejects(rig.ask({ type: "SCAN_ZIGBEE" }), { code: "unreachable" });
  await home.served.plug();
  await rig.opened();
  assert.deepEqual(rig.said, ["opened", "closed: the stick is gone", "opened"]);
  assert.equal((await rig.ask({ type: "GET_ZIGBEE_STATUS" }))["problem"], null);
  assert.deepEqual(rig.lines("error"), []);
});

test("waits for a missing stick and logs the same failure once", async (t) => {
  await home.plug();
  await home.served.unplug();
  const rig = home.rig();
  t.after(() => rig.close());
  await rig.network.start();
  await until(
    "some tries",
    () => rig.lines("debug").filter((line) => /cannot be opened/.test(line)).length > 1,
  );
  assert.equal(rig.lines("warn").filter((line) => /cannot be opened/.test(line)).length, 1);
  assert.deepEqual(rig.said, []);
  await home.served.plug();
  await rig.opened();
});

test("reports a missing serial port", async (t) => {
  const rig = new NetworkRig({ radio: { path: "/dev/serial/by-id/none", stick: "ember" } });
  t.after(() => rig.close());
  await rig.network.start();
  await until("the warning", () => rig.lines("warn").some((line) => /there is no such port/.test(line)));
});

test("a stop does not wait for a silent stick", async (t) => {
  const silent = createServer(() => {});
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  t.after(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const rig = new NetworkRig({ radio: { path: `tcp://127.0.0.1:${port}`, stick: "zstack" } });
  t.after(() => rig.close());
  const connected = once(silent, "connection");
  await rig.network.start();
  const [socket] = (await connected) as [Socket];
  socket.resume();
  const closed = once(socket, "close");
  await rig.network.stop();
  await closed;
  assert.deepEqual(rig.said, []);
  await rig.network.stop();
});

test("a network whose forming was stopped continues at the next start", async (t) => {
  const served = await serveStick(new Stick({ air: new SimulatedAir() }));
  t.after(() => served.close());
  const rig = new NetworkRig({ radio: { path: served.path, stick: "zstack" } });
  t.after(() => rig.close());
  await rig.network.start();
  await until("the network is formed", () => served.stick.network ?? undefined);
  await rig.network.stop();
  const { networkKey } = rig.stored.get("network") as Record<string, unknown>;
  await rig.restart();
  await rig.opened();
  assert.equal(served.stick.network?.key, networkKey);
  assert.deepEqual(rig.lines("error"), []);
});

test("applies a channel that is chosen while the network is being formed", async (t) => {
  const served = await serveStick(new Stick({ air: new SimulatedAir() }));
  t.after(() => served.close());
  const rig = new NetworkRig({ radio: { path: served.path, stick: "zstack" } });
  t.after(() => rig.close());
  await rig.network.start();
  await until("the network is formed", () => served.stick.network ?? undefined);
  await rig.ask({ type: "SET_ZIGBEE", channel: 26, power: 8 });
  await until("it has moved", () => served.stick.network?.channel === 26 && rig.network.controller);
  assert.equal((await rig.ask({ type: "GET_ZIGBEE_STATUS" }))["channel"], 26);
  assert.equal(served.stick.txPower, 8);
});

test("refuses to change the channel of sticks that do not support it", async (t) => {
  const formed = { formedAt: 1, channel: 11 };
  for (const stick of ["zboss", "zigate"] as const) {
    const rig = new NetworkRig({ radio: { path: "/dev/null/none", stick } }, new Map([["network", formed]]));
    t.after(() => rig.close());
    await rig.network.start();
    await assert.rejects(rig.ask({ type: "SET_ZIGBEE", channel: 20, power: 8 }), { code: "unsupported" });
    assert.deepEqual([...rig.stored.keys()], ["network"]);
  }
});

test("has a status but nothing else without a stick", async (t) => {
  const rig = new NetworkRig({});
  t.after(() => rig.close());
  await rig.network.start();
  const { connected, problem } = await rig.ask({ type: "GET_ZIGBEE_STATUS" });
  assert.deepEqual([connected, problem], [false, "no stick has been chosen"]);
  await assert.rejects(rig.ask({ type: "GET_ZIGBEE_MAP" }), { code: "unreachable" });
  await rig.network.stop();
  await assert.rejects(rig.ask({ type: "GET_ZIGBEE_STATUS" }), { code: "stopped" });
});
