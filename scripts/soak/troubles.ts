// The troubles of a radio, and how long each lasts.
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "@ledge/testkit";
import { failing, type ServedStick, type SimulatedAir, status, Stick } from "@ledge/testkit/zigbee";
import type { LoadedHub } from "../load/hub.ts";

/** What troubles act on. */
export interface Troubled {
  readonly air: SimulatedAir;
  readonly served: ServedStick<Stick>;
  readonly hub: LoadedHub;
  readonly random: Random;
}

/** One kind of trouble. It is over when its promise resolves. */
export type Trouble = (troubled: Troubled) => Promise<void>;

/** Each round runs all of them, in a different order. */
export const troubles: Readonly<Record<string, Trouble>> = {
  async "no acknowledgement"({ air }) {
    air.interference = failing(status.noAck);
    await sleep(3000);
    air.interference = null;
  },

  async "busy channel"({ air }) {
    air.interference = failing(status.channelBusy);
    await sleep(3000);
    air.interference = null;
  },

  async "lost frames"({ air }) {
    air.lossPercent = 20;
    await sleep(5000);
    air.lossPercent = 0;
  },

  async "garbled frames"({ served }) {
    served.stick.faults.garble(5);
    await sleep(3000);
  },

  async "a silent stick"({ served }) {
    served.stick.faults.isSilent = true;
    await sleep(8000);
    served.stick.faults.isSilent = false;
  },

  async "a slow stick"({ served }) {
    served.stick.faults.delayMs = 300;
    await sleep(5000);
    served.stick.faults.delayMs = 0;
  },

  async "unplugged in the middle of a frame"({ served }) {
    const unplugged = served.unplugMidFrame();
    await Promise.race([unplugged, sleep(10_000)]);
    await served.unplug();
    await sleep(3000);
    await served.plug();
  },

  async "another stick"({ air, served, random }) {
    await served.unplug();
    await sleep(1000);
    const ieee = `0x00124b00${(1 + random(0xffff_fffe)).toString(16).padStart(8, "0")}` as const;
    await served.plug(new Stick({ air, ieee, tableSize: 200 }));
  },

  async "the adapter is killed"({ hub }) {
    hub.killAdapters();
  },

  async "the hub is killed"({ hub }) {
    await hub.kill();
    await hub.restart();
  },
};
