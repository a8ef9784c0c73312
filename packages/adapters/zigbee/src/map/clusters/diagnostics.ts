import type { ClusterMap } from "../cluster.ts";
import { integer } from "../values.ts";

/** The signal strength of the device's neighbour (dBm): the only place where Zigbee reports one. */
export const diagnostics: ClusterMap = {
  cluster: "haDiagnostic",
  id: 0x0b05,
  capabilities: () => ["RSSI"],
  state: () => ["lastMessageRssi"],
  attributesOf(values) {
    const rssi = integer(values, "lastMessageRssi", -127, 20);
    return rssi === undefined ? {} : { rssi };
  },
};
