import type { ClusterMap } from "../cluster.ts";
import { integer } from "../values.ts";

/** The temperature inside of a device, °C (ZCL 3.4). The standard does not let it be reported; some do. */
export const deviceTemperature: ClusterMap = {
  cluster: "genDeviceTempCfg",
  id: 0x0002,
  capabilities: () => ["DEVICE_TEMPERATURE"],
  state: () => ["currentTemperature"],
  reporting: () => [{ attribute: "currentTemperature", minSeconds: 300, maxSeconds: 3600, change: 1 }],
  attributesOf(values) {
    const celsius = integer(values, "currentTemperature", -200, 200);
    return celsius === undefined ? {} : { deviceTemperature: celsius };
  },
};
