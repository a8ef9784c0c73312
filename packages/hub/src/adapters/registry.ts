import type { Adapter } from "@ledge/port";

/** The adapters that this hub can run: protocol to module, loaded only in the adapter's own process. */
export const adapterModules: Readonly<Record<string, () => Promise<{ createAdapter: () => Adapter }>>> = {
  sim: () => import("@ledge/adapter-sim"),
  bacnet: () => import("@ledge/adapter-bacnet"),
  hue: () => import("@ledge/adapter-hue"),
  mbus: () => import("@ledge/adapter-mbus"),
  modbus: () => import("@ledge/adapter-modbus"),
  mqtt: () => import("@ledge/adapter-mqtt"),
  onvif: () => import("@ledge/adapter-onvif"),
  rf433: () => import("@ledge/adapter-rf433"),
  upnp: () => import("@ledge/adapter-upnp"),
  zigbee: () => import("@ledge/adapter-zigbee"),
  zwave: () => import("@ledge/adapter-zwave"),
};
