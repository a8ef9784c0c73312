import type { Reader } from "./decider.ts";

/** Feature codes of hub-api 2.1. */
export const features = {
  VIDEO_SERVICE: 1,
  CUSTOM_RULES: 2,
  EVENTS: 3,
  NO_NMAP_SCAN: 4,
  REMOTE_USAGE: 5,
  SMS_MESSAGING: 6,
  PN_MESSAGING: 7,
  SEND_EMAIL: 8,
  SERVER_CONNECTION: 9,
  BACNET: 10,
  VIEW_HISTORY: 11,
  ZWAVE: 12,
  REMOTE_SENSOR: 13,
  LOG_SERVICE: 14,
  MODBUS: 15,
  EIGHT68: 16,
  MQTT: 17,
  CELLULAR: 18,
  MBUS: 19,
  SPOT_PRICES: 20,
  PREMIUM: 21,
  FOUR33_HW2: 22,
  BACNET_SERVER: 23,
  BACNET_CLIENT: 24,
  MODBUS_TCP_SERVER: 25,
  BLE: 32,
} as const;

export type Feature = keyof typeof features;

/** Returns whether the hub has a feature. */
export function hasFeature(feature: Feature, read: Pick<Reader, "all">): boolean {
  for (const [, hub] of read.all("hub")) if (hub.features.includes(features[feature])) return true;
  return false;
}

/** The features that this release implements; others cannot be activated. */
export const builtFeatures: ReadonlySet<number> = new Set([
  features.VIDEO_SERVICE,
  features.CUSTOM_RULES,
  features.EVENTS,
  features.REMOTE_USAGE,
  features.SMS_MESSAGING,
  features.PN_MESSAGING,
  features.SEND_EMAIL,
  features.SERVER_CONNECTION,
  features.VIEW_HISTORY,
  features.BACNET,
  features.BACNET_SERVER,
  features.BACNET_CLIENT,
  features.MODBUS,
  features.MODBUS_TCP_SERVER,
  features.ZWAVE,
  features.MQTT,
  features.MBUS,
  features.SPOT_PRICES,
  features.PREMIUM,
  features.FOUR33_HW2,
  features.BLE,
]);

/** Returns the name of a feature; undefined for an unknown code. */
export function featureName(code: number): Feature | undefined {
  return (Object.keys(features) as Feature[]).find((name) => features[name] === code);
}
