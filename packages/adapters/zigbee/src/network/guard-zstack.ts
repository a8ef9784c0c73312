import { around, guardedOf, type NetworkOptions } from "./permit.ts";

const steps = { startup: "resume", restoreBackup: "restore", startCommissioning: "form" } as const;
/** `ZnpVersion` of the library. */
const zstack12 = 0;
/** Items of a Z-Stack's memory. */
const extendedAddress = 0x01;
const networkInformation = 0x21;

interface ZstackManager {
  readonly options: { readonly networkOptions: NetworkOptions; readonly version: number };
  readonly nv: {
    readItem(id: number, offset: number, parse: unknown): Promise<NetworkInformation | null>;
    updateItem(id: number, data: Buffer): Promise<void>;
  };
  readonly backup: {
    getStoredBackup(): { readonly coordinatorIeeeAddress: Uint8Array } | undefined;
    getNetworkSecurityMaterialTable(version: number): Promise<{ readonly used: readonly FrameCount[] }>;
  };
}

interface ZstackPort {
  initialized: boolean;
}

interface FrameCount {
  readonly extendedPanID: Uint8Array;
  readonly FrameCounter: number;
}

interface NetworkInformation {
  readonly nwkPanId: number;
  readonly nwkLogicalChannel: number;
  readonly extendedPANID: Uint8Array;
}

/**
 * Guards sticks with Z-Stack: asks before a network is formed, resumed or restored, and restores what the library
 * omits.
 */
export async function guardZstack(): Promise<void> {
  const { ZnpAdapterManager } = await import("zigbee-herdsman/dist/adapter/z-stack/adapter/manager.js");
  around(ZnpAdapterManager.prototype, "determineStrategy", async (manager: ZstackManager, decide) => {
    const decided = (await decide()) as keyof typeof steps;
    const strategy = decided === "startup" && (await isBehind(manager)) ? "restoreBackup" : decided;
    const holdsOther = await holdsOtherNetwork(manager);
    // Z-Stack 1.2 accepts no backup: the library forms a new network instead.
    const isOld = manager.options.version === zstack12;
    const step = isOld && strategy === "restoreBackup" ? "form" : steps[strategy];
    guardedOf(manager.options.networkOptions).permit(step, holdsOther);
    if (step === "restore") await takeAddress(manager);
    return strategy;
  });
  // The library leaves this promise unhandled while it sets the power; an unhandled rejection would end the
  // process.
  around(ZnpAdapterManager.prototype, "start", (_manager: ZstackManager, start) => {
    const started = start() as Promise<unknown>;
    started.catch(() => {});
    return started;
  });
  await openAtOnce();
}

/**
 * Makes the library ask a stick behind a network port at once. It refuses its own first question there, as it counts
 * the port as open only afterwards, so every start woke a bootloader that nobody has and waited a second.
 */
async function openAtOnce(): Promise<void> {
  const { Znp } = await import("zigbee-herdsman/dist/adapter/z-stack/znp/znp.js");
  around(Znp.prototype, "skipBootloader", (znp: ZstackPort, skip) => {
    znp.initialized = true;
    return skip();
  });
}

/**
 * Gives the stick the address that devices have bound their reports to; the library would keep the stick's
 * own.
 */
async function takeAddress({ nv, backup }: ZstackManager): Promise<void> {
  const stored = backup.getStoredBackup();
  if (stored === undefined) return;
  await nv.updateItem(extendedAddress, Buffer.from(stored.coordinatorIeeeAddress.toReversed()));
}

/** Whether another stick has sent for the network since: devices reject frame numbers that they have seen. */
async function isBehind({ options, backup }: ZstackManager): Promise<boolean> {
  const { networkOptions, version } = options;
  const { sent } = guardedOf(networkOptions);
  if (sent === 0 || version === zstack12) return false;
  const wanted = Buffer.from(networkOptions.extendedPanID);
  const { used } = await backup.getNetworkSecurityMaterialTable(version);
  const count = used.find(({ extendedPanID: told }) => wanted.equals(Buffer.from(told)));
  return count !== undefined && count.FrameCounter < sent;
}

/**
 * Whether a Z-Stack stick holds a network with another extended PAN id. One with only another PAN id is half
 * formed.
 */
async function holdsOtherNetwork({ nv, options }: ZstackManager): Promise<boolean> {
  const { nib } = await import("zigbee-herdsman/dist/adapter/z-stack/structs/entries/nib.js");
  const held = await nv.readItem(networkInformation, 0, nib);
  if (!held || held.nwkPanId === 0xffff || held.nwkLogicalChannel === 0) return false;
  const wanted = Buffer.from(options.networkOptions.extendedPanID);
  const told = Buffer.from(held.extendedPANID);
  return !told.equals(wanted) && !Buffer.from(told.toReversed()).equals(wanted);
}
