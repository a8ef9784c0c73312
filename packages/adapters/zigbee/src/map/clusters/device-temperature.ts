import type { ClusterMap } from "../cluster.ts";
import { integer } from "../values.ts";

/** The temperature inside of a device, °C (ZCL 3.4). */
export const deviceTemperature: ClusterMap = {
  cluster: "genDeviceTempCfg",
  id: 0x0002,
  capabilities: () => ["DEVICE_TEMPERATURE"],
  state: () => ["currentTemperature"],
  unreported: ["currentTemperature"],
  attributesOf(values) {
    const celsius = integer(values, "currentTemperature", -200, 200);
    return celsius === undefined ? {} : { deviceTemperature: celsius };
  },
};
