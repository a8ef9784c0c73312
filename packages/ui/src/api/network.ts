// Rows about the radio network.
import { type Answer, call } from "./call.ts";

/** A node of the Zigbee network. */
export interface NetworkNode {
  /** `coordinator`, or its address. */
  readonly ieee: string;
  /** Its address in the network, which may change. */
  readonly nwk: number;
  readonly type: string;
  readonly manufacturer: string | null;
  readonly model: string | null;
  /** ms since the epoch */
  readonly lastSeen: number | null;
  /** Whether a new stick has not heard it. */
  readonly missing: boolean;
  readonly deviceIds: readonly string[];
  readonly name: string | null;
}

/** That a node hears another. */
export interface NetworkLink {
  readonly from: string;
  readonly to: string;
  /** Quality, 0 to 255. */
  readonly lqi: number;
  readonly relationship: string;
}

/** ZIGBEE_NETWORK_MAP */
export interface NetworkMap {
  /** When the nodes were asked (ms since the epoch). */
  readonly at: number;
  /** Whether every router has answered. */
  readonly complete: boolean;
  readonly nodes: readonly NetworkNode[];
  readonly links: readonly NetworkLink[];
}

/** Asking every router takes up to a minute. */
const mapMs = 90_000;

export function networkMap(signal: AbortSignal): Promise<Answer<NetworkMap>> {
  return call("/hub/zigbeemap", { signal, timeoutMs: mapMs });
}

/** ZIGBEE_NETWORK_STATUS */
export interface NetworkStatus {
  readonly connected: boolean;
  readonly has_network: boolean;
  readonly channel: number | null;
  readonly firmware: string | null;
  readonly problem: string | null;
}

export function networkStatus(signal: AbortSignal): Promise<Answer<NetworkStatus>> {
  return call("/hub/zigbeestatus", { signal });
}

/** How much is on the air of a channel, 0 to 255. */
export interface ChannelEnergy {
  readonly channel: number;
  readonly energy: number;
}

export function scanChannels(signal: AbortSignal): Promise<Answer<readonly ChannelEnergy[]>> {
  return call("/hub/zigbeescan", { signal, timeoutMs: mapMs });
}

/** DEVICE_NETWORK, as far as the interface reads it. */
export interface DeviceNetwork {
  /** The network of radios that the device is in; null for one that is reached otherwise. */
  readonly network: "ZIGBEE" | "ZWAVE" | null;
}

export function networkOfDevice(deviceId: string, signal: AbortSignal): Promise<Answer<DeviceNetwork>> {
  return call("/devices/network", { query: { deviceId }, signal });
}
