import { after, before } from "node:test";
import { adapterContract, type ContractWorld } from "@ledge/port/contract";
import { plans } from "@ledge/testkit/zwave";
import { createAdapter } from "./index.ts";
import { type Rig, startRig } from "./test-rig.ts";

/* Runs that every adapter must pass, in a home with a socket, a sleepy valve, and a stray lamp. */
let home: Rig;
let stored: NonNullable<ContractWorld["stored"]> = [];
const [socket, valve, stray] = [2, 3, 4] as const;

before(async () => {
  home = await startRig();
  await home.pair(plans.wallPlug());
  await home.pair(plans.radiatorValve());
  await home.until("sleep", () => home.stick.isAsleep(valve));
  await home.adapter.stop();
  stored = [...home.stored];
  await home.stick.place(plans.lamp());
});
after(() => home.close());

async function world(): Promise<ContractWorld> {
  const { served } = home;
  const radio = { path: served.path, stick: "zwave" };
  let isPlugged = true;
  return {
    module: new URL("./index.ts", import.meta.url),
    create: createAdapter,
    settings: { radio },
    stored,
    folder: home.folder,
    wrong: [
      { settings: { radio: { ...radio, path: "stick" } }, field: "radio.path" },
      { settings: { radio: { ...radio, stick: "zstack" } }, field: "radio.stick" },
    ],
    taken: { native: home.native(socket), command: { type: "set", attributes: { isOn: true } } },
    slow: { native: home.native(valve), command: { type: "refresh" } },
    async vanish() {
      isPlugged = false;
      await served.unplug();
    },
    async restore() {
      isPlugged = true;
      await served.plug();
    },
    async dispose() {
      // An adapter that was killed leaves the stick adding nodes; it forgets that without power.
      if (isPlugged) await served.unplug();
      await served.plug();
    },
  };
}

adapterContract("Z-Wave", world, {
  sharesStart: true,
  finds: `d1e50001/${stray}`,
  answers: { type: "ZWAVE_GET_NODES" },
});
