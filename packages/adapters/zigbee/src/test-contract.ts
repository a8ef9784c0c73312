import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ContractWorld } from "@ledge/port/contract";
import { adapterContract } from "@ledge/port/contract";
import type { AirDevice, CoordinatorStick, SimulatedKind } from "@ledge/testkit/zigbee";
import { devices } from "@ledge/testkit/zigbee";
import { createAdapter } from "./index.ts";
import type { Rig } from "./test-rig.ts";
import { codeOf, passing, startRigOn } from "./test-rig.ts";

const lamp = devices.unknownSocket("0x000b57fffe000001");
const valve = devices.radiatorValve("0x000b57fffe000002");
const others = [devices.unknownLamp("0x000b57fffe000004"), devices.unknownLamp("0x000b57fffe000005")];
const stray = devices.unknownWallSwitch("0x000b57fffe000003");

/**
 * Tests what depends on the kind of stick, then runs the suite that every adapter must pass: in a home with three
 * lamps, a sleepy valve, and a switch that seeks a network. All tests share its radio.
 * @param runs where the adapter runs; in this process and in another by default
 */
export function stickContract(kind: SimulatedKind, runs?: readonly ("in process" | "forked")[]): void {
  let home: Rig<CoordinatorStick>;
  let stored: readonly (readonly [key: string, value: unknown])[] = [];

  before(async () => {
    home = await startRigOn(kind);
    await home.pairAll([lamp, valve, ...others]);
  });
  after(() => home.close());

  describe(`the adapter with a simulated ${kind} stick`, () => {
    after(async () => {
      await home.adapter.stop();
      stored = [...home.stored];
      home.air.add(seeking(stray, home));
    });

    test("closes the network after devices have joined", () => {
      assert.equal(home.served.stick.isOpen, false);
    });

    test("reports that a device without power does not answer", async () => {
      home.air.power(lamp.ieee, false);
      assert.match(String(await codeOf(home.set(lamp.ieee, { isOn: true }))), /unreachable|timeout/);
      home.air.power(lamp.ieee, true);
      await home.set(lamp.ieee, { isOn: true });
      await home.until("its report", () => home.latest(lamp.ieee, "isOn") === true);
      await home.set(lamp.ieee, { isOn: false });
    });

    test("switches a group with one frame to the group", async () => {
      const natives = others.map(({ ieee }) => ieee);
      await home.adapter.groupcast?.keep([{ id: "g0", address: 9, members: natives }]);
      const cast = async (): Promise<readonly string[]> => {
        const outcomes: string[] = [];
        await home.adapter.groupcast?.cast(
          "g0",
          natives,
          { type: "set", attributes: { isOn: true } },
          (_native, error) => void outcomes.push(error?.code ?? "taken"),
          new AbortController().signal,
        );
        return outcomes;
      };
      while ((await cast().catch(() => [])).join() !== "taken,taken") await passing(100);
      assert.ok(others.every(({ isOn }) => isOn));
      assert.ok(home.air.log.count({ kind: "group", group: 9 }) > 0);
      await home.adapter.groupcast?.keep([]);
    });
  });

  const offered = {
    finds: stray.ieee,
    answers: { type: "GET_ZIGBEE_STATUS" },
    groupcast: {
      natives: [lamp, ...others].map(({ ieee }) => ieee),
      command: { type: "set", attributes: { isOn: true } },
    },
  } as const;
  adapterContract(`Zigbee (${kind})`, async () => await worldOf(home, stored), offered, runs);
}

/** Makes a device seek a network whenever it leaves one. */
function seeking(device: AirDevice, { air }: Rig<CoordinatorStick>): AirDevice {
  const left = device.left.bind(device);
  device.left = () => {
    left();
    queueMicrotask(() => {
      if (air.nwkOf(device.ieee) === undefined) air.seek(device.ieee);
    });
  };
  return device;
}

async function worldOf(
  { air, served }: Rig<CoordinatorStick>,
  stored: NonNullable<ContractWorld["stored"]>,
): Promise<ContractWorld> {
  if (air.nwkOf(stray.ieee) !== undefined) air.leave(stray.ieee);
  air.seek(stray.ieee);
  air.sleep(valve.ieee);
  const radio = { path: served.path, stick: served.stick.kind };
  let isPlugged = true;
  return {
    module: new URL("./index.ts", import.meta.url),
    create: () => createAdapter(),
    settings: { radio },
    stored,
    wrong: [
      { settings: { radio: { ...radio, path: "stick" } }, field: "radio.path" },
      { settings: { radio: { ...radio, stick: "guess" } }, field: "radio.stick" },
      { settings: { radio, channel: 27 }, field: "channel" },
    ],
    taken: { native: lamp.ieee, command: { type: "set", attributes: { isOn: true } } },
    slow: { native: valve.ieee, command: { type: "set", attributes: { targetTemperature: 21 } } },
    async vanish() {
      isPlugged = false;
      await served.unplug();
    },
    async restore() {
      isPlugged = true;
      await served.plug();
    },
    async dispose() {
      // An adapter that was killed leaves the network open; a stick forgets that without power.
      if (isPlugged) await served.unplug();
      await served.plug();
    },
  };
}
