import { until } from "@ledge/testkit";
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import type { TestContext } from "node:test";
import { after, before, describe, test } from "node:test";
import type { CoordinatorStick, SimulatedKind } from "@ledge/testkit/zigbee";
import type { Home } from "./test-home.ts";
import { formHome, memberEndpoint } from "./test-home.ts";
import { NetworkRig } from "./test-network.ts";

/** A home whose network runs on the stick that formed it: devices have heard the frame counter of that one. */
interface Shared {
  home: Home;
  own: CoordinatorStick;
}

/** Tests what every kind of stick does for the network. Z-Stack's have tests of their own, in more detail. */
export function stickSuite(kind: SimulatedKind): void {
  describe(`the network on a simulated ${kind} stick`, () => {
    const shared = {} as Shared;
    before(async () => {
      const home = await formHome(kind);
      Object.assign(shared, { home, own: home.served.stick });
    });
    after(() => shared.home.close());
    testOpening(shared);
    testRequests(shared);
  });
}

async function opened({ home, own }: Shared, t: TestContext): Promise<NetworkRig> {
  await home.plug(own);
  const rig = home.rig();
  t.after(() => rig.close());
  await rig.up();
  return rig;
}

function testOpening(shared: Shared): void {
  test("is formed with the stored parameters and resumed, also after the folder is lost", async (t) => {
    const rig = await opened(shared, t);
    const { home } = shared;
    const kept = rig.stored.get("network") as Record<string, unknown>;
    const { key, panId, channel } = home.served.stick.network ?? {};
    assert.deepEqual([key, panId, channel], [kept["networkKey"], kept["panId"], kept["channel"]]);
    await rig.network.stop();
    rmSync(rig.folder, { recursive: true });
    await rig.restart();
    await rig.opened();
    await memberEndpoint(home, rig.network.controller)?.command("genOnOff", "on", {});
    assert.ok(home.members[0]?.isOn);
    assert.deepEqual(rig.lines("error"), []);
  });

  test("is not formed over the network of another hub", async (t) => {
    const { home, own } = shared;
    const nvram = own.save();
    const theirs = await home.plug(home.make({ nvram }));
    const fresh = new NetworkRig(home.settings);
    t.after(() => fresh.close());
    await fresh.network.start();
    await until("the error", () => fresh.lines("error").length > 0);
    assert.match(fresh.lines("error").join(), /the stick holds another network, which is lost/);
    assert.deepEqual(theirs.save(), nvram, "nothing was written to it");
  });

  test("is reopened when the stick was pulled out and plugged in again", async (t) => {
    const rig = await opened(shared, t);
    const { home } = shared;
    const pulled = home.served.unplugMidFrame();
    void memberEndpoint(home, rig.network.controller)
      ?.read("genOnOff", ["onOff"])
      .catch(() => {});
    await pulled;
    await until("the stick is gone", () => rig.network.controller === undefined);
    await home.served.plug();
    await rig.opened();
    assert.deepEqual(rig.said, ["opened", "closed: the stick is gone", "opened"]);
    assert.deepEqual(rig.lines("error"), []);
  });
}

interface Answer {
  readonly nodes: readonly { readonly type: string; readonly answered: boolean | null }[];
  readonly links: readonly { readonly from: string; readonly to: string }[];
}

function testRequests(shared: Shared): void {
  test("scans the energy of every channel", async (t) => {
    const rig = await opened(shared, t);
    shared.home.air.energy.set(17, 201);
    const energies = await rig.ask<{ channel: number; energy: number }[]>({ type: "SCAN_ZIGBEE" });
    const channels = Array.from({ length: 16 }, (_, index) => 11 + index);
    const expected = channels.map((channel) => ({ channel, energy: channel === 17 ? 201 : 0 }));
    assert.deepEqual(energies, expected);
  });

  test("shows its map and reports its status", async (t) => {
    const rig = await opened(shared, t);
    const { served, members } = shared.home;
    const { nodes, links } = await rig.ask<Answer>({ type: "GET_ZIGBEE_MAP" });
    assert.deepEqual(
      nodes.map(({ type, answered }) => [type, answered]),
      [
        ["Coordinator", true],
        ["Router", true],
        ["Router", true],
      ],
    );
    const heard = links.filter(({ from }) => from === served.stick.ieee);
    assert.deepEqual(new Set(heard.map(({ to }) => to)), new Set<string>(members.map(({ ieee }) => ieee)));
    const { connected, firmware } = await rig.ask({ type: "GET_ZIGBEE_STATUS" });
    assert.equal(connected, true);
    assert.ok(typeof firmware === "string" && firmware.length > 2);
  });

  test("moves to another channel", async (t) => {
    const rig = await opened(shared, t);
    const { home } = shared;
    const { controller } = rig.network;
    const to = home.served.stick.network?.channel === 20 ? 25 : 20;
    await rig.ask({ type: "SET_ZIGBEE", channel: to });
    await until("it has moved", () => home.served.stick.network?.channel === to);
    await until("it is reopened", () => rig.network.controller && rig.network.controller !== controller);
    assert.equal((await rig.ask({ type: "GET_ZIGBEE_STATUS" }))["channel"], to);
    await memberEndpoint(home, rig.network.controller, 1)?.command("genOnOff", "on", {});
    assert.equal(home.members[1]?.isOn, true);
  });
}
