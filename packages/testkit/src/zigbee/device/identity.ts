import type { Ieee } from "../air.ts";
import type { AttributeSpec, Cluster } from "./cluster.ts";
import type { Product } from "./clusters/basic.ts";
import { Basic } from "./clusters/basic.ts";
import { Identify } from "./clusters/identify.ts";
import type { Hardware } from "./device.ts";
import type { Endpoint } from "./endpoint.ts";

/** The identity of a device: its address, maker and model. */
export interface Identity {
  readonly ieee: Ieee;
  readonly manufacturerCode: number;
  readonly product: Product;
}

/** Device ids of endpoints (Zigbee home automation and lighting). */
export const deviceIds = {
  onOffOutput: 0x0002,
  remote: 0x0006,
  lock: 0x000a,
  plug: 0x0051,
  meter: 0x0053,
  onOffLight: 0x0100,
  dimmableLight: 0x0101,
  colorLight: 0x0102,
  occupancySensor: 0x0107,
  colorTemperatureLight: 0x010c,
  covering: 0x0202,
  thermostat: 0x0301,
  temperatureSensor: 0x0302,
  iasZone: 0x0402,
  iasWarning: 0x0403,
  sceneController: 0x0820,
} as const;

/** Returns the hardware of a device that is always awake and routes frames for others. */
export function mains({ ieee, manufacturerCode }: Identity, ...endpoints: readonly Endpoint[]): Hardware {
  return { ieee, manufacturerCode, kind: "router", isMainsPowered: true, endpoints };
}

/** Returns the hardware of a device whose receiver is off most of the time. */
export function onBattery({ ieee, manufacturerCode }: Identity, ...endpoints: readonly Endpoint[]): Hardware {
  return { ieee, manufacturerCode, kind: "sleepy", isMainsPowered: false, endpoints };
}

/**
 * Returns the clusters that every device has on its first endpoint.
 * @param own a manufacturer-specific attribute in the basic cluster.
 */
export function commonClusters(
  { product }: Identity,
  powerSource: "mains" | "battery" = "mains",
  own?: AttributeSpec,
): readonly Cluster[] {
  return [new Basic({ powerSource, ...product }, own), new Identify()];
}
