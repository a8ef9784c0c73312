import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { CoordinatorStick } from "@ledge/testkit/zigbee";
import { devices } from "@ledge/testkit/zigbee";
import type { Rig } from "./test-rig.ts";
import { codeOf, passing, startRigOn } from "./test-rig.ts";

// The other tests of the adapter use a Z-Stack stick. A process can run one deconz stick at a time.
for (const kind of ["ember", "deconz"] as const)
  describe(`the adapter with a simulated ${kind} stick`, () => {
    const lamp = devices.unknownLamp("0x000b57fffe000001");
    const socket = devices.unknownSocket("0x000b57fffe000002");
    const sensor = devices.contact("0x000b57fffe000003");
    let rig: Rig<CoordinatorStick>;

    before(async () => {
      rig = await startRigOn(kind);
      for (const device of [lamp, socket, sensor]) await rig.pair(device);
    });
    after(() => rig.close());

    test("pairs, interviews and sets up several devices in an open network", () => {
      assert.deepEqual(
        new Set(rig.announced.map(({ native }) => native)),
        new Set<string>([lamp.ieee, socket.ieee, sensor.ieee]),
      );
      assert.equal(rig.served.stick.isOpen, false, "the network is closed again");
    });

    test("switches a device and hears its report", async () => {
      await rig.set(socket.ieee, { isOn: true });
      assert.equal(socket.isOn, true);
      await rig.until("the report", () => rig.latest(socket.ieee, "isOn") === true);
    });

    test("reports that a device without power does not answer", async () => {
      rig.air.power(socket.ieee, false);
      assert.match(String(await codeOf(rig.set(socket.ieee, { isOn: false }))), /unreachable|timeout/);
      rig.air.power(socket.ieee, true);
      await rig.set(socket.ieee, { isOn: false });
      assert.equal(socket.isOn, false);
    });

    test("switches a group with one frame", async () => {
      const natives = [lamp.ieee, socket.ieee];
      await rig.adapter.groupcast?.keep([{ id: "g0", address: 7, members: natives }]);
      const outcomes = new Map<string, string>();
      const cast = async (isOn: boolean): Promise<void> => {
        outcomes.clear();
        await rig.adapter.groupcast?.cast(
          "g0",
          natives,
          { type: "set", attributes: { isOn } },
          (native, error) => void outcomes.set(native, error?.code ?? "taken"),
          new AbortController().signal,
        );
      };
      const isReady = async (): Promise<boolean> => {
        await cast(true).catch(() => {});
        return outcomes.size === 2 && [...outcomes.values()].every((code) => code === "taken");
      };
      while (!(await isReady())) await passing(100);
      assert.deepEqual([lamp.isOn, socket.isOn], [true, true]);
      assert.ok(rig.air.log.count({ kind: "group", group: 7 }) > 0);
    });

    test("a forgotten device leaves the network", async () => {
      await rig.adapter.forget?.(socket.ieee);
      await rig.until("it has left", () => rig.air.nwkOf(socket.ieee) === undefined);
    });
  });
