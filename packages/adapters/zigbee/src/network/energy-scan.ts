import { AdapterError } from "@ledge/port";
import type { SendZdo } from "../library-inside.ts";

export interface ChannelEnergy {
  readonly channel: number;
  /** 0 to 255; higher is busier. */
  readonly energy: number;
}

const channels = Array.from({ length: 16 }, (_, index) => 11 + index);
/** Exponent of the time per channel: (2^3 + 1) * 15.36 ms (Zigbee specification, 2.4.3.3.9). */
const duration = 3;

/**
 * Makes the stick listen on every channel, which takes two to three seconds.
 * @param hasOverhead whether its requests begin with a sequence number
 * @throws AdapterError `unsupported` when it cannot
 */
export async function scanEnergy(sendZdo: SendZdo, hasOverhead: boolean): Promise<ChannelEnergy[]> {
  const { ZSpec, Zdo } = await import("zigbee-herdsman");
  const cluster = Zdo.ClusterId.NWK_UPDATE_REQUEST;
  const rest = [undefined, undefined] as const;
  const request = Zdo.Buffalo.buildRequest(hasOverhead, cluster, channels, duration, 1, ...rest);
  let answer: unknown;
  try {
    answer = await sendZdo(ZSpec.BLANK_EUI64, ZSpec.COORDINATOR_ADDRESS, cluster, request, false);
  } catch (cause) {
    throw new AdapterError("timeout", `the stick did not complete the scan: ${String(cause)}`, { cause });
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
