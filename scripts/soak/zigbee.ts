// A Zigbee radio of the soak, and its troubles.
import { setTimeout as sleep } from "node:timers/promises";
import {
  devices,
  failing,
  type Ieee,
  pairAll,
  type ServedStick,
  serveStick,
  SimulatedAir,
  status,
  Stick,
} from "@ledge/testkit/zigbee";
import type { Call, SoakRadio, Trouble } from "./radio.ts";

const tableSize = 200;

/** Starts a Zigbee stick. @param count of its devices */
export async function zigbeeRadio(count: number, seed: number): Promise<SoakRadio> {
  const air = new SimulatedAir({ seed });
  const served = await serveStick(new Stick({ air, tableSize }));
  const half = Math.ceil(count / 2);
  const lamps = Array.from({ length: half }, (_, index) => devices.lamp(ieee(index)));
  const remotes = Array.from({ length: count - half }, (_, index) => devices.remote(ieee(1000 + index)));
  return {
    protocol: "zigbee",
    settings: { radio: { path: served.path, stick: "zstack" } },
    troubles: troublesOf(air, served),
    async pair(call) {
      const ids = await pairAll(call, air, [...lamps, ...remotes]);
      const idOf = ({ ieee: address }: { readonly ieee: Ieee }): string => {
        const id = ids.get(address);
        if (id === undefined) throw new Error(`${address} is not paired`);
        return id;
      };
      return {
        lamps: lamps.map((lamp) => ({ id: idOf(lamp), isOn: () => lamp.isOn })),
        remotes: remotes.map((remote) => ({ id: idOf(remote), press: () => remote.press("toggle") })),
      };
    },
    async works(call: Call) {
      return ((await call("GET", "/hub/zigbeestatus")) as { connected: boolean }).connected;
    },
    close: () => served.close(),
  };
}

function troublesOf(air: SimulatedAir, served: ServedStick<Stick>): Readonly<Record<string, Trouble>> {
  return {
    async "no acknowledgement"() {
      air.interference = failing(status.noAck);
      await sleep(3000);
      air.interference = null;
    },

    async "busy channel"() {
      air.interference = failing(status.channelBusy);
      await sleep(3000);
      air.interference = null;
    },

    async "lost frames"() {
      air.lossPercent = 20;
      await sleep(5000);
      air.lossPercent = 0;
    },

    async "garbled frames"() {
      served.stick.faults.garble(5);
      await sleep(3000);
    },

    async "a silent stick"() {
      served.stick.faults.isSilent = true;
      await sleep(8000);
      served.stick.faults.isSilent = false;
    },

    async "a slow stick"() {
      served.stick.faults.delayMs = 300;
      await sleep(5000);
      served.stick.faults.delayMs = 0;
    },

    async "unplugged in the middle of a frame"() {
      const unplugged = served.unplugMidFrame();
      await Promise.race([unplugged, sleep(10_000)]);
      await served.unplug();
      await sleep(3000);
      await served.plug();
    },

    async "another stick"(random) {
      await served.unplug();
      await sleep(1000);
      const address = `0x00124b00${(1 + random(0xffff_fffe)).toString(16).padStart(8, "0")}` as const;
      await served.plug(new Stick({ air, ieee: address, tableSize }));
    },
  };
}

function ieee(number: number): Ieee {
  return `0x000b57ff${number.toString(16).padStart(8, "0")}`;
}
