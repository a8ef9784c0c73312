import { until } from "@ledge/testkit";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Stick } from "@ledge/testkit/zigbee";
import type { Home } from "./test-home.ts";
import { formHome } from "./test-home.ts";
import type { NetworkRig } from "./test-network.ts";

let home: Home;
let rig: NetworkRig;
before(async () => {
  home = await formHome();
  await home.plug();
  rig = home.rig();
  await rig.up();
});
after(async () => {
  await rig.close();
  await home.close();
});

const status = (): Promise<Record<string, unknown>> => rig.ask({ type: "GET_ZIGBEE_STATUS" });
const set = (wanted: object): Promise<unknown> => rig.ask({ type: "SET_ZIGBEE", ...wanted });
const endpointOf = (index: number) =>
  rig.network.controller?.getDeviceByIeeeAddr(home.members[index]?.ieee ?? "")?.getEndpoint(1);

test("reports the status and counts traffic", async () => {
  const { stats: first, ...rest } = await status();
  assert.deepEqual(rest, {
    connected: true,
    has_network: true,
    channel: 11,
    power: 5,
    firmware: '{"transportrev":2,"product":1,"majorrel":2,"minorrel":7,"maintrel":1,"revision":20240710}',
    ignore_reachability: false,
    problem: null,
  });
  const counted = async (): Promise<number[]> => {
    const { stats } = await status();
    return Object.keys(first as object).map(
      (name) => (stats as Record<string, number>)[name]! - (first as Record<string, number>)[name]!,
    );
  };
  await endpointOf(0)?.read("genOnOff", ["onOff"]);
  assert.deepEqual(await counted(), [1, 1, 0, 0]);
});

for (const [wanted, field] of [
  [{ channel: 10 }, "channel"],
  [{ channel: 27 }, "channel"],
  [{ channel: "15" }, "channel"],
  [{ power: 2 }, "power"],
  [{ power: 9 }, "power"],
  [{ power: 4.5 }, "power"],
  [{ ignore_reachability: "yes" }, "ignore_reachability"],
] as const)
  test(`refuses ${JSON.stringify(wanted)} and changes nothing`, async () => {
    const puts = rig.puts.length;
    await assert.rejects(set({ channel: 20, power: 4, ...wanted }), {
      code: "settings",
      message: new RegExp(`^${field}: `),
    });
    assert.equal(rig.puts.length, puts);
  });

test("leaves the radio alone when nothing changes", async () => {
  const { length } = rig.said;
  assert.equal(await set({ channel: 11, power: 5, ignore_reachability: false }), true);
  assert.equal(rig.said.length, length);
});

test("passes on whether reachability is ignored, also after a restart", async () => {
  await set({ ignore_reachability: true });
  assert.equal(rig.said.at(-1), "reachability ignored");
  assert.equal((await status())["ignore_reachability"], true);
  await rig.restart();
  await rig.opened();
  assert.equal(rig.said.filter((said) => said === "reachability ignored").length, 2);
  await set({ ignore_reachability: false });
});

test("sets the stick's power in dBm", async () => {
  assert.equal(home.served.stick.txPower, 5);
  const { controller } = rig.network;
  assert.equal(await set({ power: 8 }), true);
  await until("the stick is reopened", () => rig.network.controller && rig.network.controller !== controller);
  assert.equal(home.served.stick.txPower, 8);
  assert.equal((await status())["power"], 8);
});

test("a scan returns the energy of every channel, and commands wait for it", async () => {
  home.air.energy.set(17, 201);
  const scan = rig.ask<{ channel: number; energy: number }[]>({ type: "SCAN_ZIGBEE" });
  const order: string[] = [];
  const command = endpointOf(0)
    ?.command("genOnOff", "on", {})
    .then(() => order.push("command"));
  const energies = await scan;
  order.push("scan");
  await command;
  assert.deepEqual(order, ["scan", "command"]);
  assert.deepEqual(
    energies.map(({ channel }) => channel),
    Array.from({ length: 16 }, (_, index) => 11 + index),
  );
  assert.equal(energies.find(({ channel }) => channel === 17)?.energy, 201);
  assert.equal(energies.find(({ channel }) => channel === 18)?.energy, 0);
});

test("the map shows nodes and links and does not wait for a silent node", async () => {
  const [first, second] = home.members;
  assert.ok(first && second);
  home.air.mute(second.ieee, true);
  interface Answer {
    complete: boolean;
    nodes: { ieee: string; nwk: number; type: string; answered: boolean | null; model: string | null }[];
    links: { from: string; to: string; lqi: number; depth: number }[];
  }
  const map = await rig.ask<Answer>({ type: "GET_ZIGBEE_MAP" });
  home.air.mute(second.ieee, false);
  assert.deepEqual(
    map.nodes.map(({ type, answered }) => [type, answered]),
    [
      ["Coordinator", true],
      ["Router", true],
      ["Router", false],
    ],
  );
  assert.deepEqual(map.nodes[1], {
    ...map.nodes[1],
    ieee: first.ieee,
    nwk: home.air.nwkOf(first.ieee),
    model: "SP 120",
    missing: false,
  });
  const heard = map.links.filter(({ from }) => from === home.served.stick.ieee);
  assert.deepEqual(heard.map(({ to }) => to).toSorted(), [first.ieee, second.ieee]);
  assert.ok(heard.every(({ lqi }) => lqi === 180));
});

test("answers a channel change at once, shows it when it is done, and resumes it after a stop", async () => {
  const { stick } = home.served;
  const { controller } = rig.network;
  assert.equal(await set({ channel: 20 }), true);
  assert.equal(stick.network?.channel, 11);
  assert.equal((await status())["channel"], 11);
  await until("the stick is reopened", () => rig.network.controller !== controller);
  await rig.network.stop();
  await rig.restart();
  if (rig.network.controller === undefined) assert.equal((await status())["channel"], 11);
  await rig.opened();
  assert.equal(stick.network?.channel, 20);
  assert.equal((await status())["channel"], 20);
  await endpointOf(0)?.command("genOnOff", "off", {});
  assert.equal(home.members[0]?.isOn, false);
});

test("a replacement stick uses the network's channel, not the backup's", async () => {
  const stick = await home.plug(new Stick({ air: home.air, ieee: "0x00124b00000000ee" }));
  await until("it is restored", () => stick.network?.channel === 20 && rig.network.controller);
  await endpointOf(1)?.command("genOnOff", "on", {});
  assert.equal(home.members[1]?.isOn, true);
});
