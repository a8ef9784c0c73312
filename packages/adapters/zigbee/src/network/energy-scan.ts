import type { AdapterClock } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { EmberInside, SendZdo, StickAdapter } from "../library-inside.ts";

export interface ChannelEnergy {
  readonly channel: number;
  /** 0 to 255; higher is busier. */
  readonly energy: number;
}

const channels = Array.from({ length: 16 }, (_, index) => 11 + index);
/** Exponent of the time per channel: (2^3 + 1) * 15.36 ms (Zigbee specification, 2.4.3.3.9). */
const duration = 3;
/** How long an ember stick may take for all channels. */
const emberMs = 10_000;

/**
 * Makes the stick listen on every channel, which takes two to three seconds.
 * @param sendZdo a send that is not held while the radio is away
 * @throws AdapterError `unsupported` when it cannot
 */
export async function scanEnergy(
  adapter: StickAdapter,
  sendZdo: SendZdo,
  clock: AdapterClock,
): Promise<ChannelEnergy[]> {
  // EmberZNet does not answer a ZDO request for a scan of its own: it returns the request to the host.
  return adapter.ezsp ? await scanByEzsp(adapter.ezsp, clock) : await scanByZdo(adapter, sendZdo);
}

async function scanByZdo(
  { hasZdoMessageOverhead }: StickAdapter,
  sendZdo: SendZdo,
): Promise<ChannelEnergy[]> {
  const { ZSpec, Zdo } = await import("zigbee-herdsman");
  const cluster = Zdo.ClusterId.NWK_UPDATE_REQUEST;
  const rest = [undefined, undefined] as const;
  const request = Zdo.Buffalo.buildRequest(hasZdoMessageOverhead, cluster, channels, duration, 1, ...rest);
  let answer: unknown;
  try {
    answer = await sendZdo(ZSpec.BLANK_EUI64, ZSpec.COORDINATOR_ADDRESS, cluster, request, false);
  } catch (cause) {
    throw incomplete(cause);
  }
  const [status, result] = answer as [number, Scan | undefined];
  if (status !== 0 || result === undefined)
    throw new AdapterError("unsupported", `this stick cannot scan: ${Zdo.Status[status] ?? status}`);
  return measured(result);
}

interface Scan {
  /** One bit per channel; 26 is the highest. */
  readonly scannedChannels: number;
  /** The energies, in the order of the channels. */
  readonly entryList: readonly number[];
}

function measured({ scannedChannels, entryList }: Scan): ChannelEnergy[] {
  const scanned = channels.filter((channel) => (scannedChannels & (1 << channel)) !== 0);
  return scanned.flatMap((channel, place) => {
    const energy = entryList[place];
    return energy === undefined ? [] : [{ channel, energy }];
  });
}

/** Scans with the command of EZSP (UG100, startScan), whose results the library only logs. */
async function scanByEzsp(ezsp: EmberInside, clock: AdapterClock): Promise<ChannelEnergy[]> {
  const heard = new Map<number, number>();
  const done = Promise.withResolvers<void>();
  const own = ["ezspEnergyScanResultHandler", "ezspScanCompleteHandler"] as const;
  ezsp.ezspEnergyScanResultHandler = (channel, dbm) => void heard.set(channel, energyOf(dbm));
  ezsp.ezspScanCompleteHandler = () => done.resolve();
  const cancel = clock.after(emberMs, () => done.reject(new Error("no end of the scan")));
  try {
    const mask = channels.reduce((bits, channel) => bits | (1 << channel), 0);
    const status = await ezsp.ezspStartScan(energyScan, mask, duration);
    if (status !== 0) throw new Error(`status ${status}`);
    await done.promise;
  } catch (cause) {
    throw incomplete(cause);
  } finally {
    cancel();
    // Uncovers the library's own handlers.
    for (const name of own) Reflect.deleteProperty(ezsp, name);
  }
  return [...heard].map(([channel, energy]) => ({ channel, energy }));
}

/** EzspNetworkScanType */
const energyScan = 0;
/** The range that a receiver must measure, and its lower end (IEEE 802.15.4, 6.9.7), in dB and dBm. */
const [range, quietest] = [80, -100];

/** Returns the energy of 0..255 for a power in dBm. */
function energyOf(dbm: number): number {
  return Math.min(255, Math.max(0, Math.round(((dbm - quietest) * 255) / range)));
}

function incomplete(cause: unknown): AdapterError {
  return new AdapterError("timeout", `the stick did not complete the scan: ${String(cause)}`, { cause });
}
