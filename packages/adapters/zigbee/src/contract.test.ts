import { after, before } from "node:test";
import type { ContractWorld } from "@ledge/port/contract";
import { adapterContract } from "@ledge/port/contract";
import type { AirDevice } from "@ledge/testkit/zigbee";
import { devices } from "@ledge/testkit/zigbee";
import { createAdapter } from "./index.ts";
import type { Rig } from "./test-rig.ts";
import { startRig } from "./test-rig.ts";

const lamp = devices.unknownSocket("0x000b57fffe000001");
const valve = devices.radiatorValve("0x000b57fffe000002");
const others = [devices.unknownLamp("0x000b57fffe000004"), devices.unknownLamp("0x000b57fffe000005")];
const stray = devices.unknownWallSwitch("0x000b57fffe000003");

/** A home with three lamps, a sleepy valve, and a switch that seeks a network. All tests share its radio. */
let home: Rig;
let stored: readonly (readonly [key: string, value: unknown])[] = [];

before(async () => {
  home = await startRig();
  await home.pair(lamp);
  await home.pair(valve);
  for (const other of others) {
    await home.pair(other);
    // Otherwise a lamp may tell its firmware later, and be announced anew.
    await home.until("its firmware", () => home.stored.has(`firmware/${other.ieee}`));
  }
  await home.adapter.stop();
  stored = [...home.stored];
  home.air.add(seeking(stray));
});
after(() => home.close());

/** Makes a device seek a network whenever it leaves one. */
function seeking(device: AirDevice): AirDevice {
  const left = device.left.bind(device);
  device.left = () => {
    left();
    queueMicrotask(() => {
      if (home.air.nwkOf(device.ieee) === undefined) home.air.seek(device.ieee);
    });
  };
  return device;
}

async function makeWorld(): Promise<ContractWorld> {
  const { air, served } = home;
  if (air.nwkOf(stray.ieee) !== undefined) air.leave(stray.ieee);
  air.seek(stray.ieee);
  air.sleep(valve.ieee);
  const radio = { path: served.path, stick: "zstack" };
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

adapterContract("Zigbee", makeWorld, {
  finds: stray.ieee,
  answers: { type: "GET_ZIGBEE_STATUS" },
  groupcast: {
    natives: [lamp, ...others].map(({ ieee }) => ieee),
    command: { type: "set", attributes: { isOn: true } },
  },
});
