import { until } from "@ledge/testkit";
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { CoordinatorStick, SimulatedKind } from "@ledge/testkit/zigbee";
import type { Home } from "./test-home.ts";
import { formHome } from "./test-home.ts";
import { NetworkRig } from "./test-network.ts";

/** Tests what every kind of stick does for the network. Z-Stack's have tests of their own, in more detail. */
export function stickSuite(kind: SimulatedKind): void {
  describe(`the network on a simulated ${kind} stick`, () => {
    let home: Home;
    before(async () => {
      home = await formHome(kind);
      own = home.served.stick;
    });
    after(() => home.close());

    const set = (rig: NetworkRig, wanted: object): Promise<unknown> =>
      rig.ask({ type: "SET_ZIGBEE", ...wanted });
    const endpointOf = (rig: NetworkRig, index = 0) =>
      rig.network.controller?.getDeviceByIeeeAddr(home.members[index]?.ieee ?? "")?.getEndpoint(1);
    /** The stick that formed the network. It stays the same, because devices have heard its frame counter. */
    let own: CoordinatorStick;
    async function opened(): Promise<NetworkRig> {
      await home.plug(own);
      const rig = home.rig();
      await rig.up();
      return rig;
    }

    test("is formed with the stored parameters and resumed, also after the folder is lost", async (t) => {
      const rig = await opened();
      t.after(() => rig.close());
      const kept = rig.stored.get("network") as Record<string, unknown>;
      const { key, panId, channel } = home.served.stick.network ?? {};
      assert.deepEqual(
        { key, panId, channel },
        { key: kept["networkKey"], panId: kept["panId"], channel: kept["channel"] },
      );
      await rig.network.stop();
      rmSync(rig.folder, { recursive: true });
      await rig.restart();
      await rig.opened();
      await endpointOf(rig)?.command("genOnOff", "on", {});
      assert.ok(home.members[0]?.isOn);
      assert.deepEqual(rig.lines("error"), []);
    });

    test("is not formed over the network of another hub", async (t) => {
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
      const rig = await opened();
      t.after(() => rig.close());
      const pulled = home.served.unplugMidFrame();
      void endpointOf(rig)
        ?.read("genOnOff", ["onOff"])
        .catch(() => {});
      await pulled;
      await until("the stick is gone", () => rig.network.controller === undefined);
      await home.served.plug();
      await rig.opened();
      assert.deepEqual(rig.said, ["opened", "closed: the stick is gone", "opened"]);
      assert.deepEqual(rig.lines("error"), []);
    });

    test("scans the energy of every channel", async (t) => {
      const rig = await opened();
      t.after(() => rig.close());
      home.air.energy.set(17, 201);
      const energies = await rig.ask<{ channel: number; energy: number }[]>({ type: "SCAN_ZIGBEE" });
      assert.deepEqual(
        energies.map(({ channel }) => channel),
        Array.from({ length: 16 }, (_, index) => 11 + index),
      );
      assert.equal(energies.find(({ channel }) => channel === 17)?.energy, 201);
      assert.equal(energies.find(({ channel }) => channel === 18)?.energy, 0);
    });

    test("shows its map and reports its status", async (t) => {
      const rig = await opened();
      t.after(() => rig.close());
      const map = await rig.ask<{
        nodes: { type: string; answered: boolean | null }[];
        links: { from: string; to: string }[];
      }>({
        type: "GET_ZIGBEE_MAP",
      });
      assert.deepEqual(
        map.nodes.map(({ type, answered }) => [type, answered]),
        [
          ["Coordinator", true],
          ["Router", true],
          ["Router", true],
        ],
      );
      const heard = map.links.filter(({ from }) => from === home.served.stick.ieee);
      assert.deepEqual(
        heard.map(({ to }) => to).toSorted(),
        home.members.map(({ ieee }) => ieee),
      );
      const { connected, firmware } = await rig.ask({ type: "GET_ZIGBEE_STATUS" });
      assert.equal(connected, true);
      assert.ok(typeof firmware === "string" && firmware.length > 2);
    });

    test("moves to another channel", async (t) => {
      const rig = await opened();
      t.after(() => rig.close());
      const { controller } = rig.network;
      const from = home.served.stick.network?.channel;
      const to = from === 20 ? 25 : 20;
      await set(rig, { channel: to });
      await until("it has moved", () => home.served.stick.network?.channel === to);
      await until("it is reopened", () => rig.network.controller && rig.network.controller !== controller);
      assert.equal((await rig.ask({ type: "GET_ZIGBEE_STATUS" }))["channel"], to);
      await endpointOf(rig, 1)?.command("genOnOff", "on", {});
      assert.equal(home.members[1]?.isOn, true);
    });
  });
}
