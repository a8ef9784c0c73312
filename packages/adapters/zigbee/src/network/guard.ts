import type { StickKind } from "../settings.ts";
import { guardDeconz } from "./guard-deconz.ts";
import { guardEmber } from "./guard-ember.ts";
import { guardZstack } from "./guard-zstack.ts";
import { around, guardedOf, type NetworkOptions } from "./permit.ts";

/**
 * Inserts the permit between the library's decision about a stick and its execution. The library has no
 * option for that: it overwrites whatever does not match its options.
 * @throws TypeError when the library's version is not the one that this code was written for
 */
export async function guardSticks(kind: StickKind): Promise<void> {
  if (guarded.has(kind)) return;
  await guards[kind]();
  guarded.add(kind);
}

const guarded = new Set<StickKind>();

const guards: Readonly<Record<StickKind, () => Promise<void>>> = {
  zstack: guardZstack,
  ember: guardEmber,
  zboss: async () => {
    const { ZBOSSDriver } = await import("zigbee-herdsman/dist/adapter/zboss/driver.js");
    around(ZBOSSDriver.prototype, "needsToBeInitialised", async (driver: ZbossDriver, needs) => {
      const isNeeded = await needs();
      const told = driver.netInfo?.network.extendedPanID ?? [];
      const isOther = Buffer.from(told).compare(Buffer.from(driver.nwkOpt.extendedPanID)) !== 0;
      guardedOf(driver.nwkOpt).permit(
        isNeeded ? "form" : "resume",
        isOther && driver.netInfo?.joined === true,
      );
      return isNeeded;
    });
  },
  deconz: guardDeconz,
  zigate: async () => {
    const { ZiGateAdapter } = await import("zigbee-herdsman/dist/adapter/zigate/adapter/zigateAdapter.js");
    around(ZiGateAdapter.prototype, "initNetwork", async (stick: ZigateStick, init) => {
      const told = (await stick.getNetworkParameters()).extendedPanID.replace(/^0x/, "");
      const isFresh = /^(?:0+|f+)$/.test(told);
      const isOurs = told === Buffer.from(stick.networkOptions.extendedPanID).toString("hex");
      guardedOf(stick.networkOptions).permit(isOurs ? "resume" : "form", !isOurs && !isFresh);
      return await init();
    });
  },
};

interface ZbossDriver {
  readonly nwkOpt: NetworkOptions;
  readonly netInfo?: { readonly joined: boolean; readonly network: { readonly extendedPanID: Uint8Array } };
}

interface ZigateStick {
  readonly networkOptions: NetworkOptions;
  getNetworkParameters(): Promise<{ readonly extendedPanID: string }>;
}
