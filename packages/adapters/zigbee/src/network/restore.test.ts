import { until } from "@ledge/testkit";
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { setImmediate as passing } from "node:timers/promises";
import { serveStick, SimulatedAir, Stick } from "@ledge/testkit/zigbee";
import type { Home } from "./test-home.ts";
import { formHome } from "./test-home.ts";
import { NetworkRig } from "./test-network.ts";

let home: Home;
before(async () => {
  home = await formHome();
});
after(() => home.close());

const other = "0x00124b00000000ff";
const kept = (rig: NetworkRig): Record<string, unknown> =>
  rig.stored.get("network") as Record<string, unknown>;
const statusOf = (rig: NetworkRig): Promise<Record<string, unknown>> =>
  rig.ask({ type: "GET_ZIGBEE_STATUS" });

test("restores the network onto another stick and tracks missing devices", async (t) => {
  const stick = await home.plug(new Stick({ air: home.air, ieee: other, seed: 2 }));
  const rig = home.rig();
  t.after(() => rig.close());
  rmSync(rig.folder, { recursive: true });
  const controller = await rig.up();
  const { networkKey, extendedPanId, panId, channel } = kept(rig);
  assert.deepEqual(stick.network, { key: networkKey, extendedPanId, panId, channel });
  assert.equal(stick.ieee, "0x00124b0000000001", "it takes over the address of the bindings");
  assert.equal(controller.getDevicesByType("Coordinator")[0]?.ieeeAddr, stick.ieee);
  const natives = home.members.map(({ ieee }) => ieee);
  assert.deepEqual(rig.stored.get("missing"), natives);
  assert.ok(rig.logged.some(({ message }) => /another stick: waiting for its devices/.test(message)));
  const device = controller.getDeviceByIeeeAddr(natives[0] ?? "");
  await device?.getEndpoint(1)?.command("genOnOff", "on", {});
  const map = await rig.ask({ type: "GET_ZIGBEE_MAP" });
  const missing = (map["nodes"] as { ieee: string; missing: boolean }[]).filter((node) => node.missing);
  assert.deepEqual(
    missing.map(({ ieee }) => ieee),
    natives.slice(1),
  );
  await rig.restart();
  assert.deepEqual(rig.stored.get("missing"), natives.slice(1));
  const second = (await rig.opened()).getDeviceByIeeeAddr(natives[1] ?? "");
  await second?.getEndpoint(1)?.read("genOnOff", ["onOff"]);
  await until("all are back", () => rig.lines("info").some((line) => /all devices were heard/.test(line)));
  assert.deepEqual(rig.lines("error"), []);
});

test("a returning stick continues after the frames that another has sent meanwhile", async (t) => {
  // Its own home, because devices of the shared one have seen frames of other sticks.
  const own = await formHome();
  t.after(() => own.close());
  const rig = own.rig();
  t.after(() => rig.close());
  const told = async (): Promise<void> => {
    const device = (await rig.opened()).getDeviceByIeeeAddr(own.members[0]?.ieee ?? "");
    await device?.getEndpoint(1)?.command("genOnOff", "toggle", {});
  };
  const first = await own.plug();
  await rig.up();
  await told();
  await rig.network.stop();
  await own.plug(new Stick({ air: own.air, ieee: other, seed: 2 }));
  await rig.up();
  await told();
  await rig.network.stop();
  await own.plug(first);
  await rig.up();
  await told();
  await rig.restart();
  await told();
  assert.equal(rig.lines("info").filter((line) => /put onto another stick/.test(line)).length, 2);
});

test("restores the network onto a stick from another network", async (t) => {
  const elsewhere = await serveStick(new Stick({ air: new SimulatedAir(), ieee: other }));
  const stranger = new NetworkRig({ radio: { path: elsewhere.path, stick: "zstack" } });
  t.after(() => stranger.close());
  await stranger.up();
  await stranger.network.stop();
  const nvram = elsewhere.stick.save();
  await elsewhere.close();

  const stick = await home.plug(new Stick({ air: home.air, nvram }));
  const rig = home.rig();
  t.after(() => rig.close());
  await rig.up();
  assert.equal(stick.network?.key, kept(rig)["networkKey"]);
  // Otherwise it would put its network onto the next stick too.
  await rig.network.stop();

  const theirs = new Stick({ air: home.air, nvram });
  await home.plug(theirs);
  const fresh = new NetworkRig(home.settings);
  t.after(() => fresh.close());
  await fresh.network.start();
  await until("the error", () => fresh.lines("error").length > 0);
  assert.match(fresh.lines("error").join(), /the stick holds another network, which is lost/);
  assert.deepEqual(theirs.save(), nvram, "nothing was written to it");
});

test("without a backup forms no new network over a known one, until a user confirms", async (t) => {
  const stick = await home.plug(new Stick({ air: home.air, ieee: other }));
  const blank = stick.save();
  const rig = home.rig((stored) => stored.delete("backup"));
  t.after(() => rig.close());
  const { networkKey } = kept(rig);
  await assert.rejects(rig.form("pair all devices anew"), { code: "stopped" });
  await rig.network.start();
  await until("the error", () => rig.lines("error").length > 0);
  assert.match(rig.lines("error").join(), /holds no network.*there is no backup/);
  const { connected, has_network, problem } = await statusOf(rig);
  assert.deepEqual([connected, has_network], [false, true]);
  assert.match(String(problem), /there is no backup/);
  assert.deepEqual(stick.save(), blank);

  await assert.rejects(rig.form(true), { code: "settings", message: /^confirm: / });
  assert.equal(kept(rig)["networkKey"], networkKey);
  assert.equal(await rig.form("pair all devices anew"), true);
  const controller = await rig.opened();
  assert.notEqual(kept(rig)["networkKey"], networkKey);
  assert.equal(stick.network?.key, kept(rig)["networkKey"]);
  assert.equal(kept(rig)["isConfirmed"], false);
  assert.deepEqual(controller.getDevicesByType("Router"), []);
  await assert.rejects(rig.form("pair all devices anew"), { code: "refused" });
});

test("forms a confirmed new network also after a restart", async (t) => {
  const stick = await home.plug(new Stick({ air: home.air, ieee: other }));
  const rig = home.rig((stored) => stored.delete("backup"));
  t.after(() => rig.close());
  await rig.network.start();
  await until("the error", () => rig.lines("error").length > 0);
  await home.served.unplug();
  await rig.form("pair all devices anew");
  await rig.restart();
  await home.served.plug();
  await rig.opened();
  assert.equal(stick.network?.key, kept(rig)["networkKey"]);
});

test("a second confirmation while the network is formed keeps stick and store equal", async (t) => {
  const stick = await home.plug(new Stick({ air: home.air, ieee: other }));
  const rig = home.rig((stored) => stored.delete("backup"));
  t.after(() => rig.close());
  await rig.network.start();
  await until("the error", () => rig.lines("error").length > 0);
  await rig.form("pair all devices anew");
  while (stick.network === null) await passing();
  assert.equal(rig.network.controller, undefined, "it is being opened");
  await rig.form("pair all devices anew");
  await rig.opened();
  assert.equal(stick.network?.key, kept(rig)["networkKey"]);
});

test("accepts the right stick in place of a refused one without a confirmation", async (t) => {
  await home.plug(new Stick({ air: home.air, ieee: other }));
  const rig = home.rig((stored) => stored.delete("backup"));
  t.after(() => rig.close());
  await rig.network.start();
  await until("the error", () => rig.lines("error").length > 0);
  await home.plug();
  await rig.opened();
  assert.equal((await statusOf(rig))["problem"], null);
});
