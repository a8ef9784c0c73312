import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  failing,
  serveStick,
  SimulatedAir,
  status,
  sticks,
  type CoordinatorStick,
  type ServedStick,
} from "@ledge/testkit/zigbee";
import type { Controller } from "zigbee-herdsman";
import { herdsmanAt, joined, networkKey, stopHerdsman } from "./test-herdsman.ts";
import { Plug } from "./test-plug.ts";

/** What differs between the kinds of stick. */
const kinds = [
  {
    kind: "zstack",
    isReversed: false,
    failure: /0xb7/,
    unplugged: /Error while opening socket/,
    takesAddress: true,
  },
  {
    kind: "ember",
    isReversed: true,
    failure: /Delivery failed/,
    unplugged: /HOST_FATAL_ERROR/,
    takesAddress: false,
  },
] as const;

// The tests share one network in sequence, because the library takes seconds to form one.
for (const { kind, isReversed, failure, unplugged, takesAddress } of kinds)
  describe(`zigbee-herdsman with the simulated ${kind} stick`, () => {
    const air = new SimulatedAir();
    const first = sticks[kind]({ air });
    const [plug, other] = [new Plug("0x000b57fffe000001"), new Plug("0x000b57fffe000002")];
    const sensor = new Plug("0x000b57fffe000003", "sleepy");
    let folder: string;
    let served: ServedStick<CoordinatorStick>;
    let controller: Controller;

    const endpointOf = (
      device: Plug,
    ): NonNullable<ReturnType<Controller["getDeviceByIeeeAddr"]>>["endpoints"][0] => {
      const endpoint = controller.getDeviceByIeeeAddr(device.ieee)?.getEndpoint(1);
      if (!endpoint) throw new Error(`${device.ieee} is unknown`);
      return endpoint;
    };

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), "ledge-zigbee-"));
      served = await serveStick(first);
      controller = herdsmanAt(served, folder);
      assert.equal(await controller.start(), "reset");
      for (const device of [plug, other, sensor]) air.add(device);
    });

    after(async () => {
      await stopHerdsman(controller);
      await served.close();
      await rm(folder, { recursive: true });
    });

    test("forms a network with the given parameters", async () => {
      const extendedPanId = isReversed ? "0807060504030201" : "0102030405060708";
      const { panID, channel, extendedPanID } = await controller.getNetworkParameters();
      assert.deepEqual([panID, channel, extendedPanID], [0x1a63, 15, `0x${extendedPanId}`]);
      assert.deepEqual(first.network, {
        panId: 0x1a63,
        extendedPanId,
        key: Buffer.from(networkKey).toString("hex"),
        channel: 15,
      });
    });

    test("lets devices join only an open network, and interviews, switches and reads them", async () => {
      assert.equal(air.join(plug.ieee), false);
      for (const device of [plug, other, sensor]) {
        assert.equal(await joined(controller, () => air.join(device.ieee)), "successful");
      }
      assert.equal(first.isOpen, false);
      const known = [plug, sensor].map(({ ieee }) => controller.getDeviceByIeeeAddr(ieee));
      assert.deepEqual(
        known.map((device) => [device?.modelID, device?.type, device?.networkAddress]),
        [
          ["TEST-PLUG", "Router", air.nwkOf(plug.ieee)],
          ["TEST-PLUG", "EndDevice", air.nwkOf(sensor.ieee)],
        ],
      );
      await endpointOf(plug).command("genOnOff", "on", {});
      assert.deepEqual([plug.isOn, other.isOn], [true, false]);
      assert.deepEqual(await endpointOf(plug).read("genOnOff", ["onOff"]), { onOff: 1 });
    });

    test("reports the link quality of a message", async () => {
      air.node(plug.ieee).lqi = 93;
      const heard = once(controller, "message");
      plug.press();
      const [message] = (await heard) as [{ type: string; linkquality: number; data: unknown }];
      assert.deepEqual(
        [message.type, message.linkquality, message.data],
        ["attributeReport", 93, { onOff: 0 }],
      );
    });

    test("switches a group with one frame", async () => {
      const group = controller.createGroup(7);
      for (const device of [plug, other]) await endpointOf(device).addToGroup(group);
      air.log.clear();
      await group.command("genOnOff", "on", {});
      assert.deepEqual([plug.isOn, other.isOn, sensor.isOn], [true, true, false]);
      assert.deepEqual([air.log.count({ from: null }), air.log.count({ kind: "group", group: 7 })], [1, 1]);
    });

    test("a sleeping device obeys when it polls", async () => {
      air.sleep(sensor.ieee);
      const done = endpointOf(sensor).command("genOnOff", "on", {}, { sendPolicy: "immediate" });
      const isOnAir = (): boolean => air.log.count({ to: sensor.ieee, cluster: 6 }) > 0;
      while (!isOnAir()) await new Promise((resolve) => void setTimeout(resolve, 5));
      assert.equal(sensor.isOn, false);
      // The frame has left the stick, but may not have reached the sleeper's parent yet.
      while (!sensor.isOn) {
        await new Promise((resolve) => void setTimeout(resolve, 5));
        air.poll(sensor.ieee);
      }
      await done;
    });

    test("fails with the status of a failed frame", async () => {
      air.interference = failing(status.apsNoAck, 1, plug.ieee);
      await assert.rejects(endpointOf(plug).command("genOnOff", "off", {}), failure);
      air.interference = null;
      await endpointOf(plug).command("genOnOff", "off", {});
      assert.equal(plug.isOn, false);
    });

    test("sets up bindings at the device", async () => {
      const coordinator = controller.getDevicesByType("Coordinator")[0];
      await endpointOf(plug).bind("genOnOff", coordinator?.getEndpoint(1) ?? 1);
      assert.deepEqual(plug.line?.bindings, [
        { endpoint: 1, cluster: 6, to: { ieee: first.ieee, endpoint: 1 } },
      ]);
      await endpointOf(plug).unbind("genOnOff", coordinator?.getEndpoint(1) ?? 1);
      assert.deepEqual(plug.line?.bindings, []);
    });

    test("reads neighbours and routes", async () => {
      const coordinator = controller.getDevicesByType("Coordinator")[0];
      const neighbours = (await coordinator?.lqi())?.map(({ eui64 }) => eui64);
      assert.deepEqual(neighbours, [plug.ieee, other.ieee, sensor.ieee]);
      assert.deepEqual(await coordinator?.routingTable(), []);
    });

    test("follows a device that returns with another address", async () => {
      const before_ = air.nwkOf(other.ieee);
      const announced = once(controller, "deviceAnnounce");
      air.rejoin(other.ieee);
      await announced;
      const now = controller.getDeviceByIeeeAddr(other.ieee)?.networkAddress;
      assert.deepEqual([now, now === before_], [air.nwkOf(other.ieee), false]);
      await endpointOf(other).command("genOnOff", "off", {});
      assert.equal(other.isOn, false);
    });

    test("notices a removed stick and resumes its network later", async () => {
      const missed = once(controller, "adapterDisconnected");
      await served.unplug();
      await missed;
      await stopHerdsman(controller);
      await assert.rejects(herdsmanAt(served, folder).start(), unplugged);
      await served.plug();
      controller = herdsmanAt(served, folder, 7);
      assert.equal(await controller.start(), "resumed");
      assert.equal(first.txPower, 7);
      await endpointOf(plug).command("genOnOff", "on", {});
      assert.equal(plug.isOn, true);
    });

    test("restores a network onto another stick, which devices accept as the first", async () => {
      const { network } = first;
      await controller.backup();
      await stopHerdsman(controller);
      await served.unplug();
      const ieee = "0x00124b00000000ff";
      const second = sticks[kind]({ air, ieee });
      await served.plug(second);
      controller = herdsmanAt(served, folder);
      assert.equal(await controller.start(), "restored");
      assert.deepEqual([second.network, second.ieee], [network, takesAddress ? first.ieee : ieee]);
      await endpointOf(plug).command("genOnOff", "off", {});
      assert.equal(plug.isOn, false);
      const heard = once(controller, "message");
      other.press();
      await heard;
    });

    test("removes a device that is told to leave", async () => {
      await controller.getDeviceByIeeeAddr(plug.ieee)?.removeFromNetwork();
      assert.equal(air.nwkOf(plug.ieee), undefined);
      const left = once(controller, "deviceLeave");
      air.leave(other.ieee);
      const [{ ieeeAddr }] = (await left) as [{ ieeeAddr: string }];
      assert.equal(ieeeAddr, other.ieee);
    });
  });
